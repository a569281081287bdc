"""Magics as clients see them: commands as they write, interrupts, tables. What they answer as text is in tests/cells/magics.md."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest


def interrupted(notebook, code: str, after: float = 1.0):
    """Runs `code`, interrupts it, and returns its answer, which must come soon."""
    request = notebook.send(code)
    time.sleep(after)
    notebook.manager.interrupt_kernel()
    sent = time.monotonic()
    answer = notebook.until_idle(request, timeout=30)
    assert time.monotonic() - sent < 5
    assert "Interrupted" in (answer.error or ""), answer.messages
    return answer


def runs(pid: int) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False


def test_a_command_writes_as_it_goes(notebook):
    request = notebook.send("!echo begun; sleep 2; echo ended")
    started = time.monotonic()
    while True:
        message = notebook.client.get_iopub_msg(timeout=10)
        if message["parent_header"].get("msg_id") == request and message["msg_type"] == "stream":
            break
    assert time.monotonic() - started < 1.5
    assert message["content"] == {"name": "stdout", "text": "begun\n"}
    notebook.client.get_shell_msg(timeout=10)
    # The rest, so that the next test begins with an idle kernel.
    while notebook.client.get_iopub_msg(timeout=10)["content"].get("execution_state") != "idle":
        pass


def test_an_interrupt_ends_a_command_and_its_children(notebook, tmp_path):
    assert notebook.run("let kept = 1;").error is None
    file = tmp_path / "pid"
    interrupted(notebook, f"!sh -c 'echo $$ > {file}; exec sleep 60' & sleep 60; wait\nlet never = 1;")
    pid = int(file.read_text())
    deadline = time.monotonic() + 5
    while runs(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not runs(pid)
    assert notebook.text("kept") == "1"
    assert notebook.run("never").error is not None


def test_streams_of_a_command_are_told_apart(notebook):
    answer = notebook.run("!echo out; echo err >&2; exit 4")
    assert (answer.stream(), answer.stream("stderr")) == ("out\n", "err\n")
    assert answer.error.endswith("failed with exit status 4"), answer.error


@pytest.mark.parametrize("code", ["%timeit std::thread::sleep(std::time::Duration::from_secs(3))", "%%timeit\nloop {}"])
def test_an_interrupt_ends_timeit(notebook, code):
    interrupted(notebook, code)


def test_timeit_tells_a_time_that_is_near_the_truth(notebook):
    answer = notebook.run("%timeit std::thread::sleep(std::time::Duration::from_millis(20))")
    best = re.fullmatch(r"best ([\d.]+) ms, median ([\d.]+) ms per run \(7 rounds of \d+ runs?\)\n", answer.stream())
    assert best, answer.stream()
    assert 20 <= float(best[1]) <= float(best[2]) < 30
    assert answer.seconds < 3


def test_time_is_one_line(notebook):
    answer = notebook.run("%time std::thread::sleep(std::time::Duration::from_millis(200))")
    ran = re.fullmatch(r"compiled in [\d.]+ \w+, ran in (\d+) ms\n", answer.stream())
    assert ran, answer.stream()
    assert 200 <= int(ran[1]) < 400


def test_variables_are_a_table(fresh):
    assert fresh.run('let text = "<b>&</b>"; let values = vec![1.5, 2.5];').error is None
    (table,) = fresh.run("%vars").contents("display_data")
    html = table["data"]["text/html"]
    assert "&lt;b&gt;&amp;&lt;/b&gt;" in html and "<script" not in html and "color" not in html
    assert re.search(r"values +Vec<f64> +\[1.5, 2.5\] +In\[1\]", table["data"]["text/plain"]), table["data"]["text/plain"]


def test_magics_alone_need_no_compiler(notebook):
    notebook.run("%vars")
    assert notebook.run("%lsmagic").seconds < 0.2


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("%time f(", "incomplete"),
        ("%time 1 + 1", "complete"),
        ("%timeit f(", "complete"),  # It takes its line only: running it says what is open.
        ("%vars", "complete"),
        ("!ls (", "complete"),
        ("%%stage", "incomplete"),
        ("%%stage\nlet y = 1.0;", "incomplete"),
        ("%%stage\nlet y = 1.0;\n", "complete"),
        ("%%stage f(x)\nx.exp(\n", "incomplete"),
        ("%nonsense", "complete"),
    ],
)
def test_a_console_is_told_when_a_magic_is_whole(notebook, code, status):
    request = notebook.client.is_complete(code)
    while (reply := notebook.client.get_shell_msg(timeout=10))["parent_header"]["msg_id"] != request:
        pass
    assert reply["content"]["status"] == status
