"""Files are written all or none, and never by halves."""

from collections.abc import Callable
from pathlib import Path

import pytest

from simlab.core.errors import SimlabError
from simlab.experiment.output import check_writable, write_set


def text(content: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_text(content)

    return write


def fails(path: Path) -> None:
    path.write_text("half")
    raise ValueError("no figure today")


def test_all_files_of_a_set_are_written(tmp_path: Path) -> None:
    written = write_set(tmp_path / "new" / "folder", {"a": text("one"), "b": text("two")})
    assert [path.read_text() for path in written] == ["one", "two"]
    assert sorted(path.name for path in (tmp_path / "new" / "folder").iterdir()) == ["a", "b"]


def test_when_one_cannot_be_made_nothing_changes(tmp_path: Path) -> None:
    write_set(tmp_path, {"a": text("old")})
    with pytest.raises(ValueError, match="no figure today"):
        write_set(tmp_path, {"a": text("new"), "b": fails})
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a": "old"}


def test_a_folder_that_cannot_be_made_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    out = tmp_path / "file" / "out"
    with pytest.raises(SimlabError, match=r"file/out: cannot be written: .*/file is not a folder$"):
        check_writable(out)
    with pytest.raises(SimlabError, match=r"file/out: cannot be written: Not a directory$"):
        write_set(out, {})


def test_a_folder_without_permission_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(SimlabError, match=f"no permission for {tmp_path}"):
        check_writable(tmp_path / "out")


def test_looking_whether_a_folder_can_be_written_changes_nothing(tmp_path: Path) -> None:
    check_writable(tmp_path / "some" / "where")
    assert list(tmp_path.iterdir()) == []
