"""How a prompt gets to a program: the final argument list and the file for standard input."""

from pathlib import Path

from attrs import frozen

from sennit.adapters.runs.folder import RunFolder
from sennit.adapters.runs.values import RunSpec
from sennit.core.agents import PromptAs


@frozen
class Invocation:
    """Final argument list, and the file that is standard input (None: empty)."""

    argv: tuple[str, ...]
    input_file: Path | None


def invocation(spec: RunSpec, folder: RunFolder) -> Invocation:
    """Put prompt or prompt file where `spec` wants them."""
    if spec.talks:
        return Invocation(spec.argv, folder.stdin)
    match spec.prompt_as:
        case PromptAs.ARGUMENT:
            return Invocation(_placed(spec.argv, "{prompt}", spec.prompt), None)
        case PromptAs.FILE:
            return Invocation(_placed(spec.argv, "{prompt_file}", str(folder.prompt)), None)
        case PromptAs.STDIN:
            return Invocation(spec.argv, folder.prompt)
        case PromptAs.NONE:
            return Invocation(spec.argv, None)


def _placed(argv: tuple[str, ...], slot: str, value: str) -> tuple[str, ...]:
    """Fill every slot at once, so that a prompt that names a slot stays as it is."""
    if any(slot in each for each in argv):
        return tuple(each.replace(slot, value) for each in argv)
    return (*argv, value)
