from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sennit.core.claims import Claim, Clash, Relation, clashes, overlaps, relation, scope_of

PATHS = st.lists(st.sampled_from([b"a", b"b", b"bc", b"\xff"]), max_size=4).map(
    lambda parts: b"/" + b"/".join(parts)
)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (b"/a/b", b"/a/b", Relation.EQUAL),
        (b"/a/b/", b"/a/b", Relation.EQUAL),
        (b"/a", b"/a/b", Relation.ANCESTOR),
        (b"/a/b", b"/a", Relation.DESCENDANT),
        (b"/", b"/a/b", Relation.ANCESTOR),
        (b"/a/b", b"/a/bc", None),
        (b"/a/b", b"/a/c", None),
    ],
)
def test_scopes_overlap_by_components(one: bytes, other: bytes, expected: Relation | None) -> None:
    assert relation(scope_of(one), scope_of(other)) is expected


@given(PATHS, PATHS)
def test_overlap_is_symmetric(one: bytes, other: bytes) -> None:
    assert overlaps(scope_of(one), scope_of(other)) == overlaps(scope_of(other), scope_of(one))


@given(PATHS)
def test_a_scope_overlaps_itself_and_the_root(path: bytes) -> None:
    assert overlaps(scope_of(path), scope_of(path))
    assert overlaps(scope_of(path), scope_of(b"/"))
    assert scope_of(scope_of(path).path) == scope_of(path)


@pytest.mark.parametrize("path", [b"a/b", b"", b"/a/../b", b"/a/./b"])
def test_what_is_no_real_path_is_a_bug(path: bytes) -> None:
    with pytest.raises(ValueError, match="absolute real path"):
        scope_of(path)


def test_every_claim_in_the_way_is_named() -> None:
    held = [Claim(scope_of(path), path.decode()) for path in (b"/a", b"/a/b/c", b"/z")]
    found = clashes([scope_of(b"/a/b")], held)
    assert found == (
        Clash(scope_of(b"/a/b"), held[0], Relation.DESCENDANT),
        Clash(scope_of(b"/a/b"), held[1], Relation.ANCESTOR),
    )
