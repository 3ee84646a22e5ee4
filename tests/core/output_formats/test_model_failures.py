from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sennit.core.output_formats.model_failures import model_failure, reset_time, telling_line
from sennit_protocol.states import FailureKind

NOT_SIGNED_IN, RATE_LIMITED, OTHER = (
    FailureKind.NOT_SIGNED_IN, FailureKind.RATE_LIMITED, FailureKind.MODEL_ERROR,
)  # fmt: skip


@pytest.mark.parametrize(
    ("message", "status", "kind"),
    [
        ("Invalid API key · Please run /login", None, NOT_SIGNED_IN),
        ("unexpected status 401 Unauthorized: no", None, NOT_SIGNED_IN),
        ('API Error: 401 {"type":"error"}', None, NOT_SIGNED_IN),
        ("401 Incorrect API key provided", None, NOT_SIGNED_IN),
        ("litellm.AuthenticationError: x", None, NOT_SIGNED_IN),
        ("Authentication required", None, NOT_SIGNED_IN),
        ("You are not logged in", None, NOT_SIGNED_IN),
        ("OAuth token has expired", None, NOT_SIGNED_IN),
        ("anything", 401, NOT_SIGNED_IN),
        ("anything", 429, RATE_LIMITED),
        ("429 Too Many Requests", None, RATE_LIMITED),
        ("Claude AI usage limit reached|1767225600", None, RATE_LIMITED),
        ("You exceeded your current quota, please check your plan", None, RATE_LIMITED),
        ("RESOURCE_EXHAUSTED", None, RATE_LIMITED),
        ("Overloaded", 529, OTHER),
        ("The model `x` does not exist", 404, OTHER),
        ("", None, OTHER),
        ("there are 1401 files", None, OTHER),
    ],
)
def test_refusals_of_providers_are_sorted(
    message: str, status: int | None, kind: FailureKind
) -> None:
    failed = model_failure(message, status)
    assert (failed.kind, failed.text) == (kind, message.strip())


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Claude AI usage limit reached|1767225600", 1_767_225_600_000),
        ("limit reached|1767225600000", 1_767_225_600_000),
        ("Rate limited; resets at 2026-01-01T00:00:00Z.", 1_767_225_600_000),
        ("try again at 2026-01-01 01:00:00+01:00", 1_767_225_600_000),
        ("resets at 2026-13-01T00:00:00Z", None),
        ("try again in 20s", None),
        ("limit 1767225600", None),
    ],
)
def test_the_end_of_a_limit_is_read_where_it_is_told(message: str, expected: int | None) -> None:
    assert reset_time(message) == expected
    assert model_failure(message, 429).resets_at == expected


def test_the_last_telling_line_of_an_output_counts() -> None:
    found = telling_line(["error: rate limit", 'x "code": 401', "401 passed", "bye"])
    assert found is not None
    assert (found.kind, found.text) == (NOT_SIGNED_IN, 'x "code": 401')
    assert telling_line(["401 passed", "see line 429"]) is None


@given(st.text())
def test_any_message_is_sorted(message: str) -> None:
    assert model_failure(message).kind in {NOT_SIGNED_IN, RATE_LIMITED, OTHER}


def test_long_messages_are_cut_and_take_no_time() -> None:
    failed = model_failure("please " * 200_000)
    assert len(failed.text) <= 1_000
