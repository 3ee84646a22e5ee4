"""What is known of a run afterwards, read from its folder."""

from pathlib import Path

from sennit.adapters.runs.folder import RunFolder, read_json, size
from sennit.adapters.runs.outcome import read_outcome
from sennit.adapters.runs.sandbox import read_how, read_sandbox
from sennit.adapters.runs.values import RunRecord


def read_record(folder: RunFolder) -> RunRecord | None:
    """Return the record of a run, or None when nothing was ever written of it; blocks shortly."""
    spec = read_json(folder.spec)
    if spec is None:
        return None
    return RunRecord(
        run_id=folder.path.name,
        argv=tuple(spec["argv"]),
        folder=Path(spec["folder"]),
        variables=tuple(spec["variables"]),
        prompt=folder.prompt.read_bytes().decode("utf-8", "surrogateescape"),
        stdout_bytes=size(folder.stdout),
        stderr_bytes=size(folder.stderr),
        created_at=spec["created_ms"],
        outcome=read_outcome(folder),
        sandbox=read_sandbox(spec.get("sandbox")),
        workspace=read_how(spec.get("workspace")),
    )
