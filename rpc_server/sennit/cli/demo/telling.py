"""Tells what happens in the demonstration."""

from __future__ import annotations

import difflib
import io
from collections.abc import Sequence

from rich.console import Console, RenderableType
from rich.text import Text

from sennit.cli.applying import application_lines
from sennit.cli.board import Board
from sennit.cli.demo.proof import Proof
from sennit.cli.demo.scenario import SHARED_FILE, UNSAVED_LINE, Fixer
from sennit.cli.demo.stage import Stage
from sennit.cli.diffs import Bases, proposal_lines
from sennit.cli.manifest import manifest_lines
from sennit.cli.safe_text import safe_code
from sennit.cli.terminal import Terminal
from sennit.core.counted import counted
from sennit_protocol.applications import ApplicationView
from sennit_protocol.proposals import ProposalView
from sennit_protocol.views import TicketView

_WIDTH = 100
_LINES_OF_PROPOSAL = 20
_STYLES = {"+": "green", "-": "red", "@": "magenta"}


class Teller:
    """Writes to the terminal and remembers it for a picture; ``silent`` only remembers."""

    def __init__(self, terminal: Terminal, *, silent: bool) -> None:
        """Tell on ``terminal``."""
        width = min(terminal.out.width, _WIDTH)
        self.console = Console(
            file=io.StringIO() if silent else None,
            width=width,
            markup=False,
            highlight=False,
            emoji=False,
            record=True,
        )

    def stage(self, stage: Stage, fixer: Fixer) -> None:
        """Say where it happens."""
        self._head(f"{stage.source}, with work of a user in it")
        self._say(f"It is in {stage.folder}; your own files are only read.")
        self._say(f"{SHARED_FILE} is open in an editor with a line that is not saved.")
        if fixer.note is not None:
            self._say(Text(fixer.note, style="yellow"))

    def run(self, ticket: TicketView, board: Board) -> None:
        """Show the tasks as they ended."""
        self._head("Five tasks at once, each by a program in a workspace of its own")
        for manifest in ticket.bases:
            self._say(*manifest_lines(manifest))
        self._say(board.table())

    def proposals(self, views: Sequence[ProposalView], bases: Bases) -> None:
        """Show what came back, merged with one another and with the unsaved text."""
        self._head("What they propose, merged")
        for view in views:
            lines = list(proposal_lines(view, bases))
            self._say(*lines[:_LINES_OF_PROPOSAL])
            if len(lines) > _LINES_OF_PROPOSAL:
                rest = counted(len(lines) - _LINES_OF_PROPOSAL, "more line")
                self._say(Text(f"… and {rest}", style="dim"))
            self._say("")

    def applied(self, applications: Sequence[ApplicationView]) -> None:
        """Show what was applied, or taken back."""
        undone = any(each.undoes for each in applications)
        head = "Taken back" if undone else "Accepted what fits: in the editor, and on disk"
        self._head(head)
        for application in applications:
            self._say(*application_lines(application))

    def buffer(self, before: str, after: str) -> None:
        """Show how the unsaved text changed."""
        self._say(Text("The unsaved text, before and after:", style="bold"))
        lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=1, lineterm="")
        for line in list(lines)[2:]:
            self._say(Text(safe_code(line), style=_STYLES.get(line[0], "dim")))
        if UNSAVED_LINE in after:
            self._say("The line that the user typed meanwhile is still in it, and still unsaved.")

    def verdict(self, proofs: Sequence[Proof], seconds: float) -> None:
        """Show what was proved, and how long it all took."""
        self._head("Proof")
        for proof in proofs:
            mark, style = ("✓", "green") if proof.holds else ("✗", "bold red")
            line = Text(f"{mark} {proof.claim}", style=style)
            self._say(line.append(f"  ({proof.detail})", style="not bold dim"))
        held = sum(1 for each in proofs if each.holds)
        self._say(Text(f"{held} of {len(proofs)} claims hold; {seconds:.1f} s in all."))

    def _head(self, text: str) -> None:
        self.console.print()
        self.console.rule(Text(text, style="bold"), align="left", style="dim")

    def _say(self, *parts: RenderableType) -> None:
        for part in parts:
            self.console.print(part)
