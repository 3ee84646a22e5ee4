"""What each value of an enum means: the text below its member."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from enum import Enum
from itertools import pairwise


def meanings_of(cls: type[Enum]) -> Mapping[str, str]:
    """Give what the values of an enum mean, in their order; one that says nothing means ``""``.

    Python keeps no docstrings of members, so they are read from the source of the class.
    """
    told = dict(_told(cls))
    return {str(member.value): told.get(member.name, "") for member in cls}


def _told(cls: type[Enum]) -> Iterator[tuple[str, str]]:
    [written] = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
    if not isinstance(written, ast.ClassDef):
        raise TypeError(f"{cls.__name__} is not written as a class")
    for member, text in pairwise(written.body):
        match member, text:
            case (
                ast.Assign(targets=[ast.Name(id=name)]),
                ast.Expr(value=ast.Constant(value=str(meaning))),
            ):
                yield name, " ".join(meaning.split())
            case _:
                continue
