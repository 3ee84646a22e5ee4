"""What is known of a run afterwards, read from its folder."""

from pathlib import Path

from sennit.adapters.runs.folder import RunFolder, read_json, read_start, size
from sennit.adapters.runs.outcome import read_outcome
from sennit.adapters.runs.sandbox import read_how, read_sandbox
from sennit.adapters.runs.values import RunRecord
from sennit.adapters.small_files import MOST_BYTES


def read_record(folder: RunFolder) -> RunRecord | None:
    """Return the record of a run, or None when nothing was ever written of it; blocks shortly.

    None also where an agent without a sandbox has destroyed it.
    """
    spec = read_json(folder.spec) or {}
    match spec:
        case {
            "argv": [*argv],
            "folder": str(where),
            "variables": [*variables],
            "created_ms": int(created),
        }:
            pass
        case _:
            return None
    return RunRecord(
        run_id=folder.path.name,
        argv=tuple(map(str, argv)),
        folder=Path(where),
        variables=tuple(map(str, variables)),
        prompt=read_start(folder.prompt, MOST_BYTES).decode("utf-8", "surrogateescape"),
        stdout_bytes=size(folder.stdout),
        stderr_bytes=size(folder.stderr),
        created_at=created,
        outcome=read_outcome(folder),
        sandbox=read_sandbox(spec.get("sandbox")),
        workspace=read_how(spec.get("workspace")),
    )
