"""A machine that is not as it should be: no compiler, no linker, another compiler, a temporary folder that is full or read-only.

Each is a clear error where the user looks, and no variable is lost.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest


def test_without_rustc_the_error_says_how_to_get_it(start, tmp_path):
    home = another_home(tmp_path, sysroot=str(tmp_path / "nowhere"))
    notebook = start(FOOTLIGHT_HOME=str(home), PATH=str(tmp_path), RUSTC=str(tmp_path / "no-rustc"))
    error = notebook.run("1 + 1").error
    assert error is not None and "rustc" in error and ("rustup" in error or "install.sh" in error), error


def test_without_a_linker_on_the_path_rustc_s_own_serves(start, tmp_path):
    assert start(PATH=str(tmp_path)).text("let t = tensor![1.0, 2.0]; t.sum(()).item::<f32>()") == "3.0"


def test_without_any_linker_the_error_names_it(start, tmp_path):
    sysroot = json.loads((Path(os.environ["FOOTLIGHT_HOME"]) / "runtime.json").read_text())["sysroot"]
    home = another_home(tmp_path, sysroot=str(tmp_path / "nowhere"))
    error = start(FOOTLIGHT_HOME=str(home), PATH=str(tmp_path), RUSTC=f"{sysroot}/bin/rustc").run("1 + 1").error
    assert error is not None and "no linker" in error and "binutils" in error, error


def test_a_runtime_of_another_rustc_is_told_apart(start, tmp_path):
    home = another_home(tmp_path, rustc="rustc 1.80.0 (051478957 2024-07-21)\nrelease: 1.80.0\nhost: x86_64-unknown-linux-gnu")
    error = start(FOOTLIGHT_HOME=str(home)).run("1 + 1").error
    assert error is not None and "1.80.0" in error and "install.sh" in error, error


def another_home(folder: Path, **changes: str) -> Path:
    """The installed tree with another runtime.json."""
    installed, home = Path(os.environ["FOOTLIGHT_HOME"]), folder / "home"
    home.mkdir()
    for name in ("bin", "lib"):
        (home / name).symlink_to((installed / name).resolve())
    runtime = json.loads((installed / "runtime.json").read_text())
    (home / "runtime.json").write_text(json.dumps({**runtime, **changes}))
    return home


@pytest.fixture
def small_disk(tmp_path):
    """A folder on a file system of its own, of 4 MB."""
    disk = tmp_path / "small"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", disk], capture_output=True).returncode != 0:
        pytest.skip("may not mount a file system")
    yield disk
    subprocess.run(["umount", "-l", disk], check=True)


def test_a_full_temporary_folder_loses_nothing(start, small_disk):
    notebook = start(TMPDIR=str(small_disk))
    assert notebook.run("let kept = vec![1, 2, 3];").error is None
    filler = small_disk / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"\0" * 4096)
        except OSError:
            pass
    error = notebook.run("let more = kept.len();").error
    assert error is not None and ("space" in error or "full" in error), error
    filler.unlink()
    assert notebook.text("kept.len()") == "3"


def test_a_read_only_temporary_folder_loses_nothing(start, small_disk):
    notebook = start(TMPDIR=str(small_disk))
    assert notebook.run("let kept = vec![1, 2, 3];").error is None
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    error = notebook.run("let more = kept.len();").error
    subprocess.run(["mount", "-o", "remount,rw", small_disk], check=True)
    assert error is not None and "ead-only" in error, error
    assert notebook.text("kept.len()") == "3"
