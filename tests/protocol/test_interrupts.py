"""Interrupt, shutdown and restart, and what they keep."""

from __future__ import annotations

import time

import pytest


def interrupted(notebook, code: str, after: float = 1.0, within: float = 10.0):
    """Runs `code`, interrupts it, and returns its answer, which must come soon."""
    request = notebook.send(code)
    time.sleep(after)
    notebook.manager.interrupt_kernel()
    sent = time.monotonic()
    answer = notebook.until_idle(request, timeout=30)
    assert time.monotonic() - sent < within
    assert "Interrupted" in (answer.error or ""), answer.messages
    return answer


@pytest.mark.parametrize(
    "body",
    [
        "loop {}",
        "while true { kept += 1; }",
        "loop { let _ = tensor![1.0, 2.0].exp(); }",
        "for i in 0u64.. { std::hint::black_box(i); }",
        "(0..u64::MAX).map(|i| i as f64).filter(|x| *x < 0.0).count();",
        "fn fib(n: u64) -> u64 { if n < 2 { n } else { fib(n - 1) + fib(n - 2) } } fib(100);",
    ],
)
def test_an_interrupt_keeps_every_variable(notebook, body):
    assert notebook.run("let mut kept: i64 = 41; let big = vec![1u8; 1000];").error is None
    interrupted(notebook, f"let before = 7; {body}")
    assert notebook.text("(kept >= 41, big.len(), before)") == "(true, 1000, 7)"


def test_two_interrupts_in_one_long_operation_lose_nothing(notebook):
    """What can't be stopped midway takes a second here, which is less than the kernel waits before it warns."""
    assert notebook.run("let both = 5;").error is None
    request = notebook.send("for _ in 0..100 { std::thread::sleep(std::time::Duration::from_secs(1)); }")
    time.sleep(1)
    notebook.manager.interrupt_kernel()
    time.sleep(0.05)
    notebook.manager.interrupt_kernel()
    answer = notebook.until_idle(request, timeout=20)
    assert "Interrupted" in answer.error and answer.stream("stderr") == "", answer.messages
    assert notebook.text("both") == "5"


def test_an_interrupt_while_a_cell_compiles(notebook):
    assert notebook.run("let still = 3;").error is None
    functions = "\n".join(f"fn slow_{i}(x: &str) -> String {{ format!(\"{{x}} {{}} {{:?}}\", {i}, [{i}; 8]) }}" for i in range(3000))
    request = notebook.send(functions)
    time.sleep(0.3)
    notebook.manager.interrupt_kernel()
    answer = notebook.until_idle(request, timeout=60)
    assert answer.error is None or "Interrupted" in answer.error
    assert notebook.text("still") == "3"


def test_the_kernel_answers_while_a_cell_runs(notebook):
    request = notebook.send("std::thread::sleep(std::time::Duration::from_secs(3));")
    time.sleep(0.5)
    control = notebook.manager.client()
    control.start_channels(shell=False, iopub=False, stdin=False, hb=True, control=True)
    started = time.monotonic()
    message = notebook.client.session.msg("kernel_info_request", {})
    control.control_channel.send(message)
    assert control.control_channel.get_msg(timeout=1)["content"]["status"] == "ok"
    assert time.monotonic() - started < 1
    control.hb_channel.unpause()
    time.sleep(0.5)
    assert control.hb_channel.is_beating()
    control.stop_channels()
    assert notebook.until_idle(request).error is None


def test_what_is_queued_is_aborted_after_an_error(notebook):
    first = notebook.send('std::thread::sleep(std::time::Duration::from_millis(300)); panic!("first")')
    second = notebook.send("let queued = 1;")
    assert "first" in notebook.until_idle(first).error
    answer = notebook.until_idle(second)
    assert answer.reply["content"]["status"] in ("aborted", "error")
    third = notebook.send('panic!("third")', stop_on_error=False)
    fourth = notebook.send("2 + 2")
    assert "third" in notebook.until_idle(third).error
    assert notebook.until_idle(fourth).result == "4"


def test_a_restart_forgets_and_a_shutdown_ends(fresh):
    assert fresh.run("let gone = 1;").error is None
    fresh.manager.restart_kernel(now=False)
    fresh.client.wait_for_ready(timeout=60)
    assert "gone" in fresh.run("gone").error
    assert fresh.text("1 + 1") == "2"
    fresh.client.shutdown()
    deadline = time.monotonic() + 5
    while fresh.manager.is_alive() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not fresh.manager.is_alive()


def test_an_interrupt_while_a_staged_cell_is_traced_runs_nothing(notebook):
    assert notebook.run("let base = tensor![1.0, 2.0];").error is None
    interrupted(notebook, "%%stage\nlet base = &base * 2.0;\nlet mut x = base.clone();\nloop { x = &x + 1.0; }")
    assert notebook.text("base.to_vec::<f32>()") == "[1.0, 2.0]"
    assert notebook.text("(&base + 1.0).to_vec::<f32>()") == "[2.0, 3.0]"
