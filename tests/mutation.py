"""Mutation testing of ``simlab/core``, every mutant: ``python tests/mutation.py [MUTANTS]`` in the project's folder.

Needs mutmut 3.8.1, which makes the mutants; the tests are those of its section in ``pyproject.toml``. They are
collected once, in a copy of the project under ``mutants``. Each mutant is a fork of that process in which one function
has got the mutant's code; it runs the tests that reach the function, quick ones first, until one fails. A function that
runs while the tests are collected (the table of phases) is mutated too late so: its survivors get a fresh process each.
Verdicts are added to ``mutants/verdicts.tsv``; a mutant that has one is left out, unless it is named. After a change of
the core delete the folder.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from time import process_time
from types import CodeType, FrameType, FunctionType

import pytest
from _pytest.runner import runtestprotocol
from mutmut.configuration import config
from mutmut.mutation import trampoline
from mutmut.mutation.file_mutation import mutate_file_contents

PROPERTY = re.compile(r"^    @property\n(    def (\w+)\(.*\n(?:(?: {5,}.*)?\n)*)", re.MULTILINE)
COPY, CORE, LEARNED, VERDICTS = Path("mutants"), Path("simlab/core"), Path("learned.json"), Path("verdicts.tsv")
ARGUMENTS = (*config().pytest_add_cli_args, *config().pytest_add_cli_args_test_selection)
PATIENCE_S, PATIENCE_FACTOR = 3.0, 10.0
"""What a test may take with a mutant: so many seconds of processor time, and so many times what it takes without."""
PASSED, FAILED, TOO_LONG = 0, 1, -signal.SIGPROF


def copy_project() -> None:
    """Copy what the tests need, with the mutants beside every function of the core.

    mutmut makes no mutants of decorated functions: a property is a function first, and made a property below it.
    """
    for name in ("simlab", "tests", "docs", "scenarios"):
        shutil.copytree(name, COPY / name, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy("pyproject.toml", COPY)
    for path in sorted(CORE.glob("*.py")):
        source = PROPERTY.sub(r"\1\n    \2 = property(\2)\n\n", path.read_text())
        (COPY / path).write_text(mutate_file_contents(str(path), source).code)


def forked(work: Callable[[], bool]) -> int:
    """Do something in a fork; return the status with which it ended, below zero for the signal that ended it."""
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        try:
            os._exit(PASSED if work() else FAILED)
        finally:
            os._exit(FAILED)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def passes(item: pytest.Item, following: pytest.Item | None) -> bool:
    """Run one test; return whether it passed."""
    return not any(report.failed for report in runtestprotocol(item, log=False, nextitem=following))


def fresh(name: str) -> int:
    """Run all tests in a new process, in which mutmut's own trampoline has the mutant from the start."""
    command = [sys.executable, "-m", "pytest", "-x", *ARGUMENTS]
    environment = {**os.environ, "MUTANT_UNDER_TEST": name}
    return subprocess.run(command, env=environment, check=False, capture_output=True).returncode


class Mutants:
    """A plug-in of pytest: in place of one run of the collected tests, one for each mutant."""

    def __init__(self, named: Sequence[str]) -> None:
        self.named = named
        self.functions: list[tuple[FunctionType, dict[str, FunctionType]]] = []
        self.called: set[CodeType] = set()
        self.costs_s: dict[pytest.Item, float] = {}

    def remember(self, mutants: dict[str, FunctionType]) -> Callable[[FunctionType], FunctionType]:
        """Stand in for mutmut's trampoline: leave the function as it is, and note where its mutants are."""

        def decorate(function: FunctionType) -> FunctionType:
            self.functions.append((function, mutants))
            return function

        return decorate

    def note(self, frame: FrameType, event: str, _argument: object) -> None:
        """Note that a function was called; for ``sys.setprofile``."""
        if event == "call":
            self.called.add(frame.f_code)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Learn what the tests reach, then judge every mutant that has no verdict yet, or those that are named."""
        sys.setprofile(None)
        early = set(self.called)
        reaching = self.learn(session.items)
        known = {line.split("\t")[0] for line in VERDICTS.read_text().splitlines()} if VERDICTS.exists() else set()
        for number, (function, mutants) in enumerate(self.functions):
            items = sorted((item for item in session.items if number in reaching[item]), key=self.costs_s.__getitem__)
            for name, mutant in self.wanted(function, mutants, known):
                status = forked(partial(self.survives, function, mutant, items))
                if status == PASSED and function.__code__ in early:
                    status = fresh(name)
                verdict = {PASSED: "survived", TOO_LONG: "took too long"}.get(status, "killed")
                with VERDICTS.open("a") as file:
                    file.write(f"{name}\t{verdict}\t{len(items)}\n")
        return True

    def wanted(
        self, function: FunctionType, mutants: dict[str, FunctionType], known: set[str]
    ) -> Iterator[tuple[str, FunctionType]]:
        """Return the full names of a function's mutants that are to be judged, and the mutants."""
        for name, mutant in mutants.items():
            full = f"{function.__module__}.{name}"
            if name != "_mutmut_orig" and (full in self.named if self.named else full not in known):
                yield full, mutant

    def learn(self, items: Sequence[pytest.Item]) -> dict[pytest.Item, set[int]]:
        """Run each test in a fork of its own, without a mutant; return the numbers of the functions that it reaches.

        Of its own, because tests share runs that are kept: only the first of them would seem to reach the code.
        """
        reaching = {}
        for item in items:
            assert forked(partial(self.reach, item)) == PASSED, f"{item.nodeid} fails without a mutant"
            self.costs_s[item], numbers = json.loads(LEARNED.read_text())
            reaching[item] = set(numbers)
        return reaching

    def reach(self, item: pytest.Item) -> bool:
        """Run a test; write down how long it takes and the numbers of the functions that it reaches."""
        self.called.clear()
        before_s = process_time()
        sys.setprofile(self.note)
        passed = passes(item, None)
        sys.setprofile(None)
        numbers = [number for number, (function, _) in enumerate(self.functions) if function.__code__ in self.called]
        LEARNED.write_text(json.dumps([process_time() - before_s, numbers]))
        return passed

    def survives(self, function: FunctionType, mutant: FunctionType, items: Sequence[pytest.Item]) -> bool:
        """Put the mutant's code in the function's place; return whether all tests pass all the same."""
        function.__code__, function.__defaults__ = mutant.__code__, mutant.__defaults__
        function.__kwdefaults__ = mutant.__kwdefaults__
        for item, following in pairwise((*items, None)):
            assert item is not None
            signal.setitimer(signal.ITIMER_PROF, PATIENCE_S + PATIENCE_FACTOR * self.costs_s[item])
            if not passes(item, following):
                return False
        return True


if __name__ == "__main__":
    copy_project()
    os.chdir(COPY)
    sys.path[0] = os.getcwd()
    plug_in = Mutants(sys.argv[1:])
    trampoline.wrap_in_trampoline = plug_in.remember
    sys.setprofile(plug_in.note)
    pytest.main([*ARGUMENTS], plugins=[plug_in])
