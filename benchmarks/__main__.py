"""Runs every benchmark of this folder and prints one table, or JSON with ``--json``.

A benchmark is a module with ``measure() -> Ratio``, or a tuple of them. Ends with 1 if a figure
misses its target.
"""

from __future__ import annotations

import argparse
import importlib
import json
import pkgutil
import sys
from collections.abc import Iterator

import attrs
from rich.console import Console

import benchmarks
from benchmarks.ratio import Ratio, table_of


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("names", nargs="*", help="modules to run; all of them if none is named")
    chosen = parser.parse_args()
    figures = [figure for name in _modules(chosen.names) for figure in _measure(name)]
    if chosen.json:
        print(json.dumps([{**attrs.asdict(each), "met": each.met} for each in figures], indent=2))
    else:
        Console().print(table_of(figures))
    return 0 if all(figure.met for figure in figures) else 1


def _modules(wanted: list[str]) -> Iterator[str]:
    found = sorted(module.name for module in pkgutil.iter_modules(benchmarks.__path__))
    for name in wanted or found:
        if name not in found:
            raise SystemExit(f"There is no benchmark {name}; there are {', '.join(found)}.")
        if name not in {"__main__", "ratio"}:
            yield name


def _measure(name: str) -> tuple[Ratio, ...]:
    module = importlib.import_module(f"benchmarks.{name}")
    if not hasattr(module, "measure"):
        return ()
    print(f"{name} …", file=sys.stderr)
    measured = module.measure()
    return (measured,) if isinstance(measured, Ratio) else tuple(measured)


if __name__ == "__main__":
    sys.exit(main())
