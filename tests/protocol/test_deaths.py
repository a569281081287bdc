"""Each way a worker can die: one clear error, the kernel lives, and the next cell works."""

from __future__ import annotations

import pytest

DEATHS = {
    "exit": ("std::process::exit(3);", "3"),
    "abort": ("std::process::abort();", "abort"),
    "stack overflow": ("fn deep(n: u64) -> u64 { if n == 0 { 0 } else { 1 + std::hint::black_box(deep(n + 1)) } }\ndeep(1)", "stack"),
    "segfault": ("unsafe { std::ptr::write_volatile(std::ptr::without_provenance_mut::<u8>(16), 1) };", "SIGSEGV"),
    "killed": ('std::process::Command::new("kill").args(["-9", &std::process::id().to_string()]).status().unwrap(); loop {}', "SIGKILL"),
}


@pytest.mark.parametrize("death", DEATHS)
def test_a_death_is_one_error_and_the_next_cell_works(notebook, death):
    code, word = DEATHS[death]
    assert notebook.run("fn kept() -> i32 { 5 }\nlet lost = 1;").error is None
    answer = notebook.run(code, timeout=60)
    assert answer.error is not None and word in answer.error, answer.error
    assert "lost" in answer.error, f"the variables that are gone are named: {answer.error}"
    assert notebook.text("kept() + 1") == "6"


def test_a_panic_loses_nothing(notebook):
    assert notebook.run("let mut count = 1;").error is None
    answer = notebook.run('let before = 2;\ncount += 1;\nlet worst: Option<i32> = None;\nworst.expect("a value");')
    assert "a value" in answer.error and ":4" in answer.error, answer.error
    assert notebook.text("(count, before)") == "(2, 2)"
