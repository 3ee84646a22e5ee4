from __future__ import annotations

import re

import pytest

from sennit.core.globs import compiled_globs
from sennit.core.named_limits import LimitOf
from sennit.settings.decided import default_settings
from sennit.settings.keys import LATER, NAME, NOT_SETTINGS, TABLE, Key, Source
from sennit.settings.kinds import Wrong
from sennit.settings.layers import read_variables
from sennit.settings.review_globs import GENERATED, SENSITIVE


@pytest.mark.parametrize("key", TABLE, ids=lambda key: key.name)
def test_every_default_is_a_value_that_could_be_set(key: Key) -> None:
    if key.default is not None:
        read = key.kind.read(key.default)
        assert not isinstance(read, Wrong)
        assert read == key.default


@pytest.mark.parametrize("key", TABLE, ids=lambda key: key.name)
def test_every_duration_names_its_unit_and_every_key_is_described(key: Key) -> None:
    assert key.name.endswith("Ms") == (key.unit == "ms")
    assert key.description.endswith(".")
    assert re.fullmatch(r"[a-z]+(\.(NAME|[a-z][A-Za-z]*))*", key.name)


def test_names_and_variables_are_unique_and_no_later_key_is_there_already() -> None:
    names = [key.name for key in TABLE]
    assert len(set(names)) == len(names)
    variables = [key.variable for key in TABLE]
    assert len(set(variables)) == len(variables)
    assert not NOT_SETTINGS & set(variables)
    for later in LATER:
        assert not [name for name in names if f"{name}.".startswith(f"{later.name}.")]


def test_whatever_starts_programs_needs_trust_from_a_repository() -> None:
    for key in TABLE:
        if key.starts_programs and Source.REPOSITORY in key.set_by:
            assert key.repository_needs_trust, key.name


def test_every_key_ends_up_in_the_settings() -> None:
    settings = default_settings()
    assert {given.name for given in settings.given} == {
        key.name for key in TABLE if NAME not in key.name
    }


def test_the_globs_of_the_defaults_can_be_compiled() -> None:
    for patterns in (SENSITIVE, GENERATED):
        assert not isinstance(compiled_globs(patterns), tuple)


def test_a_limit_of_each_kind_has_a_key_without_a_variable() -> None:
    keys = {key.name: key for key in TABLE}
    for of in LimitOf:
        assert keys[f"limits.{of}.NAME"].set_by == {Source.USER, Source.CLIENT}


def test_each_variable_sets_its_key() -> None:
    assert [key.variable for key in TABLE[:3]] == [
        "SENNIT_LIMITS_TASKS",
        "SENNIT_LIMITS_TICKETS",
        "SENNIT_LIMITS_TASKS_PER_CALL",
    ]
    (given,) = read_variables({"SENNIT_LIMITS_TASKS_PER_CALL": "9"}).given
    assert (given.name, given.value) == ("limits.tasksPerCall", 9)
