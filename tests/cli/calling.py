"""Call the command line in this process, as the installed command would."""

import pytest

from simlab.cli import main


def call(*arguments: str) -> int:
    """Run a command and return its exit code."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["simlab", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
    assert isinstance(ended.value.code, int)
    return ended.value.code
