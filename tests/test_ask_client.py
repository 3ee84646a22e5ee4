import json
import os
import threading
import time
from pathlib import Path

import pytest

from sennit import ask_client
from sennit.adapters.platform.locks import is_locked


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "questions").mkdir()
    (tmp_path / "answers").mkdir()
    monkeypatch.setenv("SENNIT_RUN_DIR", str(tmp_path))
    return tmp_path


def replier(place: Path, reply: bytes) -> threading.Thread:
    def run() -> None:
        deadline = time.monotonic() + 20
        while not (found := list((place / "questions").glob("*.json"))):
            assert time.monotonic() < deadline
            time.sleep(0.005)
        descriptor = os.open(found[0], os.O_RDONLY)
        assert is_locked(descriptor)
        os.close(descriptor)
        hidden = place / "answers" / "reply"
        hidden.write_bytes(reply)
        hidden.rename(place / "answers" / found[0].name)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_the_answer_is_printed(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    thread = replier(place, json.dumps({"state": "answered", "text": "b 😀"}).encode())
    assert ask_client.main(["Which?", "--option", "a", "--option", "b"]) == 0
    thread.join()
    assert capsys.readouterr().out == "b 😀\n"
    assert list((place / "questions").iterdir()) == []


@pytest.mark.parametrize("reply", [b'{"state": "withdrawn"}', b"[]", b'{"state": "answered"}'])
def test_no_answer_is_3(place: Path, reply: bytes) -> None:
    thread = replier(place, reply)
    assert ask_client.main(["Which?", "--deadline", "20"]) == 3
    thread.join()


def test_the_deadline_is_3(place: Path) -> None:
    assert ask_client.main(["Which?", "--deadline", "0"]) == 3
    assert list((place / "questions").iterdir()) == []


def test_outside_a_run_is_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("SENNIT_RUN_DIR", raising=False)
    assert ask_client.main(["Which?"]) == 2
    assert "only inside a program that Sennit runs" in capsys.readouterr().err
