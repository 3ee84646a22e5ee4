from sennit.core.cut import cut


def test_what_is_left_out_is_said() -> None:
    assert cut("abc", 3) == "abc"
    assert cut("abcde", 3) == "abc … (2 more characters)"
