"""The public face: names, documents, examples."""

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

import overbar as ob

ROOT = Path(__file__).parent.parent
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(ob.__path__, "overbar.")
    if not module.name.endswith("__main__")
)
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_the_public_names() -> None:
    assert set(ob.__all__) == {
        *("Bernoulli", "Beta", "Empirical", "Exponential", "Gaussian", "Problem", "Uniform"),
        *("APT", "AugUCB", "CSAR", "UCBE", "UCBEV", "UniformAllocation"),
        *("AnytimeAugUCB", "BernoulliLR", "EVT", "FWT", "GaussianLR", "LSA", "UntilSure"),
        *("Game", "Policy", "Round"),
        *("Result", "Trace", "simulate", "trace"),
        *("Ask", "Sampler", "Verdict"),
        *("Campaign", "Finding", "Status", "Ticket"),
        *("AskClosed", "BudgetSpent", "InvalidInput", "OverbarError", "OverbarWarning"),
        *("Conflict", "StorageError", "TryFailed", "UnknownCampaign", "UnknownTicket"),
        *("UnknownArm", "theory"),
    }
    for name in ob.__all__:
        assert getattr(ob, name) is not None
    assert callable(ob.simulate)  # the function, not the room of that name


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_examples_in_documents(
    document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python blocks of a document run one after the other, as a reader would type them."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "example"}
    text = document.read_text("utf-8")
    for block in map(dedent, re.findall(r"```python\n(.*?)```", text, re.DOTALL)):
        if ">>>" in block:
            parser = doctest.DocTestParser()
            test = parser.get_doctest(block, names, document.name, str(document), 0)
            runner = doctest.DocTestRunner()
            runner.run(test, clear_globs=False)
            names.update(test.globs)
            assert runner.failures == 0
        else:
            exec(compile(block, document.name, "exec"), names)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text("utf-8")):
        assert (document.parent / target).exists(), target


@pytest.mark.parametrize(
    ("use", "waits_for"),
    [
        ("overbar.cli", {"numba", "numpy", "sqlalchemy", "rich"}),
        ("overbar.Sampler", {"numba", "sqlalchemy", "scipy"}),
        ("overbar.Campaign", {"numba", "sqlalchemy", "scipy"}),
    ],
)
def test_nothing_waits_for_what_it_does_not_use(use: str, waits_for: set[str]) -> None:
    code = f"import sys, overbar, overbar.cli; {use}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert not waits_for & set(done.stdout.split())


def test_the_version_is_in_the_changelog() -> None:
    assert f"## {ob.__version__}" in (ROOT / "CHANGELOG.md").read_text("utf-8")
