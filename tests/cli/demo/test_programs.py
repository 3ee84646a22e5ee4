from __future__ import annotations

from pathlib import Path

from sennit.cli.demo.programs import add_exports, drop_unused_imports, rename_name


def test_a_rename_changes_names_and_leaves_text_and_comments(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text('def old(x): return "old"  # old\nolder = old(old(1))\n')
    assert rename_name.main(["old", "new", str(tmp_path)]) == 0
    assert file.read_text() == 'def new(x): return "old"  # old\nolder = new(new(1))\n'


def test_a_rename_that_finds_nothing_fails(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    assert rename_name.main(["old", "new", str(tmp_path)]) == 1


def test_exports_are_the_public_classes_and_functions(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("class B: ...\ndef a(): ...\ndef _c(): ...\n")
    assert add_exports.main([str(file)]) == 0
    assert file.read_text().endswith('\n__all__ = [\n    "B",\n    "a",\n]\n')


def test_unused_imports_go_and_used_ones_stay(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("import os\nimport sys\nfrom a import (\n    b,\n    c as d,\n)\nsys.exit()\n")
    assert drop_unused_imports.main([str(file)]) == 0
    assert file.read_text() == "import sys\nsys.exit()\n"
