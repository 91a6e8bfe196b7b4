"""Latin: texts that the index takes as they are, though they are not ASCII: Latin letters, dashes, quotation marks.

The rule it keeps: `scripts`, `spelling` and `arabic` leave these code points alone, so that a text of nothing else
need not go through them, which takes twenty times as long. All other characters, `ß`, raised digits and soft
hyphens are for them.
"""

from __future__ import annotations

import re

_OTHER = re.compile("[^\x00-\xac\xae-\xb1\xb4-\xb8\xba-\xde\xe0-\u024f\u1e00-\u1e9d\u1e9f-\u1eff\u2010-\u2027]")


def is_latin(text: str) -> bool:
    """Whether a text has no other characters than these."""
    return _OTHER.search(text) is None
