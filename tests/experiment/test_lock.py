"""The lock of a folder: one holder, none left behind by the dead."""

import subprocess
import sys
from pathlib import Path

import pytest

from simlab.core.errors import SimlabError
from simlab.experiment.lock import LOCK, FolderInUseError, hold
from tests.experiment.killing import ROOT

HOLD_AND_WAIT = """
import sys
from pathlib import Path
from simlab.experiment.lock import hold
with hold(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_it_is_free_again_after_its_holder_was_killed(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD_AND_WAIT, str(tmp_path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(FolderInUseError, match=f"in use by process {holder.pid} on"), hold(tmp_path):
        pass
    holder.kill()
    holder.communicate()
    assert (tmp_path / LOCK).read_text(encoding="utf-8").startswith(f"process {holder.pid} on")
    with hold(tmp_path):
        assert not (tmp_path / LOCK).read_text(encoding="utf-8").startswith(f"process {holder.pid} on")


def test_shared_holders_keep_out_an_exclusive_one_only(tmp_path: Path) -> None:
    with hold(tmp_path, shared=True):
        with hold(tmp_path, shared=True):
            pass
        with pytest.raises(FolderInUseError), hold(tmp_path):
            pass
    with hold(tmp_path), pytest.raises(FolderInUseError), hold(tmp_path, shared=True):
        pass


def test_without_a_folder_there_is_no_lock(tmp_path: Path) -> None:
    with pytest.raises(SimlabError, match="cannot be written: No such file or directory"), hold(tmp_path / "none"):
        pass
