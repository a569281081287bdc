"""The tour in a real JupyterLab, as a person meets it: opened, run, read in light and dark, and opened untrusted.

Look at the screenshots in `tests/out/` after a change to what is shown.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat.v4
import pytest

SHIPPED = Path(__file__).resolve().parents[2] / "notebooks"
TOUR = "01-tour.ipynb"

pytestmark = pytest.mark.timeout(900)


def write_notebook(path, cells: list[str]) -> None:
    """A notebook of code cells, without outputs."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    notebook.metadata.kernelspec = {"name": "footlight", "display_name": "Rust (Footlight)", "language": "rust"}
    path.write_text(nbformat.v4.writes(notebook))


def check_outputs(outputs: list[dict]) -> None:
    """Every output has something to see, and every picture loaded and says what it shows."""
    assert outputs
    for output in outputs:
        assert output["width"] > 0 and output["height"] > 0, output
        assert output["text"] or output["pictures"] or output["mime"] == "image/svg+xml", output
        for picture in output["pictures"]:
            assert picture["loaded"], output


def test_the_tour_runs_and_looks_right(open_notebook):
    tour = open_notebook(TOUR)
    tour.run_all(600)
    check_outputs(tour.outputs())
    saved = tour.save()
    cells = [cell for cell in saved["cells"] if cell["cell_type"] == "code" and "".join(cell["source"]).strip()]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    for cell in cells:
        assert not [output for output in cell["outputs"] if output["output_type"] == "error"], cell
    tour.photograph("tour-light")
    dark = open_notebook(TOUR, theme="Dark")
    assert dark.page.locator("body").get_attribute("data-jp-theme-light") == "false"
    check_outputs(dark.outputs())
    dark.photograph("tour-dark")


def test_an_untrusted_notebook_shows_its_outputs(open_notebook, lab):
    shutil.copy(SHIPPED / TOUR, lab.notebooks / "untrusted.ipynb")
    for theme in ("Light", "Dark"):
        page = open_notebook("untrusted.ipynb", theme=theme)
        check_outputs(page.outputs())
        page.photograph(f"untrusted-{theme.lower()}")


def test_the_stop_button_stops_a_cell_and_keeps_variables(open_notebook, lab):
    cells = ['let mut steps = 0u64;\nprintln!("begun");', "loop { steps += 1; }", "steps > 0"]
    write_notebook(lab.notebooks / "stop.ipynb", cells)
    notebook = open_notebook("stop.ipynb")
    page = notebook.page
    page.locator(".jp-Notebook .jp-Cell").nth(0).locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    page.get_by_text("begun", exact=True).wait_for(timeout=30_000)
    page.keyboard.press("Shift+Enter")
    page.wait_for_timeout(1500)
    page.get_by_role("button", name="Interrupt the kernel").click()
    page.wait_for_selector('.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.error"], [data-mime-type="application/vnd.jupyter.stderr"]', timeout=10_000)
    notebook.wait_for_idle(10)
    page.locator(".jp-Notebook .jp-Cell").nth(2).locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    page.get_by_text("true", exact=True).wait_for(timeout=10_000)
    notebook.photograph("stop")
