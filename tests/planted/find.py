"""Finds the smallest failing schedule of each planted bug and writes it down: ``python -m tests.planted.find``."""

import sys
from random import Random

from simlab.testing.schedule import Schedule, schedule_text
from simlab.testing.shrinking import shrink
from simlab.testing.walking import walk
from tests.planted.catalogue import PLANTED, Planted

WALKS = 3_000


def search(planted: Planted, walks: int = WALKS) -> tuple[Schedule, int] | None:
    """Walk at random until the bug shows; return the schedule and how many walks it took."""
    for number in range(walks):
        stage = walk(planted.make(), Random(number), make_agent=planted.core)
        if any(found.name == planted.caught_by for found in stage.found):
            return tuple(stage.played), number + 1
    return None


def main(names: list[str]) -> None:
    for planted in PLANTED:
        if names and planted.name not in names:
            continue
        found = search(planted)
        if found is None:
            print(f"{planted.name}: not found in {WALKS} walks")  # noqa: T201
            continue
        schedule, walks = found
        smallest = shrink(schedule, planted.caught_by, planted.perform)
        planted.path.write_text(f"# {planted.caught_by}: {planted.fault}\n{schedule_text(smallest)}")
        print(f"{planted.name}: {walks} walks, {len(schedule)} moves, smallest {len(smallest)}")  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1:])
