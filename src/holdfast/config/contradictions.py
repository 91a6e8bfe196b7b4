"""Contradictions: settings that are each in range and together can never do what they promise.

Each rule names the settings that it looks at and says in one sentence why they exclude each other. A
rule is evaluated only when one of its settings was set, so a home without settings pays nothing.
Upstream systems shipped such a pair as their default (a minimum score above the weight of the keyword
side) and silently found nothing.
"""

from __future__ import annotations

from ..errors import BadConfig

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .read import Settings

    Clash = Callable[[Settings], bool]

RULES: tuple[tuple[tuple[str, ...], Clash, str], ...] = (
    (
        ("journal.entry_bytes", "journal.session_bytes"),
        lambda s: s["journal.entry_bytes"] > s["journal.session_bytes"],
        "an entry of the allowed size would never fit into a journal",
    ),
    (
        ("compaction.target", "compaction.threshold"),
        lambda s: s["compaction.target"] >= s["compaction.threshold"],
        "compaction would be due again as soon as it is done; the target must be below the threshold",
    ),
    (
        ("recall.min_score", "recall.influence"),
        lambda s: s["recall.min_score"] > 1 - s["recall.influence"],
        "an old entry that matches word for word scores 1 - recall.influence and could never be found",
    ),
    (
        ("context.min_score", "recall.influence"),
        lambda s: s["context.min_score"] > 1 - s["recall.influence"],
        "an old entry that matches word for word scores 1 - recall.influence and could never be injected",
    ),
    (
        ("recall.text_weight", "recall.vector_weight"),
        lambda s: s["recall.text_weight"] == 0 and s["recall.vector_weight"] == 0,
        "with both weights 0 no search finds anything",
    ),
    (
        ("recall.text_weight", "recall.vectors", "embedder.provider"),
        lambda s: s["recall.text_weight"] == 0 and (not s["recall.vectors"] or s["embedder.provider"] == "none"),
        "keywords weigh nothing and vectors are off, so no search finds anything",
    ),
    (
        ("context.budget", "context.full_budget"),
        lambda s: s["context.budget"] > s["context.full_budget"],
        "the block would be larger than the context that holds it",
    ),
    (
        ("quota.user_bytes", "quota.home_bytes"),
        lambda s: 0 < s["quota.home_bytes"] < s["quota.user_bytes"],
        "one user's quota would be larger than the home's",
    ),
    (
        ("chunking.overlap", "chunking.tokens"),
        lambda s: s["chunking.overlap"] >= s["chunking.tokens"],
        "a chunk would hold nothing but the one before it; the overlap must be smaller",
    ),
    (
        ("hooks.index_wait_ms", "hooks.deadline_ms"),
        lambda s: s["hooks.index_wait_ms"] >= s["hooks.deadline_ms"],
        "a hook would be over its deadline before it looked anything up",
    ),
    (
        ("embedder.provider", "embedder.url"),
        lambda s: s["embedder.provider"] == "compatible" and not s["embedder.url"],
        "a compatible provider has no address of its own; set embedder.url",
    ),
    (
        ("completer.provider", "completer.url"),
        lambda s: s["completer.provider"] == "compatible" and not s["completer.url"],
        "a compatible completer has no address of its own; set completer.url",
    ),
)


def check(settings: Settings, given: Mapping[str, Any]) -> None:
    """Raise BadConfig for the first rule that the settings break."""
    for names, clash, reason in RULES:
        if any(name in given for name in names) and clash(settings):
            shown = ", ".join(f"{name} = {_shown(settings[name])} ({settings.origin(name)})" for name in names)
            raise BadConfig(f"{shown}: {reason}", settings=list(names), reason=reason)


def _shown(value: Any) -> str:
    return repr(value) if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
