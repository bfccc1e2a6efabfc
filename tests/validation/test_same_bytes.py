"""Same seed, same bytes: in a second process with another hash seed, twice in one process, read anew or on the way."""

import subprocess
import sys
from functools import cache
from hashlib import sha256
from os import environ
from random import Random

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from simlab.core.canon import canonical
from simlab.core.commands import CallModel
from simlab.routers import ROUTERS
from simlab.sim.driver import Driver, simulate
from simlab.sim.reading import Reading
from simlab.sim.speaking import speak
from simlab.sim.spec import WorldSpec
from simlab.sim.streams import Draws
from simlab.strategies import STRATEGIES
from simlab.testing.chaos import Chaos
from simlab.testing.worlds import random_world, worlds

WORLDS = range(2)


@cache
def digest() -> str:
    """Return one hash over the bytes of many runs."""
    total = sha256()
    for seed in WORLDS:
        spec = random_world(Random(seed))
        for strategy in STRATEGIES.names():
            router = ROUTERS.names()[seed % len(ROUTERS.names())]
            total.update(canonical(simulate(spec, STRATEGIES.get(strategy), ROUTERS.get(router), seed=seed)))
    return total.hexdigest()


@pytest.mark.parametrize("hash_seed", ["1", "4242"])
def test_a_second_process_writes_the_same_bytes(hash_seed: str) -> None:
    """Sets and hashes order differently there; nothing that is written may depend on it."""
    program = "from tests.validation.test_same_bytes import digest; print(digest())"
    environment = {**environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == digest()


def test_another_seed_writes_other_bytes() -> None:
    spec = random_world(Random(3))
    runs = [simulate(spec, STRATEGIES.get("cancel"), ROUTERS.get("by_type"), seed=seed) for seed in (1, 2)]
    assert canonical(runs[0]) != canonical(runs[1])


@settings(max_examples=40, deadline=None)
@given(worlds(), st.sampled_from(STRATEGIES.names()), st.sampled_from(ROUTERS.names()))
def test_a_run_leaves_nothing_behind_that_changes_the_next(spec: WorldSpec, strategy: str, router: str) -> None:
    runs = [simulate(spec, STRATEGIES.get(strategy), ROUTERS.get(router)) for _ in range(2)]
    assert canonical(runs[0]) == canonical(runs[1])


@settings(max_examples=150, deadline=None, phases=(Phase.generate,))  # shrinking a whole world takes minutes
@given(worlds(), st.sampled_from(STRATEGIES.names()) | st.integers(0, 500))
def test_a_trajectory_read_from_scratch_gives_the_same_speech_as_one_read_on_the_way(
    spec: WorldSpec, strategy: str | int
) -> None:
    made = STRATEGIES.get(strategy) if isinstance(strategy, str) else Chaos(strategy)
    reference = {each.task: (0, 10_000) for each in spec.placed}
    driver = Driver(spec, made, ROUTERS.get("by_type"), draws=Draws(1, 0), reference=reference)
    record = driver.run()
    tools = {tool.spec.name: tool for tool in spec.tools}

    def reading() -> Reading:
        return Reading(driver._plan_of, tools, driver.books.intents, spec.tool_attempts)

    on_the_way = reading()
    for _, item in record.trace.records:
        if isinstance(item, CallModel):
            on_the_way.read(item.messages, item.length, item.epoch)
            anew = reading()
            anew.read(item.messages, item.length, item.epoch)
            assert speak(on_the_way, tools) == speak(anew, tools)
