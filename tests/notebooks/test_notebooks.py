"""The shipped notebooks, run from top to bottom by nbclient: no cell fails, and each cell answers with the kinds of output it was committed with."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def test_there_are_notebooks():
    assert any(path.name == "01-tour.ipynb" for path in NOTEBOOKS)


def kinds(cell) -> set[str]:
    """The kinds of output of a cell, and the MIME types of what it shows."""
    found = set()
    for output in cell.outputs:
        found.add(output.output_type)
        found.update(output.get("data", {}))
    return found


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.timeout(900)
def test_runs_as_shipped(path):
    shipped = nbformat.read(path, as_version=4)
    nbformat.validate(shipped)
    assert shipped.metadata.kernelspec.name == "footlight"
    fresh = nbformat.read(path, as_version=4)
    for cell in fresh.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    NotebookClient(fresh, timeout=600, resources={"metadata": {"path": str(FOLDER)}}).execute()
    nbformat.validate(fresh)
    ran = 0
    for number, (was, now) in enumerate(zip(shipped.cells, fresh.cells)):
        if now.cell_type != "code" or not now.source.strip():
            continue
        ran += 1
        assert now.execution_count == ran, f"cell {number} ran out of order"
        assert was.execution_count == ran, f"cell {number} was committed without a clean run: run all, then save"
        assert kinds(now) == kinds(was), f"cell {number} answered otherwise than it was committed:\n{now.source}"
    assert ran > 0


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_survive_where_they_are_read(path):
    """A picture never stands alone: each output has text, so that a viewer that can't show the richer kind shows something; and no scripts."""
    for number, cell in enumerate(nbformat.read(path, as_version=4).cells):
        for output in cell.get("outputs", []):
            data = output.get("data")
            if data is None:
                continue
            assert data.get("text/plain", "").strip(), f"cell {number}: an output without text/plain"
            html = data.get("text/html", "")
            assert "<script" not in html and "<style" not in html and "<svg" not in html, f"cell {number}: what the sanitizer strips"
