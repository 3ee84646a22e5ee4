"""Files that a prompt names are those that the agent sees."""

from __future__ import annotations

import os
from pathlib import Path

from sennit.adapters.overlay.layers import Layers
from sennit.core.prompting import Attached
from sennit.server import prompts
from sennit_protocol.tasks import Attachment


def attached(layers: Layers, name: str) -> str:
    one = Attachment(uri=f"file:///repo/{name}")
    return prompts._file(one, b"/repo", layers.upper, layers).text


def test_a_file_of_the_lower_layer_is_attached_and_none_that_a_link_leads_out_to(
    tmp_path: Path,
) -> None:
    layers = Layers(tmp_path / "lower", tmp_path / "upper", tmp_path / "work", tmp_path / "lock")
    for each in (layers.lower, layers.upper):
        each.mkdir()
        (each / "both").write_text(f"of {each.name}\n")
    (layers.lower / "below").write_text("of below\n")
    (tmp_path / "secret").write_text("secret\n")
    (layers.lower / "out").symlink_to(tmp_path)
    assert attached(layers, "below") == "of below\n"
    assert attached(layers, "both") == "of upper\n"
    assert "not in the repository" in attached(layers, "out/secret")
    assert "cannot be read" in attached(layers, "nowhere")
    plain = Attachment(uri="file:///repo/both")
    assert prompts._file(plain, b"/repo", layers.lower, None).text == "of lower\n"


def part(folder: Path, first: int | None, last: int | None) -> Attached:
    one = Attachment(uri="file:///repo/a", start_line=first, end_line=last)
    return prompts._file(one, b"/repo", folder, None)


def test_lines_are_those_of_editors_however_far_down_they_are(tmp_path: Path) -> None:
    lines = [f"line {number}\f of \u2028 {'x' * 200}" for number in range(1, 9_001)]
    (tmp_path / "a").write_bytes("\r\n".join(lines).encode())
    assert part(tmp_path, 8_999, 8_999).text == lines[8_998]
    assert part(tmp_path, 9_000, None).text == lines[-1]
    assert part(tmp_path, None, 1).text == lines[0]
    assert part(tmp_path, 9_001, None).lost == "it has no such lines"


def test_what_is_no_file_is_told_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a")
    assert part(tmp_path, None, None).lost == "it cannot be read: is no regular file"
    (tmp_path / "a").unlink()
    (tmp_path / "a").mkdir()
    assert part(tmp_path, 1, 2).lost == "it cannot be read: is no regular file"
