from sennit.core.cut import cut, cut_block


def test_what_is_left_out_is_said() -> None:
    assert cut("abc", 3) == "abc"
    assert cut("abcde", 3) == "abc … (2 more characters)"


def test_of_several_lines_it_is_said_below() -> None:
    assert cut_block("a\nb", 3) == "a\nb"
    assert cut_block("a\nbcd", 3) == "a\nb\n(cut here: 2 more characters)"
