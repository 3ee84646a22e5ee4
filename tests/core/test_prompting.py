from hypothesis import given
from hypothesis import strategies as st

from sennit.core.fences import WARNING, fenced
from sennit.core.prompting import MOST_ATTACHED, Attached, Situation, whole_prompt


def test_a_prompt_alone_stays_as_it_is() -> None:
    assert whole_prompt("do it") == "do it"
    assert whole_prompt("do it", situation=Situation()) == "do it"


def test_everything_has_its_place_around_the_prompt() -> None:
    text = whole_prompt(
        "do it",
        system_prompt="be kind",
        situation=Situation(modified=2, unsaved=1, left_out=3),
        attached=[Attached("The log", "boom")],
        output_schema='{"type": "object"}',
    )
    parts = ["be kind", "do it", "2 modified, 1 unsaved in the editor", WARNING, "boom", '{"type"']
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert "left out of the copy: 3" in text


def test_what_is_attached_is_cut_and_says_so() -> None:
    text = whole_prompt("do it", attached=[Attached("Big", "x" * (MOST_ATTACHED + 5))])
    assert "(cut here: 5 more characters)" in text


@given(st.text())
def test_nothing_inside_ends_its_fence(text: str) -> None:
    first, *_, last = fenced(text).split("\n")
    assert first == last
    assert set(first) == {"`"}
    assert first not in text
