"""install.sh into a prefix of its own: what it lays down, that it can run again, and what it says when it can't go on."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

import pytest
from jupyter_client.manager import start_new_kernel

ROOT = Path(__file__).resolve().parents[2]


def install(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
    inherited = {name: value for name, value in os.environ.items() if name not in ("FOOTLIGHT_HOME", "JUPYTER_PATH")}
    return subprocess.run([ROOT / "install.sh", *arguments], env={**inherited, **environment}, capture_output=True, text=True, timeout=600)


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """A prefix whose path has a space in it, installed into once."""
    prefix = tmp_path_factory.mktemp("a prefix")
    done = install("--prefix", str(prefix))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "works" in done.stdout and "01-tour.ipynb" in done.stdout
    return prefix


def test_the_tree_and_the_kernelspec(prefix):
    home = prefix / "share/footlight"
    spec = json.loads((prefix / "share/jupyter/kernels/footlight/kernel.json").read_text())
    assert spec["display_name"] == "Rust (Footlight)" and spec["argv"][0] == str(home / "bin/footlight-kernel")
    for logo in ("logo-32x32.png", "logo-64x64.png", "logo-svg.svg"):
        assert (prefix / "share/jupyter/kernels/footlight" / logo).stat().st_size > 0
    for file in ("bin/footlight-kernel", "bin/footlight-worker", "lib/libfootlight.so", "lib/deps", "runtime.json"):
        assert (home / file).exists(), file
    runtime = json.loads((home / "runtime.json").read_text())
    assert runtime["rustc"] == subprocess.run(["rustc", "-vV"], capture_output=True, text=True).stdout.strip()


def test_a_second_run_is_quick_and_a_running_kernel_goes_on(prefix, monkeypatch):
    monkeypatch.setenv("JUPYTER_PATH", str(prefix / "share/jupyter"))
    monkeypatch.delenv("FOOTLIGHT_HOME", raising=False)
    manager, client = start_new_kernel(kernel_name="footlight")
    try:
        home = prefix / "share/footlight"
        release = (home / "current").resolve()
        started = time.monotonic()
        again = install("--prefix", str(prefix))
        assert again.returncode == 0, again.stderr
        assert time.monotonic() - started < 60
        assert (home / "current").resolve() == release, "the same build is the same release"
        client.execute("let after = 1 + 1; after")
        assert client.get_shell_msg(timeout=60)["content"]["status"] == "ok"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def test_doctor_finds_nothing_wrong(prefix):
    done = subprocess.run([prefix / "share/footlight/bin/footlight-kernel", "doctor"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "rustc" in done.stdout


def test_what_it_does_not_know_it_says():
    done = install("--no-such-option")
    assert done.returncode != 0 and "--no-such-option" in done.stderr and "usage" in done.stderr
    done = install("--prefix")
    assert done.returncode != 0 and "needs a value" in done.stderr


def test_without_cargo_it_says_what_to_install(tmp_path):
    tools = tmp_path / "bin"
    tools.mkdir()
    for tool in ("bash", "dirname", "env"):
        (tools / tool).symlink_to(subprocess.run(["which", tool], capture_output=True, text=True).stdout.strip())
    done = install("--prefix", str(tmp_path), PATH=str(tools), HOME=str(tmp_path), CARGO_HOME=str(tmp_path))
    assert done.returncode != 0 and "rustup" in done.stderr
