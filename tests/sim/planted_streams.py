"""A planted bug: random numbers handed out by position instead of by name."""

from simlab.sim.streams import Draws, Name


class CounterDraws(Draws):
    """Breaks common random numbers on purpose: a draw depends on how many were made before it, not on its name.

    It is a good generator by every other measure (uniform, reproducible, other numbers for other seeds); only a
    comparison of two strategies on the same seed can tell. Anything that claims to guard the naming rule must fail
    when the world is run on this class.
    """

    __slots__ = ("_made",)

    def __init__(self, seed: int, replication: int) -> None:
        super().__init__(seed, replication)
        self._made = 0

    def uniform(self, *name: Name) -> float:
        """Return the next number, whatever its name."""
        self._made += 1
        return super().uniform("position", self._made)

    def uniforms(self, *name: Name, count: int) -> list[float]:
        """Return the next `count` numbers, whatever their name."""
        return [self.uniform(*name) for _ in range(count)]
