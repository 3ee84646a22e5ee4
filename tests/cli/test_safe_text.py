from __future__ import annotations

import pytest

from sennit.cli.safe_text import path_of_uri, safe_code, safe_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("größe 😀 👨\u200d👩", "größe 😀 👨\u200d👩"),
        ("two\nlines\tand\r", "two\\nlines\\tand\\r"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\x9b31m", "\\x9b31m"),
        ("evil\u202etxt.exe", "evil\\u202etxt.exe"),
        ("a\u2028b", "a\\u2028b"),
        (b"caf\xe9".decode(errors="surrogateescape"), "caf\\xe9"),
        ("\x00", "\\x00"),
    ],
)
def test_nothing_reaches_the_terminal_that_could_act_on_it(text: str, shown: str) -> None:
    assert safe_line(text) == shown


def test_source_text_keeps_its_tabs() -> None:
    assert safe_code("\tif x:\x07") == "\tif x:\\x07"


def test_a_uri_gives_the_bytes_of_its_path() -> None:
    assert path_of_uri("file:///tmp/a%20b%FF%0A") == b"/tmp/a b\xff\n"
