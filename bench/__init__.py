"""The benchmark: what Holdfast costs beside bare loops on the same machine, in the same run.

Prints, never asserts. `python -m bench --help` lists the rows; `docs/benchmarks.md` explains them.
"""

import os

# A bare scan with NumPy would be shared out among threads, which wait and spin where a core is busy: the peer would
# look slower than it is. Set before anything loads NumPy.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
