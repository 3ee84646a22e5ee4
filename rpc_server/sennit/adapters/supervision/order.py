"""What the shim is told: one file of NUL-separated fields, because reading JSON costs 8 ms."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Final

NUMBERS: Final = (
    "owner_pid",
    "polite_signal",
    "cancel_ms",
    "close_ms",
    "term_ms",
    "sweep_ms",
    "output_limit",
    "since",
    "sweep_folder",
    "talks",
    "sandbox",
)


class Order:
    """How to run one agent.

    `run_id`: names the run and its marker. `run_folder`: where records and output go. `folder`:
    where the agent works. `input_file`: read as standard input (b"/dev/null" for none). `argv`:
    program and arguments. `owner_pid`: the server; when it ends, so does the run.
    `polite_signal`: first rung of the stop ladder, 0 for none. `cancel_ms`, `close_ms`,
    `term_ms`, `sweep_ms`: how long each rung waits. `output_limit`: bytes kept of each stream.
    `since`: start time (ticks) before which nothing of the run existed. `sweep_folder`: 1 when
    whoever works inside `folder` belongs to the run. `talks`: 1 when `input_file` is a named pipe
    that the server speaks into for as long as the agent lives. `sandbox`: how many of the first
    elements of `argv` make the sandbox that the rest is run in, 0 for none.
    """

    __slots__ = ("argv", "folder", "input_file", "numbers", "run_folder", "run_id")

    def __init__(
        self,
        run_id: str,
        paths: tuple[bytes, bytes, bytes],
        argv: Sequence[bytes],
        numbers: Mapping[str, int],
    ) -> None:
        self.run_id: Final = run_id
        self.run_folder: Final = paths[0]
        self.folder: Final = paths[1]
        self.input_file: Final = paths[2]
        self.argv: Final = tuple(argv)
        self.numbers: Final = {name: numbers[name] for name in NUMBERS}

    def __getitem__(self, name: str) -> int:
        return self.numbers[name]


def marker(run_id: str) -> bytes:
    """Return the environment entry that names the run of a process."""
    return b"SENNIT_RUN=" + run_id.encode("ascii")


def place(run_folder: bytes) -> bytes:
    """Return the environment entry that says where a process may ask; no other run has it."""
    return b"SENNIT_RUN_DIR=" + run_folder + b"/exchange"


def encode(order: Order) -> bytes:
    """Return the bytes of an order file; no field may contain a NUL (no path or argument can)."""
    numbers = [str(order[name]).encode("ascii") for name in NUMBERS]
    paths = [order.run_folder, order.folder, order.input_file]
    return b"\0".join([order.run_id.encode("ascii"), *paths, *numbers, *order.argv])


def decode(data: bytes) -> Order:
    """Return the order in the bytes of an order file."""
    run_id, run_folder, folder, input_file, *rest = data.split(b"\0")
    numbers = dict(zip(NUMBERS, map(int, rest[: len(NUMBERS)]), strict=True))
    paths = (run_folder, folder, input_file)
    return Order(run_id.decode("ascii"), paths, rest[len(NUMBERS) :], numbers)
