from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sennit.core.handoff import MOST_CHARACTERS, MOST_FILES, HandedOff, with_hand_offs

texts = st.text(alphabet=st.sampled_from("`ab\n ") | st.characters(exclude_categories=["Cs"]))


def test_a_prompt_without_prerequisites_stays_as_it_is() -> None:
    assert with_hand_offs("do it", ()) == "do it"


def test_state_files_and_the_end_of_the_output_are_told() -> None:
    told = with_hand_offs(
        "do it", [HandedOff("one", "completed", ("a.txt", "b.txt"), "x" * 9000 + "end\n")]
    )
    assert told.startswith("do it\n\n")
    for words in ("The task one:", "state: completed", "  a.txt\n  b.txt", "end\n````", "data"):
        assert words in told
    assert "the end of its output:" in told
    assert len(told) < 5000


def test_many_files_are_counted() -> None:
    files = tuple(f"f{n}" for n in range(MOST_FILES + 7))
    told = with_hand_offs("p", [HandedOff("one", "completed", files)])
    assert f"f{MOST_FILES}\n" not in told
    assert "and 7 more" in told


@given(output=texts, files=st.lists(texts, max_size=3))
def test_nothing_a_program_wrote_can_end_the_fence(output: str, files: list[str]) -> None:
    told = with_hand_offs("p", [HandedOff("one", "completed", tuple(files), output)])
    lines = told.split("The task one:\n", 1)[1].split("\n")
    fence = lines[0]
    assert set(fence) == {"`"}
    assert lines.count(fence) == 2
    assert told.endswith(f"\n{fence}\n")


@given(count=st.integers(1, 40))
def test_all_hand_offs_together_are_bounded(count: int) -> None:
    many = [HandedOff(f"t{n}", "completed", (), "y" * 100_000) for n in range(count)]
    assert len(with_hand_offs("p", many)) < MOST_CHARACTERS + 1000 + 100 * count
