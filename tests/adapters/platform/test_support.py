from pathlib import Path

from sennit.adapters.platform.support import Supported, Unsupported, process_control


def test_this_machine_can_own_processes() -> None:
    assert isinstance(process_control(), Supported)


def test_another_system_is_told_what_to_do() -> None:
    answer = process_control(system="darwin")
    assert isinstance(answer, Unsupported)
    assert "Linux" in answer.why
    assert "darwin" in answer.why


def test_a_missing_process_file_system_is_told(tmp_path: Path) -> None:
    answer = process_control(system="linux", proc=str(tmp_path))
    assert isinstance(answer, Unsupported)
    assert "mount" in answer.why


def test_the_process_file_system_of_another_namespace_is_told(tmp_path: Path) -> None:
    (tmp_path / "1").mkdir()
    (tmp_path / "1/stat").write_text("1 (init) S 0")
    (tmp_path / "self").symlink_to("1")
    answer = process_control(system="linux", proc=str(tmp_path))
    assert isinstance(answer, Unsupported)
    assert "--mount-proc" in answer.why
