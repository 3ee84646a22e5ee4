"""Conflicts settled from the command line: by a side, a suggestion or a text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from attrs import evolve, frozen
from rich.text import Text

from sennit.cli.client import Client
from sennit.cli.collisions import collision_lines
from sennit.cli.diffs import conflict_head, settled_lines, unsettled, ways_out
from sennit.cli.failures import NotNowError, RefusedError, UsageError
from sennit.cli.problems import problems_in, told
from sennit.cli.prose import Prose
from sennit.cli.safe_text import safe_code, safe_line
from sennit.cli.terminal import Terminal
from sennit_protocol.conflicts import ConflictView, SuggestionKind, SuggestionView, Take
from sennit_protocol.errors import Problem, ProblemsData
from sennit_protocol.proposals import ProposalView
from sennit_protocol.review import ConflictChoice, DecideResult, ResolveParams
from sennit_protocol.states import Integration
from sennit_protocol.wire import unstructure

MOST_SHOWN = 40
"""Lines of a suggestion that are shown."""

_SIDES = {"o": Take.OURS, "t": Take.THEIRS, "b": Take.BASE}
_MOST_SUGGESTIONS = 9
_LEAVE, _QUIT, _HELP = "j", "q", "?"
_EXPLAINED = """\
o  keep what is there where they collide    t  take what is proposed there
b  take what both began with                1… take that suggestion
j  leave it in conflict                     q  leave it and all that follows
What does not collide stays merged."""

_IN_CHOICE = re.compile(r"choices\[(\d+)\]\.(\w+)")
_OPTIONS: Mapping[str, str] = {
    "suggestion": "--suggestion", "take": "--take", "text": "--text",
}  # fmt: skip


async def resolve(
    client: Client, view: ProposalView, choices: Sequence[ConflictChoice]
) -> ProposalView:
    """Tell the server what settles conflicts of a proposal; gives it as it is then."""
    params = ResolveParams(view.summary.id, view.summary.revision, tuple(choices))
    try:
        return (await client.ask("sennit/resolve", params, DecideResult)).proposal
    except RefusedError as error:
        raise _in_options(error, view, choices) from error


def _in_options(
    error: RefusedError, view: ProposalView, choices: Sequence[ConflictChoice]
) -> RefusedError:
    """Say what is wrong by option and file, where the protocol says it by place in the call."""
    found = problems_in(error.data)
    if not found:
        return error
    paths = {one.uri: one.path for one in (*view.conflicts, *view.resolved)}
    named = tuple(_named(each, [paths.get(one.uri, one.uri) for one in choices]) for each in found)
    said = f"Nothing was resolved: {'; '.join(map(told, named))}"
    return RefusedError(error.code, said, unstructure(ProblemsData(named)))


def _named(problem: Problem, paths: Sequence[str]) -> Problem:
    place = _IN_CHOICE.fullmatch(problem.path)
    if place is None or int(place[1]) >= len(paths):
        return problem
    option, path = _OPTIONS.get(place[2]), paths[int(place[1])]
    where = path if option is None else f"{option} for {path}"
    if option == "--suggestion" and not problem.valid:
        said = f"{problem.message}, nor is anything else; take a side with --take, or use --text"
        return Problem(where, said)
    return evolve(problem, path=where)


@frozen
class Asked:
    """A proposal after its conflicts were asked about; ``finished`` unless the person left."""

    view: ProposalView
    finished: bool


async def resolve_by_asking(client: Client, terminal: Terminal, view: ProposalView) -> Asked:
    """Let a person settle the conflicts of a proposal, one after the other."""
    choices: list[ConflictChoice] = []
    finished = True
    for conflict in view.conflicts:
        terminal.show(*_head(conflict), *await collision_lines(client, view, conflict))
        terminal.show(*_numbered(conflict))
        letter = await _letter(terminal, conflict)
        if letter == _QUIT:
            finished = False
            break
        if letter != _LEAVE:
            choices.append(_choice(conflict, letter))
    return Asked(await resolve(client, view, choices) if choices else view, finished)


async def listed_conflicts(client: Client, view: ProposalView) -> Sequence[Text]:
    """Show each conflict with what collides in it, and what could settle it, by name."""
    shown: list[Text] = []
    for conflict in view.conflicts:
        shown += conflict_head(conflict)
        shown += await collision_lines(client, view, conflict)
        for one in conflict.suggestions:
            shown.append(Prose(f"  suggestion {one.kind}: {safe_line(one.title)}", style="yellow"))
            shown += _text_of(conflict, one)
        shown += unsettled(conflict)
    return shown


def _head(conflict: ConflictView) -> Iterator[Text]:
    yield Text(f"── {safe_line(conflict.path)} ({conflict.kind})", style="bold red")


def _numbered(conflict: ConflictView) -> Iterator[Text]:
    for number, one in enumerate(conflict.suggestions[:_MOST_SUGGESTIONS], start=1):
        yield Prose(f"  {number}  {safe_line(one.title)}", style="yellow")
        yield from _text_of(conflict, one)


def _text_of(conflict: ConflictView, suggestion: SuggestionView) -> Iterator[Text]:
    """The lines of a suggestion from the first place where the sides clash past the last."""
    lines = (suggestion.text or "").split("\n")
    first, most = 0, MOST_SHOWN
    if conflict.regions:
        start, last = conflict.regions[0].ours.start, conflict.regions[-1].ours
        # It holds what both sides have there at the most.
        added = sum(region.theirs.count for region in conflict.regions)
        first = max(0, start - 1)
        most = min(MOST_SHOWN, last.start + last.count + added + 1 - first)
    for line in lines[first : first + most]:
        yield Text(f"     {safe_code(line)}", style="green")


async def _letter(terminal: Terminal, conflict: ConflictView) -> str:
    """What a person answers about a conflict; the end of input leaves it and the rest."""
    count = min(len(conflict.suggestions), _MOST_SUGGESTIONS)
    numbers = [str(number) for number in range(1, count + 1)]
    keys = [*_SIDES, *numbers, _LEAVE, _QUIT, _HELP]
    question = Text(f"What settles {safe_line(conflict.path)} [{','.join(keys)}]?")
    question.stylize("bold blue")
    while (letter := await terminal.choose(question, keys)) == _HELP:
        terminal.note(_EXPLAINED)
    return _QUIT if letter is None else letter


def _choice(conflict: ConflictView, letter: str) -> ConflictChoice:
    if letter in _SIDES:
        return ConflictChoice(conflict.uri, _SIDES[letter])
    kind = conflict.suggestions[int(letter) - 1].kind
    return ConflictChoice(conflict.uri, Take.SUGGESTION, suggestion=kind)


def standing(view: ProposalView) -> Iterator[Text]:
    """Say whether conflicts are left, and what settled the others."""
    task = safe_line(view.summary.task)
    yield from settled_lines(view)
    if view.summary.integration is Integration.CONFLICT:
        left = ", ".join(
            safe_line(one.path)
            for one in view.conflicts
            if one.resolution is None or not one.resolution.counts
        )
        yield Text(f"{task} is still in conflict: {left or 'look at it'}", style="yellow")
    elif view.resolved:
        yield Text(f"{task} goes in now.", style="green")
    else:
        yield Text(f"{task} has no conflict.", style="green")


def next_steps(before: ProposalView, after: ProposalView) -> Iterator[Text]:
    """Say what a person can do about a proposal that was in conflict before, or still is."""
    name, ticket = after.summary.id, after.summary.ticket
    if after.summary.integration is Integration.CONFLICT:
        yield from ways_out(after.summary)
        return
    yield Text(f"To decide about it: sennit review {name}")
    if after.resolved:
        yield belonging(before)
        yield Text(f"Then apply them together: sennit apply {ticket}")


def belonging(before: ProposalView) -> Text:
    """Say which proposals a settled conflict counts together with."""
    names = dict.fromkeys(task for one in before.conflicts for task in one.with_tasks)
    others = ", ".join(map(safe_line, names)) or "what it collided with"
    said = f"Accept and apply it together with {others}: alone, it goes in as it was proposed."
    return Text(said, style="yellow")


def choices_for(
    view: ProposalView, names: Sequence[str], take: Take, **more: str | SuggestionKind | None
) -> list[ConflictChoice]:
    """Name conflicts by path or URI; without a name, all.

    Raises `UsageError` for what is in no conflict, `NotNowError` where there is none at all.
    """
    found = _named_conflicts(view, names)
    text, suggestion = more.get("text"), more.get("suggestion")
    kind = None if suggestion is None else SuggestionKind(suggestion)
    return [ConflictChoice(one.uri, take, text, kind) for one in found]


def only_about(view: ProposalView, names: Sequence[str]) -> ProposalView:
    """Leave out the conflicts in files that are not named; without a name, none is.

    Raises as `choices_for` does for names.
    """
    if not names:
        return view
    named = _named_conflicts(view, names)
    return evolve(view, conflicts=tuple(one for one in view.conflicts if one in named))


def _named_conflicts(view: ProposalView, names: Sequence[str]) -> list[ConflictView]:
    known = (*view.conflicts, *view.resolved)
    if not known:
        name = view.summary.id
        raise NotNowError(f"{name} has no conflict; see `sennit show {name}`.")
    found = [one for one in known if not names or one.path in names or one.uri in names]
    unknown = set(names) - {name for one in found for name in (one.path, one.uri)}
    if unknown:
        paths = ", ".join(safe_line(one.path) for one in known)
        raise UsageError(f"{min(unknown)!r} is in no conflict. In conflict are: {paths}.")
    return found
