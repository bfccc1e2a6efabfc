import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from simlab.check.readers.source import open_source

VALUE = {"a": [1, {"b": 2}]}


def values(path: Path) -> list[Any]:
    return [record.value for record in open_source(path).records() if record.usable]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (json.dumps(VALUE), "document"),
        (json.dumps(VALUE) + "\n", "document"),
        (json.dumps(VALUE, indent=2), "document"),
        ("\n\n  " + json.dumps(VALUE), "document"),
        ('{"a": [1,\n{"b": 2}]}', "document"),
        ("\ufeff" + json.dumps(VALUE), "document"),
    ],
)
def test_one_value_is_a_document_however_it_is_laid_out(tmp_path: Path, text: str, kind: str) -> None:
    path = tmp_path / "x"
    path.write_text(text, encoding="utf-8")

    assert open_source(path).kind == kind
    assert values(path) == [VALUE]


@pytest.mark.parametrize("separator", ["\n", "\r\n", "\n\n \n", "\n\n\n"])
@pytest.mark.parametrize("indent", [None, 4])
def test_values_behind_each_other_are_lines(tmp_path: Path, separator: str, indent: int | None) -> None:
    path = tmp_path / "x"
    path.write_text(separator.join([json.dumps(VALUE, indent=indent)] * 3), newline="")

    assert open_source(path).kind == "lines"
    assert values(path) == [VALUE] * 3


def test_records_know_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text('{"a": 1}\n\n{"a": 2}\nbad\n{"a": 3}\n')

    assert [(record.line, record.fault) for record in open_source(path).records()] == [
        (1, None),
        (3, None),
        (4, "unreadable"),
        (5, None),
    ]


def test_indented_records_know_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text('{\n"a": 1\n}\n\n{\n"a": 2\n}{\n"a"')

    assert [(record.line, record.fault) for record in open_source(path).records()] == [
        (1, None),
        (5, None),
        (7, "unreadable"),
    ]


def test_a_bad_first_line_does_not_make_a_log_a_document(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text('"tail of a line"}\n' + '{"a": 1}\n' * 3)

    assert open_source(path).kind == "lines"
    assert values(path) == [{"a": 1}] * 3


def test_a_list_laid_out_one_item_a_line_is_a_document(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text('[\n{"a": 1},\n{"a": 2}\n]\n')

    assert values(path) == [[{"a": 1}, {"a": 2}]]


def test_a_compressed_log_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"a": 1}\n{"a": 2}\n'))

    assert values(path) == [{"a": 1}, {"a": 2}]


def test_only_the_head_is_read_to_tell_the_kind(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text('{"a": 1}\n' * 10_000)
    source = open_source(path)

    assert len(source.head) == 32
    assert len(list(source.records())) == 10_000


def test_a_few_large_lines_are_enough_of_a_head(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text((json.dumps("x" * 200_000) + "\n") * 10)

    assert len(open_source(path).head) == 2
