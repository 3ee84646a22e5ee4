"""The review on a terminal: proposal by proposal, or hunk by hunk, as `git add -p` does it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from attrs import frozen
from rich.text import Text

from sennit.cli.client import Client
from sennit.cli.decided import NOTHING_TO_DECIDE, accepts_anything, units_in, waits_to_go_in
from sennit.cli.diffs import Bases, file_head, file_lines, proposal_lines, unit_lines
from sennit.cli.proposals_read import bases_of
from sennit.cli.resolving import belonging, resolve_by_asking, standing
from sennit.cli.safe_text import safe_line
from sennit.cli.terminal import Terminal
from sennit_protocol.ids import ProposalId, UnitId
from sennit_protocol.proposals import FileView, ProposalView, UnitView
from sennit_protocol.review import Choice, DecideParams, DecideResult
from sennit_protocol.states import Decision, Integration, Review


class Key(StrEnum):
    """What a person can answer; the letters are those of `git add -p`."""

    YES = "y"
    NO = "n"
    ALL = "a"
    NONE = "d"
    SPLIT = "s"
    CONFLICTS = "c"
    LEAVE = "j"
    QUIT = "q"
    HELP = "?"


_PROPOSAL_HELP = """\
y  accept this proposal            n  reject it
a  accept it and all that follow   d  reject it and all that follow
s  decide hunk by hunk             j  leave it undecided
q  leave it and the rest undecided, and change no file"""
_CONFLICTS_HELP = "c  settle its conflicts"
_UNIT_HELP = """\
y  accept this change              n  reject it
a  accept it and the rest of the file
d  reject it and the rest of the file
j  leave it undecided
q  leave it and all that follows undecided, and change no file"""
_UNIT_KEYS = tuple(each for each in Key if each not in {Key.SPLIT, Key.CONFLICTS})


@frozen
class Reviewed:
    """The proposals after the review.

    ``accepted`` are those of which this review accepted anything, whatever was accepted before;
    ``finished`` unless the person left early.
    """

    views: tuple[ProposalView, ...]
    accepted: frozenset[ProposalId]
    finished: bool


@frozen
class _Acted:
    """What an answer did: the proposal after it, and whether it accepted anything of it."""

    view: ProposalView
    accepted: bool = False
    going_on: bool = True


async def review(client: Client, terminal: Terminal, views: Sequence[ProposalView]) -> Reviewed:
    """Show each proposal and let a person decide about it."""
    decided: list[ProposalView] = []
    accepted: set[ProposalId] = set()
    following: Key | None = None
    for index, view in enumerate(views):
        bases = await bases_of(client, [view])
        for line in proposal_lines(view, bases):
            terminal.show(line)
        if not can_be_decided(view):
            terminal.note("Nothing to decide here.\n")
            decided.append(view)
            continue
        key = following or await _proposal_key(terminal, view)
        while key is Key.CONFLICTS:
            view, key = await _settled(client, terminal, view)  # noqa: PLW2901  as it is now
            bases = await bases_of(client, [view])
        if key in {Key.ALL, Key.NONE}:
            following = key
        acted = await _act(client, terminal, view, bases, key)
        decided.append(acted.view)
        if acted.accepted:
            accepted.add(view.summary.id)
        if not acted.going_on:
            rest = views[index + 1 :]
            return Reviewed((*decided, *rest), frozenset(accepted), finished=False)
    return Reviewed(tuple(decided), frozenset(accepted), finished=True)


async def decide(client: Client, view: ProposalView, *choices: Choice) -> ProposalView:
    """Tell the server what was decided about a proposal; gives it as it is then."""
    if not choices:
        return view
    params = DecideParams(view.summary.id, view.summary.revision, choices)
    return (await client.ask("sennit/decide", params, DecideResult)).proposal


async def decide_all(client: Client, view: ProposalView, decision: Decision) -> ProposalView:
    """Decide about all of a proposal that can be decided; a conflict never goes in by itself."""
    if not can_be_decided(view):
        return view
    if decision is Decision.REJECTED:
        return await decide(client, view, Choice(decision, all=True))
    return await decide(client, view, *_accepting(fitting_units(view)))


def _accepting(units: tuple[UnitId, ...]) -> tuple[Choice, ...]:
    return (Choice(Decision.ACCEPTED, units=units),) if units else ()


def _rejected(view: ProposalView) -> frozenset[UnitId]:
    return frozenset(e.id for e in units_in(view) if e.decision is Decision.REJECTED)


async def accept_whole(client: Client, terminal: Terminal, view: ProposalView) -> ProposalView:
    """Accept a proposal that fits as a whole; leave any other to a person, and say so.

    What a person has rejected stays rejected.
    """
    summary = view.summary
    if fits_whole(view):
        undecided = tuple(unit for unit in fitting_units(view) if unit not in _rejected(view))
        return await decide(client, view, *_accepting(undecided))
    if can_be_decided(view):
        stands = _STANDS.get(summary.integration, f"is {summary.integration}")
        what = f"{safe_line(summary.task)} {stands}: left for you to decide."
        terminal.note(Text(f"{what} To decide: sennit review {summary.id}", style="yellow"))
    return view


_STANDS = {
    Integration.CONFLICT: "is in conflict",
    Integration.RETAINED: "is unfinished",
    Integration.FAILED: "could not be merged",
}


def fits_whole(view: ProposalView) -> bool:
    """Whether all of it goes together with those before it and with the text."""
    return view.summary.integration is Integration.CLEAN


def fitting_units(view: ProposalView) -> tuple[UnitId, ...]:
    """List the units that go together with those before them and with the text."""
    in_conflict = {each.path for each in view.conflicts}
    return tuple(
        unit.id
        for file in view.files
        if file.path not in in_conflict
        for unit in file.units
        if unit.conflict is None
    )


async def _proposal_key(terminal: Terminal, view: ProposalView) -> Key:
    retained = view.summary.integration is Integration.RETAINED
    verb = "Adopt the unfinished work of" if retained else "Accept the work of"
    keys = tuple(each for each in Key if view.conflicts or each is not Key.CONFLICTS)
    what = Text(f"{verb} {safe_line(view.summary.task)} [{','.join(keys)}]?")
    what.stylize("bold blue")
    explained = f"{_PROPOSAL_HELP}\n{_CONFLICTS_HELP}" if view.conflicts else _PROPOSAL_HELP
    return await _key(terminal, what, keys, explained)


async def _settled(
    client: Client, terminal: Terminal, view: ProposalView
) -> tuple[ProposalView, Key]:
    """Ask about the conflicts of a proposal, then about the proposal as it is with that."""
    asked = await resolve_by_asking(client, terminal, view)
    for line in standing(asked.view):
        terminal.note(line)
    if not asked.finished:
        return asked.view, Key.QUIT
    bases = await bases_of(client, [asked.view])
    for file in asked.view.files:
        if file.settled is not None:
            terminal.show(*file_lines(file, bases))
    if asked.view.resolved:
        terminal.note(belonging(view))
    return asked.view, await _proposal_key(terminal, asked.view)


async def _key(terminal: Terminal, question: Text, keys: Sequence[Key], explained: str) -> Key:
    while (letter := await terminal.choose(question, keys)) == Key.HELP:
        terminal.note(explained)
    return Key.QUIT if letter is None else Key(letter)


async def _act(
    client: Client, terminal: Terminal, view: ProposalView, bases: Bases, key: Key
) -> _Acted:
    match key:
        case Key.YES | Key.ALL:
            after = await decide_all(client, view, Decision.ACCEPTED)
            _say_what_is_left(terminal, after)
            return _Acted(after, accepted=accepts_anything(after))
        case Key.NO | Key.NONE:
            return _Acted(await decide_all(client, view, Decision.REJECTED))
        case Key.SPLIT:
            choices, going_on = await _by_unit(terminal, view, bases)
            accepted = any(each.decision is Decision.ACCEPTED for each in choices)
            return _Acted(await decide(client, view, *choices), accepted, going_on)
        case _:
            return _Acted(view, going_on=key is not Key.QUIT)


def _say_what_is_left(terminal: Terminal, view: ProposalView) -> None:
    left = {each.path for each in view.conflicts}
    if left:
        names = ", ".join(safe_line(each) for each in sorted(left))
        terminal.note(Text(f"Left out, because of a conflict: {names}", style="yellow"))


async def _by_unit(
    terminal: Terminal, view: ProposalView, bases: Bases
) -> tuple[list[Choice], bool]:
    choices: list[Choice] = []
    for file in view.files:
        by_file = _file_by_unit if file.settled is None else _file_at_once
        found, going_on = await by_file(terminal, file, bases)
        choices += found
        if not going_on:
            return choices, False
    return choices, True


async def _file_by_unit(
    terminal: Terminal, file: FileView, bases: Bases
) -> tuple[list[Choice], bool]:
    choices: list[Choice] = []
    terminal.show(file_head(file))
    for index, unit in enumerate(file.units):
        for line in unit_lines(file, unit, bases):
            terminal.show(line)
        place = f" ({index + 1}/{len(file.units)})" if len(file.units) > 1 else ""
        key = await _unit_key(terminal, file, place)
        if key is Key.QUIT:
            return choices, False
        choices += _choice(key, file.units[index:])
        if key in {Key.ALL, Key.NONE}:
            break
    return choices, True


async def _file_at_once(
    terminal: Terminal, file: FileView, bases: Bases
) -> tuple[list[Choice], bool]:
    """Ask once about a file whose conflict was settled: it is decided as a whole."""
    terminal.show(*file_lines(file, bases))
    key = await _unit_key(terminal, file)
    if key is Key.LEAVE:
        return _left(file.units), True
    return _choice(_OF_THE_WHOLE.get(key, key), file.units), key is not Key.QUIT


_OF_THE_WHOLE = {Key.YES: Key.ALL, Key.NO: Key.NONE}


async def _unit_key(terminal: Terminal, file: FileView, place: str = "") -> Key:
    """Ask about one unit, with its ``place`` among those of the file, or about the whole file."""
    what = Text(f"Accept this change to {safe_line(file.path)}{place} [y,n,a,d,j,q,?]?")
    what.stylize("bold blue")
    return await _key(terminal, what, _UNIT_KEYS, _UNIT_HELP)


def _choice(key: Key, units: Sequence[UnitView]) -> list[Choice]:
    this, rest = (units[0].id,), tuple(each.id for each in units)
    match key:
        case Key.YES:
            return [Choice(Decision.ACCEPTED, units=this)]
        case Key.NO:
            return [Choice(Decision.REJECTED, units=this)]
        case Key.ALL:
            return [Choice(Decision.ACCEPTED, units=rest)]
        case Key.NONE:
            return [Choice(Decision.REJECTED, units=rest)]
        case Key.LEAVE:
            return _left(units[:1])
        case _:
            return []


def _left(units: Sequence[UnitView]) -> list[Choice]:
    """Leave units undecided: those accepted before would go in with the rest of the proposal."""
    waiting = tuple(each.id for each in units if waits_to_go_in(each))
    return [Choice(Decision.UNDECIDED, units=waiting)] if waiting else []


def can_be_decided(view: ProposalView) -> bool:
    """Whether there is anything to decide: not where nothing is new, or all of it is applied."""
    is_through = view.summary.review is Review.ACCEPTED and all(
        unit.applied for unit in units_in(view)
    )
    decidable = view.summary.integration not in NOTHING_TO_DECIDE
    return bool(view.files) and decidable and not is_through
