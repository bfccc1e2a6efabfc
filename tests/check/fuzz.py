"""Coverage-guided fuzzing of the whole way: read any bytes, judge, explain, repair, cut, print.

atheris brings its own copy of libFuzzer, so it lives in a venv of its own:

    python -m venv .venv-fuzz && .venv-fuzz/bin/pip install atheris
    .venv-fuzz/bin/python -m tests.check.fuzz corpus/ -max_total_time=600 -timeout=20

The samples and cases seed the corpus. Anything but a result or one clear line is a find.
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path

import atheris  # type: ignore[import-untyped]

with atheris.instrument_imports(include=["simlab"]):
    from simlab.check.conversation import Conversation
    from simlab.check.cuts import cuts
    from simlab.check.explain import explain
    from simlab.check.readers import read
    from simlab.check.repair import repair
    from simlab.check.report import as_objects, as_sarif, as_text
    from simlab.check.verdict import judge
    from simlab.core.errors import SimlabError
    from simlab.dialects.findings import Mode
    from simlab.dialects.registry import DIALECTS, MODES, check

HERE = Path(__file__).parent
SEEDS = [*HERE.glob("readers/samples/*"), *HERE.parent.glob("cases/*.json")]
SAVED = Path(tempfile.mkdtemp(prefix="simlab-fuzz-")) / "saved.jsonl"


def fuzz(data: bytes) -> None:
    """Take bytes all the way; the first two choose mode and target, the rest is the file."""
    if len(data) < 3:
        return
    mode, target = MODES[data[0] % len(MODES)], DIALECTS[data[1] % len(DIALECTS)]
    SAVED.write_bytes(data[2:])
    explain(data[2:400].decode("utf-8", "replace"))
    try:
        for conversation in read(SAVED):
            go(conversation, mode, target)
    except SimlabError as error:
        if "\n" in str(error):
            raise AssertionError("a refusal is one line") from error


def go(conversation: Conversation, mode: Mode, target: str) -> None:
    """Do with a conversation what the commands do."""
    verdicts = [judge(conversation, target=one, mode=mode, file="f") for one in (None, target)]
    for verdict in verdicts:
        as_text(verdict)
    json.dumps(as_objects(verdicts))
    json.dumps(as_sarif(verdicts, "0"))
    cuts(conversation.messages, conversation.dialect)
    mended = repair(conversation, target)
    left = check(target, mended.messages, request=mended.request, mode="request")
    assert not [one for one in left if one.severity == "error"], left


def main() -> None:
    """Seed the corpus that the command line names, then fuzz."""
    corpus = next((Path(each) for each in sys.argv[1:] if not each.startswith("-")), None)
    if corpus is not None:
        corpus.mkdir(parents=True, exist_ok=True)
        for number, seed in enumerate(sorted(SEEDS)):
            (corpus / seed.name).write_bytes(bytes((number % 3, number % 7)) + seed.read_bytes())
    atheris.Setup(sys.argv, fuzz)
    try:
        atheris.Fuzz()
    finally:
        shutil.rmtree(SAVED.parent, ignore_errors=True)


if __name__ == "__main__":
    main()
