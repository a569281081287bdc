"""Each way a worker can die: one clear error, the kernel lives, and the next cell works."""

from __future__ import annotations

import subprocess
import time

import pytest
from conftest import Answer

DEATHS = {
    "exit": ("std::process::exit(3);", "3"),
    "abort": ("std::process::abort();", "abort"),
    "stack overflow": ("fn deep(n: u64) -> u64 { if n == 0 { 0 } else { 1 + std::hint::black_box(deep(n + 1)) } }\ndeep(1)", "stack"),
    "segfault": ("unsafe { std::ptr::write_volatile(std::ptr::without_provenance_mut::<u8>(16), 1) };", "SIGSEGV"),
    "memory": ("let all: Vec<u8> = Vec::with_capacity(1 << 60); all.len()", "memory"),
    "killed": ('std::process::Command::new("kill").args(["-9", &std::process::id().to_string()]).status().unwrap(); loop {}', "SIGKILL"),
}


@pytest.mark.parametrize("death", DEATHS)
def test_a_death_is_one_error_and_the_next_cell_works(notebook, death):
    code, word = DEATHS[death]
    assert notebook.run("fn kept() -> i32 { 5 }\nlet lost = 1;").error is None
    answer = notebook.run(code, timeout=60)
    assert answer.error is not None and word in answer.error, answer.error
    assert "In[" in answer.error, f"the cell is named: {answer.error}"
    assert "lost" in answer.error, f"the variables that are gone are named: {answer.error}"
    assert answer.stream("stderr") == "", "the error says it all"
    assert notebook.text("kept() + 1") == "6"


def test_the_error_of_a_death_stands_alone_with_backtraces_on(start):
    notebook = start(RUST_BACKTRACE="1")
    for death, name in [("memory", "OutOfMemory"), ("stack overflow", "StackOverflow")]:
        code, _ = DEATHS[death]
        answer = notebook.run('eprintln!("mine");\n' + code)
        assert answer.contents("error")[0]["ename"] == name, answer.error
        assert answer.stream("stderr") == "mine\n"


def test_a_thread_that_overflows_its_stack_between_cells_is_told_of(fresh):
    deep = "fn deep(n: u64) -> u64 { if n == 0 { 0 } else { 1 + std::hint::black_box(deep(n + 1)) } }\n"
    wait = "std::thread::sleep(std::time::Duration::from_millis(500));"
    assert fresh.run(deep + f"let held = 1; std::thread::spawn(|| {{ {wait} deep(1) }});").error is None
    time.sleep(1.5)
    answer = fresh.run("2")
    assert answer.result == "2"
    assert "stack" in answer.stream("stderr") and "overflowed" not in answer.stream("stderr"), answer.messages


def test_a_panic_loses_nothing(notebook):
    assert notebook.run("let mut count = 1;").error is None
    answer = notebook.run('let before = 2;\ncount += 1;\nlet worst: Option<i32> = None;\nworst.expect("a value");')
    assert "a value" in answer.error and ":4" in answer.error, answer.error
    assert notebook.text("(count, before)") == "(2, 2)"


def test_a_worker_killed_between_cells_is_told_of_by_the_next_one(fresh):
    worker = fresh.text("let held = 1; std::process::id()")
    subprocess.run(["kill", "-9", worker], check=True)
    time.sleep(0.3)
    answer = fresh.run("1 + 1")
    assert answer.result == "2", answer.error
    assert "SIGKILL" in answer.stream("stderr") and "held is lost" in answer.stream("stderr"), answer.messages
    assert "`held` was lost when the worker ended" in fresh.run("held").error


def test_what_a_program_printed_is_no_cause_of_death(fresh):
    assert fresh.run('eprintln!("memory allocation of pages; thread has overflowed its stack");').error is None
    assert "exit code 4" in fresh.run("std::process::exit(4);").error


def test_a_panic_in_another_thread_kills_nothing(fresh):
    assert fresh.run("let held = 1;").error is None
    answer = fresh.run('std::thread::spawn(|| panic!("elsewhere")).join().is_err()')
    assert answer.result == "true", answer.error
    assert fresh.text("held") == "1"


def test_a_thread_that_prints_without_end_does_not_hold_up_cells(fresh):
    assert fresh.run('std::thread::spawn(|| loop { println!("again and again"); }); let held = 2;', timeout=30).error is None
    assert fresh.run("held", timeout=30).result == "2"


def test_a_cell_that_does_not_stop_is_ended_by_an_interrupt_after_the_warning(fresh):
    assert fresh.run("let held = 1;").error is None
    request = fresh.send("std::thread::sleep(std::time::Duration::from_secs(600));")
    time.sleep(1)
    for _ in range(3):
        fresh.manager.interrupt_kernel()
        time.sleep(0.05)
    while (message := fresh.client.get_iopub_msg(timeout=5))["msg_type"] != "stream":
        pass
    assert message["content"]["name"] == "stderr" and "interrupt again to end the worker" in message["content"]["text"]
    fresh.manager.interrupt_kernel()
    answer = Answer()
    while message["msg_type"] != "error":
        message = fresh.client.get_iopub_msg(timeout=5)
        assert message["msg_type"] != "stream", f"said once: {message['content']}"
        answer.messages.append(message)
    answer.reply = fresh.client.get_shell_msg(timeout=5)
    assert answer.reply["parent_header"]["msg_id"] == request
    assert "Interrupted" in answer.error and "held is lost" in answer.error, answer.error
    assert fresh.text("1 + 1") == "2"
