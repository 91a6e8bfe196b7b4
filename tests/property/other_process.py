"""A second process on the same home: opens it, does what it is told over a pipe, and says what came of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


class OtherProcess:
    """The test's end: `call` runs a verb of the facade over there."""

    def __init__(self):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )

    def call(self, home, now, verb, *arguments, **named):
        order = {"home": home, "now": now, "verb": verb, "arguments": arguments, "named": named}
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        if "error" in answer:
            import holdfast

            raise getattr(holdfast, answer["error"])(answer["message"])
        return answer["result"]

    def close(self):
        self._process.stdin.close()
        self._process.wait(timeout=60)
        self._process.stdout.close()


def serve():
    """Keep the last home open, so that this process, too, has caches that can be wrong."""
    import holdfast
    from holdfast.testing import FixedClock

    clock, memory, home = FixedClock(), None, None
    for line in sys.stdin:
        order = json.loads(line)
        if order["home"] != home:
            if memory is not None:
                memory.close()
            memory, home = holdfast.open(order["home"], user="ana", clock=clock, settings=SETTINGS), order["home"]
        clock.advance(order["now"] - clock.now())
        try:
            found = getattr(memory, order["verb"])(*order["arguments"], **order["named"])
            answer = {"result": plain(found)}
        except holdfast.HoldfastError as error:
            answer = {"error": type(error).__name__, "message": error.message}
        print(json.dumps(answer), flush=True)


SETTINGS = {"recall.vectors": False}


def plain(found):
    if isinstance(found, list):
        return [plain(item) for item in found]
    return found.to_dict() if hasattr(found, "to_dict") else found


if __name__ == "__main__":
    serve()
