from __future__ import annotations

import io

from rich.console import Console
from rich.text import Text

from sennit.cli.prose import Prose
from sennit.cli.terminal import Terminal

SENTENCE = "    german and spelling change hello.py in ways that do not go together"


def shown(part: Text, *, on_terminal: bool) -> list[str]:
    out = Console(file=io.StringIO(), width=40, force_terminal=on_terminal, color_system=None)
    Terminal(out, out, interactive=False).show(part)
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue().splitlines()


def test_a_sentence_is_broken_between_words_and_what_follows_stands_further_in() -> None:
    assert shown(Prose(SENTENCE), on_terminal=True) == [
        "    german and spelling change",
        "      hello.py in ways that do not go",
        "      together",
    ]


def test_a_note_is_broken_like_a_result_and_a_command_in_it_is_left_whole() -> None:
    err = Console(file=io.StringIO(), width=40, force_terminal=True, color_system=None)
    terminal = Terminal(err, err, interactive=False)
    terminal.note(Prose(SENTENCE))
    terminal.note("All that is accepted is applied. To take it back: sennit undo t_aaaaaaaaaa")
    assert isinstance(err.file, io.StringIO)
    lines = err.file.getvalue().splitlines()
    assert len(lines) == 4
    assert lines[-1].endswith("sennit undo t_aaaaaaaaaa")


def test_a_sentence_stays_one_line_where_there_is_no_terminal() -> None:
    assert shown(Prose(SENTENCE), on_terminal=False) == [SENTENCE]


def test_other_lines_are_left_to_the_terminal() -> None:
    line = "+" + "x y " * 20
    assert "".join(shown(Text(line), on_terminal=True)).rstrip() == line.rstrip()
    assert len(shown(Text(line), on_terminal=True)) == 1


def test_a_word_longer_than_a_line_is_broken_and_nothing_is_lost() -> None:
    lines = shown(Prose("  note: " + "x" * 90), on_terminal=True)
    assert all(len(line) <= 40 for line in lines)
    assert "".join(line.strip() for line in lines) == "note:" + "x" * 90


def test_styles_survive() -> None:
    line = Prose("  a.txt: ")
    line.append_text(Text("failed", style="red")).append(": " + "why " * 20)
    folded = line.folded(Console(width=40))
    assert any(span.style == "red" for span in folded.spans)
