"""The benchmark: what Holdfast costs beside bare loops on the same machine, in the same run.

Prints, never asserts. `python -m bench --help` lists the rows; `docs/benchmarks.md` explains them.
"""
