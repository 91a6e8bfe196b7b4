"""What is left of forgotten words in the files of a home, by a search of our own that shares nothing with `forget`.

It looks for whole texts and for the beginning of every word's tail: six bytes from the third letter on, which also
lie in stems and in full-text segments that share the first letters with the term before. Words that a remaining text
holds do not count. Run as a process of its own while the store is open: reading a live SQLite file in the
process that uses it would drop its locks, and closing the store first would tidy up behind `forget`.
"""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
LEAST = 6  # bytes


def leftovers(home, gone, kept=(), skip=("locks", "ballast")):
    """(file, fragment) of everything found; `gone` and `kept` are texts."""
    job = json.dumps({"home": str(home), "gone": list(gone), "kept": list(kept), "skip": list(skip)})
    done = subprocess.run([sys.executable, __file__], input=job, capture_output=True, text=True, check=True, cwd=ROOT)
    return [tuple(found) for found in json.loads(done.stdout)]


def fragments(gone, kept):
    """Texts, and windows of six bytes at the third letter of each of their words."""
    held = "\n".join(kept).lower()
    found = {text for text in gone if len(text.encode()) >= LEAST and text.lower() not in held}
    for text in gone:
        for word in re.findall(r"\w+", text):
            window = _window(word[2:])
            if window and window.lower() not in held:
                found.add(window)
    return sorted(found)


def _window(tail):
    """The shortest beginning that has six bytes."""
    for length in range(1, len(tail) + 1):
        if len(tail[:length].encode()) >= LEAST:
            return tail[:length]
    return None


def forms(fragment):
    """The fragment as bytes in every encoding in which it could hide; the second of each: whether case matters."""
    for spelling in {fragment, fragment.lower()}:
        yield spelling.encode().lower(), False
        for order in ("le", "be"):
            yield spelling.encode(f"utf-16-{order}").lower(), False
        yield json.dumps(spelling)[1:-1].encode().lower(), False
        for code in (base64.b64encode, base64.urlsafe_b64encode):
            for place in range(3):
                yield _inner(code, spelling.encode(), place), True


def _inner(code, data, place):
    """The characters of base64 that do not depend on what stands before (`place` bytes) or after."""
    coded = code(b"\0" * place + data + b"\0" * (-(place + len(data)) % 3))
    first = (8 * place + 5) // 6
    return coded[first : 8 * (place + len(data)) // 6]


def search(home, wanted, skip):
    for folder, folders, names in os.walk(home):
        folders[:] = [name for name in folders if name not in skip]
        for name in names:
            if name in skip:
                continue
            path = os.path.join(folder, name)
            data = Path(path).read_bytes()
            lowered = data.lower()
            for fragment in wanted:
                if any(form in (data if exact else lowered) for form, exact in forms(fragment) if len(form) >= LEAST):
                    yield os.path.relpath(path, home), fragment


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    fragments_wanted = fragments(asked["gone"], asked["kept"])
    assert fragments_wanted, "there is nothing to look for"
    json.dump(list(search(asked["home"], fragments_wanted, asked["skip"])), sys.stdout)
