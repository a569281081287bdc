"""A real JupyterLab and a real Chromium.

The server has folders of its own (notebooks, settings, trust), so that a notebook from the repository is opened as by someone who just cloned it.
Debian's Chromium is used: Playwright's own can't be fetched everywhere.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

REPOSITORY = Path(__file__).resolve().parents[2]
OUT = REPOSITORY / "tests" / "out"
WIDTH, PAGE = 1280, 1600  # of a screenshot, in pixels

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


class Lab:
    """A JupyterLab server on folders of its own."""

    def __init__(self, folder: Path) -> None:
        self.notebooks = folder / "notebooks"
        self.settings = folder / "settings"
        self.log = folder / "lab.log"
        shutil.copytree(REPOSITORY / "notebooks", self.notebooks)
        # No windowing: every cell is in the page, so that it can be read and photographed.
        self.set("notebook-extension", "tracker", {"windowingMode": "none", "kernelShutdown": True})
        self.set("apputils-extension", "notification", {"fetchNews": "false", "checkForUpdates": False, "doNotDisturbMode": True})
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        environment = {
            **os.environ,
            "JUPYTERLAB_SETTINGS_DIR": str(self.settings),
            "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
            "JUPYTER_CONFIG_DIR": str(folder / "config"),
            "JUPYTER_DATA_DIR": str(folder / "data"),
            "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        }
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={self.port}"]
        command += ["--IdentityProvider.token=", "--ServerApp.password=", "--ServerApp.disable_check_xsrf=True", f"--ServerApp.root_dir={self.notebooks}"]
        self.process = subprocess.Popen(command, env=environment, stdout=self.log.open("w"), stderr=subprocess.STDOUT)
        deadline = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(f"{self.url}/api/status", timeout=2)
                break
            except OSError:
                assert self.process.poll() is None and time.monotonic() < deadline, self.log.read_text()
                time.sleep(0.2)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def set(self, extension: str, plugin: str, values: dict) -> None:
        """Writes one plugin's settings; pages opened later have them."""
        file = self.settings / "@jupyterlab" / extension / f"{plugin}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values))

    def theme(self, name: str) -> None:
        self.set("apputils-extension", "themes", {"theme": f"JupyterLab {name}"})

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=20)


class NotebookPage:
    """A notebook, open in JupyterLab."""

    def __init__(self, page, lab: Lab, name: str) -> None:
        self.page, self.lab, self.name = page, lab, name
        page.set_viewport_size({"width": WIDTH, "height": PAGE})
        page.goto(f"{lab.url}/lab/tree/{name}?reset")
        page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=90_000)
        page.wait_for_selector("#jupyterlab-splash", state="detached", timeout=60_000)
        self.wait_for_idle(60)

    def wait_for_idle(self, seconds: float) -> None:
        """Waits until the kernel is idle and no cell waits."""
        self.page.wait_for_function(
            """() => document.querySelector('#jp-main-statusbar')?.textContent.includes('| Idle')
                 && ![...document.querySelectorAll('.jp-InputPrompt')].some(prompt => prompt.textContent.includes('*'))""",
            timeout=seconds * 1000,
            polling=100,
        )

    def run_all(self, seconds: float) -> None:
        """Run > Run All Cells, as a person does it."""
        self.page.get_by_role("menuitem", name="Run", exact=True).click()
        self.page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        self.page.wait_for_timeout(500)
        self.wait_for_idle(seconds)

    def save(self) -> dict:
        """Saves, and returns what was saved."""
        file = self.lab.notebooks / self.name
        before = file.stat().st_mtime_ns
        self.page.locator(".jp-Notebook").first.click(position={"x": 5, "y": 5})
        self.page.keyboard.press("Control+s")
        deadline = time.monotonic() + 30
        while file.stat().st_mtime_ns == before:
            assert time.monotonic() < deadline, "the notebook was not saved"
            self.page.wait_for_timeout(100)
        self.page.wait_for_timeout(300)
        return json.loads(file.read_text())

    def photograph(self, name: str) -> None:
        """Screenshots of the whole notebook, a page each: `tests/out/NAME-1.png` and so on."""
        OUT.mkdir(exist_ok=True)
        for old in OUT.glob(f"{name}-*.png"):
            old.unlink()
        scroller = self.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-WindowedPanel-outer").first
        height, window = scroller.evaluate("element => [element.scrollHeight, element.clientHeight]")
        for number, top in enumerate(range(0, height, window), start=1):
            scroller.evaluate("(element, top) => element.scrollTo(0, top)", top)
            self.page.wait_for_timeout(200)
            self.page.screenshot(path=OUT / f"{name}-{number}.png")

    def outputs(self) -> list[dict]:
        """What stands in each output: its size, its text, its pictures and whether they loaded."""
        return self.page.evaluate(
            """() => [...document.querySelectorAll('.jp-OutputArea-child')].map(child => {
                const output = child.querySelector('.jp-OutputArea-output');
                const box = output.getBoundingClientRect();
                return {mime: output.dataset.mimeType ?? '', width: box.width, height: box.height, text: output.innerText.trim(),
                        pictures: [...output.querySelectorAll('img')].map(img => ({loaded: img.complete && img.naturalWidth > 0, alt: img.alt})),
                        error: output.classList.contains('jp-RenderedText') && output.dataset.mimeType === 'application/vnd.jupyter.error'};
            })"""
        )


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    lab = Lab(tmp_path_factory.mktemp("lab"))
    yield lab
    lab.close()


@pytest.fixture(scope="session")
def browser():
    assert CHROMIUM, "no Chromium: apt-get install chromium (tests/run.sh does)"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def open_notebook(lab, browser, request):
    """Opens a notebook in a page of its own: `open_notebook("01-tour.ipynb", theme="Dark")`. How each page was left is in `tests/out/left-TEST-N.png`."""
    contexts = []

    def open_(name: str, theme: str = "Light") -> NotebookPage:
        lab.theme(theme)
        context = browser.new_context(color_scheme=theme.lower())
        contexts.append(context)
        return NotebookPage(context.new_page(), lab, name)

    yield open_
    OUT.mkdir(exist_ok=True)
    for number, context in enumerate(contexts, start=1):
        for page in context.pages:
            page.screenshot(path=OUT / f"left-{request.node.name}-{number}.png")
        context.close()
