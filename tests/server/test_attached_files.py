"""Files that a prompt names are those that the agent sees."""

from __future__ import annotations

from pathlib import Path

from sennit.adapters.overlay.layers import Layers
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
