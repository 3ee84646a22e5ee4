"""What tests of bases ask of a snapshot."""

from __future__ import annotations

from sennit.core.objects import LeftOutReason, Snapshot

FILE, EXECUTABLE, LINK, SUBMODULE = "100644", "100755", "120000", "160000"


def reasons(snapshot: Snapshot) -> dict[bytes, LeftOutReason]:
    return {left.path: left.reason for left in snapshot.manifest.left_out}
