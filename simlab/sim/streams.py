"""Named draws: one uniform number for each name, the same under every strategy.

A draw is named for what it is for: ``draws.uniform("tool", "task-3", "read_config")``. Its value is a hash of that
name, salted with the seed and the replication, and of nothing else. There is no state: no counter moves, so it does not
matter who asks, how often, or in which order. That is how all strategies come to share the same luck (common random
numbers): what a strategy does first cannot shift the numbers that are left for what it does later, and an extra model
call of one strategy leaves every tool time of the others as it was. A stream that hands out "the next" number breaks
this as soon as two strategies differ by one draw.

Two rules follow for callers. Never put a counter of calls, the round, or the strategy into a name; name the work. And
draw the size of a piece of work once for the work (it repeats when the work is done again), but what belongs to an
attempt with the number of the attempt in the name.

The hash is BLAKE2b with an 8-byte digest; 52 of its bits are used. Seed and replication sit in its salt and
personalisation fields, which costs one compression a draw where a key would cost two. The name is written with
``ascii``: injective for tuples of strings and integers ('1' and 1 differ, ("ab",) and ("a", "b") differ), and free of
hash seeds, locales and Unicode tables, so the numbers are the same in every process and on every machine.

Cost (tests/benchmarks/test_draws.py): about 1.0 us a draw, 1.2 us with a lognormal law, against 11 us for a numpy
generator made for each name and 0.06 us for handing out numbers drawn beforehand in a block. Blocks were not taken: a
place in a block must be given to each name in advance, and a name that nobody foresaw (a second attempt, a late event)
has none. Keep names flat tuples of short strings and whole numbers; most of the time goes into writing them.
"""

from collections.abc import Callable
from hashlib import blake2b
from typing import Final, Protocol

from simlab.core.errors import SimlabError

Name = str | int
"""A part of a name. Subclasses with a repr of their own (enumerations) count as other names than their plain value."""

_DIGEST_BYTES: Final = 8
_SPARE_BITS: Final = 12  # of 64: leaves 52, so that (n + 1/2) / 2**52 is exact and never 0 or 1
_STEP: Final = 2.0**-52


class _Hash(Protocol):
    def update(self, data: bytes, /) -> None: ...
    def digest(self) -> bytes: ...
    def copy(self) -> "_Hash": ...


class Draws:
    """All random numbers of one replication, each found by its name. Stateless; equal seeds give equal numbers."""

    __slots__ = ("_copy", "replication", "seed")

    def __init__(self, seed: int, replication: int) -> None:
        """Take the experiment's root seed and the replication's number, both whole numbers from 0 up.

        Raises SimlabError for anything else.
        """
        for word, value in (("seed", seed), ("replication", replication)):
            if type(value) is not int or value < 0:
                raise SimlabError(f"{word}: must be a whole number from 0 up, not {value!r}")
        self.seed = seed
        self.replication = replication
        root = blake2b(ascii((seed, replication)).encode(), digest_size=32).digest()
        hasher: _Hash = blake2b(digest_size=_DIGEST_BYTES, salt=root[:16], person=root[16:])
        self._copy: Callable[[], _Hash] = hasher.copy

    def uniform(self, *name: Name) -> float:
        """Return the number of that name: uniform, strictly between 0 and 1."""
        hasher = self._copy()
        hasher.update(ascii(name).encode())
        return ((int.from_bytes(hasher.digest(), "big") >> _SPARE_BITS) + 0.5) * _STEP

    def uniforms(self, *name: Name, count: int) -> list[float]:
        """Return a run of `count` numbers of one name; the i-th is ``uniform(*name, i)``, i from 0 up."""
        opening = self._copy()
        opening.update(("(" + "".join(f"{part!a}, " for part in name)).encode())
        last = ")" if name else ",)"
        numbers = []
        for index in range(count):
            hasher = opening.copy()
            hasher.update(f"{index}{last}".encode())
            numbers.append(((int.from_bytes(hasher.digest(), "big") >> _SPARE_BITS) + 0.5) * _STEP)
        return numbers

    def __reduce__(self) -> tuple[type["Draws"], tuple[int, int]]:
        return type(self), (self.seed, self.replication)

    def __repr__(self) -> str:
        return f"Draws(seed={self.seed}, replication={self.replication})"
