"""Conflicts settled from the command line: by a side, a suggestion or a text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from sennit.cli.client import Client
from sennit.cli.failures import UsageError
from sennit.cli.safe_text import safe_code, safe_line
from sennit.cli.terminal import Terminal
from sennit_protocol.proposals import ConflictView, ProposalView, SuggestionKind, Take
from sennit_protocol.review import ConflictChoice, DecideResult, ResolveParams
from sennit_protocol.states import Integration

MOST_SHOWN = 40
"""Lines of a suggestion that are shown."""

_SIDES = {"o": Take.OURS, "t": Take.THEIRS, "b": Take.BASE}
_MOST_SUGGESTIONS = 9
_LEAVE, _HELP = "j", "?"
_EXPLAINED = """\
o  keep what is there where they collide    t  take what is proposed there
b  take what both began with                1… take that suggestion
j  leave it in conflict
What does not collide stays merged."""


async def resolve(
    client: Client, view: ProposalView, choices: Sequence[ConflictChoice]
) -> ProposalView:
    """Tell the server what settles conflicts of a proposal; gives it as it is then."""
    params = ResolveParams(view.summary.id, view.summary.revision, tuple(choices))
    return (await client.ask("sennit/resolve", params, DecideResult)).proposal


async def resolve_by_asking(client: Client, terminal: Terminal, view: ProposalView) -> ProposalView:
    """Let a person settle the conflicts of a proposal, one after the other."""
    choices: list[ConflictChoice] = []
    for conflict in view.conflicts:
        terminal.show(*options_of(conflict))
        choice = await _choice(terminal, conflict)
        if choice is not None:
            choices.append(choice)
    if not choices:
        return view
    after = await resolve(client, view, choices)
    terminal.note(standing(after))
    return after


def options_of(conflict: ConflictView) -> Iterator[Text]:
    """Show what could settle a conflict."""
    yield Text(f"── {safe_line(conflict.path)} ({conflict.kind})", style="bold red")
    for number, one in enumerate(conflict.suggestions[:_MOST_SUGGESTIONS], start=1):
        yield Text(f"  {number}  {safe_line(one.title)}", style="yellow")
        for line in _around(conflict, one.text or ""):
            yield Text(f"     {safe_code(line)}", style="green")


def _around(conflict: ConflictView, text: str) -> Sequence[str]:
    """The lines of a suggestion from the first place where the sides clash."""
    first = max(0, conflict.regions[0].ours.start - 1) if conflict.regions else 0
    return text.splitlines()[first:][:MOST_SHOWN]


async def _choice(terminal: Terminal, conflict: ConflictView) -> ConflictChoice | None:
    count = min(len(conflict.suggestions), _MOST_SUGGESTIONS)
    numbers = [str(number) for number in range(1, count + 1)]
    keys = [*_SIDES, *numbers, _LEAVE, _HELP]
    question = Text(f"What settles {safe_line(conflict.path)} [{','.join(keys)}]?")
    question.stylize("bold blue")
    while (letter := await terminal.choose(question, keys)) == _HELP:
        terminal.note(_EXPLAINED)
    if letter is None or letter == _LEAVE:
        return None
    if letter in _SIDES:
        return ConflictChoice(conflict.uri, _SIDES[letter])
    kind = conflict.suggestions[int(letter) - 1].kind
    return ConflictChoice(conflict.uri, Take.SUGGESTION, suggestion=kind)


def standing(view: ProposalView) -> Text:
    """Say whether conflicts are left."""
    task = safe_line(view.summary.task)
    if view.summary.integration is Integration.CONFLICT:
        left = ", ".join(safe_line(one.path) for one in view.conflicts if one.resolution is None)
        return Text(f"{task} is still in conflict: {left or 'look at it'}", style="yellow")
    return Text(f"{task} goes in now. Accept it as any other.", style="green")


def choices_for(
    view: ProposalView, names: Sequence[str], take: Take, **more: str | SuggestionKind | None
) -> list[ConflictChoice]:
    """Name conflicts by path or URI; without a name, all. Raises `UsageError`."""
    known = (*view.conflicts, *view.resolved)
    if not known:
        raise UsageError(f"{view.summary.id} has no conflict; see `sennit show {view.summary.id}`.")
    found = [one for one in known if not names or one.path in names or one.uri in names]
    unknown = set(names) - {name for one in found for name in (one.path, one.uri)}
    if unknown:
        paths = ", ".join(safe_line(one.path) for one in known)
        raise UsageError(f"{min(unknown)!r} is in no conflict. In conflict are: {paths}.")
    text, suggestion = more.get("text"), more.get("suggestion")
    kind = None if suggestion is None else SuggestionKind(suggestion)
    return [ConflictChoice(one.uri, take, text, kind) for one in found]
