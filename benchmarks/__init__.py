"""Figures against a reference that is measured in the same run: `python -m benchmarks`."""
