"""What a campaign found, for people and for programs: rows, JSON, CSV, JUnit XML."""

import csv
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from io import StringIO
from xml.etree import ElementTree

from overbar.campaigns.finding import Finding
from overbar.campaigns.log import Status

WORST = ("under", "undecided", "over")
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Return those under the bar first, and among equals those of the lowest mean."""

    def badness(finding: Finding) -> tuple[int, float]:
        mean = finding.high if finding.mean is None else finding.mean
        return WORST.index(finding.verdict), mean - finding.threshold

    return sorted(findings, key=badness)


def close_to_the_bar(findings: Iterable[Finding], n: int) -> list[Finding]:
    """Return the undecided arms whose means are nearest to their thresholds."""
    tried = [each for each in findings if each.verdict == "undecided" and each.mean is not None]
    return sorted(tried, key=lambda each: abs((each.mean or 0) - each.threshold))[:n]


def counted(findings: Sequence[Finding]) -> str:
    """Return how many arms have which verdict, and what the means say of the undecided."""
    sides = [finding.verdict for finding in findings]
    said = ", ".join(f"{sides.count(side)} {side}" for side in ("over", "under", "undecided"))
    guess = sum(
        each.verdict == "undecided" and each.mean is not None and each.mean >= each.threshold
        for each in findings
    )
    return said + (f" (of these {guess} over by the mean)" if "undecided" in sides else "")


def in_words(finding: Finding) -> str:
    """Return a finding as a sentence."""
    if finding.mean is None:
        return f"never tried, so undecided about {finding.threshold:g}"
    return (
        f"mean {finding.mean:.4g} in {finding.tries} tries, interval "
        f"{finding.low:.4g} to {finding.high:.4g}: {finding.verdict} "
        f"{'about ' if finding.verdict == 'undecided' else ''}{finding.threshold:g}"
    )


def as_json(status: Status, findings: Sequence[Finding]) -> str:
    """Return books and findings as one JSON object."""
    books = {**asdict(status), "remaining": status.remaining, "finished": status.finished}
    return json.dumps(
        {"schema": 1, "campaign": books, "findings": [each._asdict() for each in findings]}
    )


def as_csv(findings: Sequence[Finding]) -> str:
    """Return the findings as CSV, a row an arm."""
    text = StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(Finding._fields)
    lines.writerows(findings)
    return text.getvalue()


def as_junit(status: Status, findings: Sequence[Finding]) -> str:
    """Return the findings as JUnit XML: under is a failure, undecided is skipped."""
    counted = [finding.verdict for finding in findings]
    suite = ElementTree.Element(
        "testsuite",
        name=_xml(status.name),
        tests=str(len(findings)),
        failures=str(counted.count("under")),
        skipped=str(counted.count("undecided")),
        errors="0",
    )
    for finding in findings:
        case = ElementTree.SubElement(
            suite, "testcase", classname=_xml(status.name), name=_xml(finding.arm)
        )
        if finding.verdict != "over":
            tag = "failure" if finding.verdict == "under" else "skipped"
            ElementTree.SubElement(case, tag, message=in_words(finding))
    declaration = '<?xml version="1.0" encoding="UTF-8"?>'
    return f"{declaration}\n{ElementTree.tostring(suite, encoding='unicode')}\n"


def _xml(text: str) -> str:
    """Return the text with what XML cannot hold replaced."""
    return _NOT_IN_XML.sub("�", text)
