"""Flags: why a unit of a revision is shown but not preselected.

| flag | on which units |
|---|---|
| `outsideWrites` | all of a file whose path, or old path, no glob of `writes` names |
| `deletion` | the deletion of a file that the agent's activity never mentions |
| `modeChange` | a change of git's mode, or of what the path is (file, link, submodule) |
| `newExecutable` | whatever makes a path executable that was not |
| `linkOutOfTree` | a link whose target leaves the tree, or cannot be proved to stay in it |
| `veryLarge` | all of a file that is larger than the limit afterwards and was not before |
| `sensitive`, `generated` | all of a file that the globs of the settings name |
| `unportableName` | a new name that another system cannot hold, or that collides with one |

`uncertain` comes from reconciliation. `generated` alone leaves a unit preselected: it is folded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping

from attrs import field, frozen

from sennit.core.globs import NO_GLOBS, Globs
from sennit.core.objects import MODE_EXECUTABLE, MODE_LINK
from sennit.core.portability import unportable_name
from sennit.core.units import Unit, parents
from sennit_protocol.proposals import UnitKind
from sennit_protocol.states import UnitFlag

LARGE_BYTES = 5 * 1024 * 1024


@frozen
class FlagRules:
    """What counts as unusual: globs of the task and of the settings, and a size in bytes.

    ``writes`` is None for a task that named none: then no path lies outside.
    """

    writes: Globs | None = None
    sensitive: Globs = NO_GLOBS
    generated: Globs = NO_GLOBS
    large_bytes: int = LARGE_BYTES


@frozen
class RevisionFacts:
    """What has to be looked up about a revision.

    ``sizes``: bytes of the blobs, by object id. ``link_targets``: contents of the links, by object
    id. ``colliding``: paths of the revision's tree that collide (`colliding_names`). ``activity``:
    what the agent said and did, as far as it is known: its output, commands and tool events.
    """

    sizes: Mapping[str, int] = field(factory=dict)
    link_targets: Mapping[str, bytes] = field(factory=dict)
    colliding: Collection[bytes] = frozenset()
    activity: bytes = b""


def flags_of(unit: Unit, rules: FlagRules, facts: RevisionFacts) -> tuple[UnitFlag, ...]:
    """Tell every flag of a unit, in the order of the table above."""
    return tuple(flag for flag, holds in _CHECKS if holds(unit, rules, facts))


def is_preselected(flags: Iterable[UnitFlag]) -> bool:
    """Tell whether a review may tick the unit before anyone has looked at it."""
    return not set(flags) - {UnitFlag.GENERATED}


def leaves_tree(link: bytes, target: bytes) -> bool:
    """Tell whether a link at that path leads out of the tree, as far as names can tell.

    `..` is believed only at the start of a target: after a name, that name may be a link itself.
    The git directory counts as outside.
    """
    components = [part for part in target.split(b"/") if part not in {b"", b"."}]
    ups = 0
    while ups < len(components) and components[ups] == b"..":
        ups += 1
    down = components[ups:]
    out = target.startswith(b"/") or ups > link.count(b"/")
    return out or b".." in down or any(part.lower() == b".git" for part in down)


def mentions(activity: bytes, path: bytes) -> bool:
    """Tell whether a text names the file: by its path, its last component, or a folder above it.

    A folder counts only when written with a slash at its end; longer names that merely hold this
    one do not count.
    """
    last = path.rsplit(b"/", 1)[-1]
    names = [
        re.escape(path),
        re.escape(last),
        *(re.escape(above) + b"/" for above in parents(path)),
    ]
    return re.search(_BEFORE + b"(?:" + b"|".join(names) + b")" + _AFTER, activity) is not None


_BEFORE = rb"(?:(?<![\w./-])|(?<=[^\w.]\./))"
_AFTER = rb"(?![\w/-]|\.\w)"

_Check = Callable[[Unit, FlagRules, RevisionFacts], bool]


def _outside_writes(unit: Unit, rules: FlagRules, _facts: RevisionFacts) -> bool:
    writes = rules.writes
    return writes is not None and not all(
        writes.matches(path) for path in (unit.path, unit.old_path)
    )


def _unmentioned_deletion(unit: Unit, _rules: FlagRules, facts: RevisionFacts) -> bool:
    return unit.kind is UnitKind.DELETE and not mentions(facts.activity, unit.path)


def _changes_mode(unit: Unit, _rules: FlagRules, _facts: RevisionFacts) -> bool:
    return unit.kind in {UnitKind.MODE, UnitKind.TYPE}


def _makes_executable(unit: Unit, _rules: FlagRules, _facts: RevisionFacts) -> bool:
    if unit.kind not in {UnitKind.CREATE, UnitKind.MODE, UnitKind.TYPE}:
        return False
    was = unit.before is not None and unit.before.mode == MODE_EXECUTABLE
    return unit.after is not None and unit.after.mode == MODE_EXECUTABLE and not was


def _links_out(unit: Unit, _rules: FlagRules, facts: RevisionFacts) -> bool:
    if unit.after is None or unit.after.mode != MODE_LINK or unit.kind is UnitKind.DELETE:
        return False
    target = facts.link_targets.get(unit.after.id)
    return target is None or leaves_tree(unit.path, target)


def _very_large(unit: Unit, rules: FlagRules, facts: RevisionFacts) -> bool:
    before = facts.sizes.get(unit.before.id, 0) if unit.before else 0
    after = facts.sizes.get(unit.after.id, 0) if unit.after else 0
    return after > rules.large_bytes >= before


def _sensitive(unit: Unit, rules: FlagRules, _facts: RevisionFacts) -> bool:
    return any(rules.sensitive.matches(path) for path in (unit.path, unit.old_path))


def _generated(unit: Unit, rules: FlagRules, _facts: RevisionFacts) -> bool:
    return rules.generated.matches(unit.path)


def _unportable(unit: Unit, _rules: FlagRules, facts: RevisionFacts) -> bool:
    if unit.kind not in {UnitKind.CREATE, UnitKind.RENAME}:
        return False
    return unit.path in facts.colliding or unportable_name(unit.path) is not None


_CHECKS: tuple[tuple[UnitFlag, _Check], ...] = (
    (UnitFlag.OUTSIDE_WRITES, _outside_writes),
    (UnitFlag.DELETION, _unmentioned_deletion),
    (UnitFlag.MODE_CHANGE, _changes_mode),
    (UnitFlag.NEW_EXECUTABLE, _makes_executable),
    (UnitFlag.LINK_OUT_OF_TREE, _links_out),
    (UnitFlag.VERY_LARGE, _very_large),
    (UnitFlag.SENSITIVE, _sensitive),
    (UnitFlag.GENERATED, _generated),
    (UnitFlag.UNPORTABLE_NAME, _unportable),
)
