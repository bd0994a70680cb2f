"""Arms from a file: a name a line, or a CSV with thresholds and results of their own."""

import csv
import sys
from collections.abc import Iterable, Iterator
from io import StringIO
from pathlib import Path
from typing import NamedTuple

from overbar.errors import InvalidInput

COLUMNS = ("name", "threshold", "results")


class Listed(NamedTuple):
    """An arm as it is listed."""

    where: str
    name: str
    threshold: float | None = None  # its own
    results: tuple[float, ...] = ()  # from before


def read(path: Path) -> list[Listed]:
    """Return the arms of a file; of the standard input for -."""
    try:
        content = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise InvalidInput(
            "the file of arms", str(path), "a file that can be read", f"{error.strerror}."
        ) from None
    except UnicodeDecodeError as error:
        raise InvalidInput("the file of arms", str(path), "UTF-8 text", f"({error})") from None
    arms = list(_rows(text, path) if path.suffix.lower() == ".csv" else _lines(text, path))
    if not arms:
        raise InvalidInput("the file of arms", str(path), "one with an arm or more")
    return arms


def each_once(arms: Iterable[Listed]) -> list[Listed]:
    """Return the arms, having checked that none comes twice."""
    seen: dict[str, Listed] = {}
    for arm in arms:
        if arm.name in seen:
            before = seen[arm.name].where
            raise InvalidInput(
                f"the arm in {arm.where}", arm.name, "unlike every other", f"It is in {before} too."
            )
        seen[arm.name] = arm
    return list(seen.values())


def _lines(text: str, path: Path) -> Iterator[Listed]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield Listed(f"line {number} of {path}", line.strip())


def _rows(text: str, path: Path) -> Iterator[Listed]:
    lines = csv.reader(StringIO(text, newline=""), strict=True)
    try:
        columns = next(lines, [])
        if "name" not in columns or not set(columns) <= set(COLUMNS):
            raise InvalidInput(
                f"the first line of {path}",
                ",".join(columns),
                f"the columns {', '.join(COLUMNS)}, of which only name must be there",
            )
        for cells in filter(None, lines):
            where = f"line {lines.line_num} of {path}"
            row = dict(zip(columns, cells, strict=False))
            if len(cells) > len(columns) or not row.get("name"):
                raise InvalidInput(where, cells, "a name, and no more cells than columns")
            threshold, results = row.get("threshold"), row.get("results", "")
            yield Listed(
                where,
                row["name"],
                _number(threshold, f"the threshold in {where}") if threshold else None,
                tuple(_number(each, f"a result in {where}") for each in results.split()),
            )
    except csv.Error as error:
        raise InvalidInput(f"line {lines.line_num} of {path}", str(error), "CSV") from None


def _number(text: str, what: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InvalidInput(what, text, "a number") from None
