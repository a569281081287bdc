"""Input: the prelude's `input` and `password`, and a plain read of standard input."""

from __future__ import annotations

import pytest


def test_input_and_password(notebook):
    answer = notebook.run('let name = input("Who? "); println!("Hello, {name}!");', answers=["Ada"])
    assert answer.error is None
    assert answer.stream().endswith("Hello, Ada!\n")
    answer = notebook.run('password("Key: ").len()', answers=["secret"])
    assert answer.result == "6"


def test_a_plain_read_of_stdin_asks_too(notebook):
    code = "let mut line = String::new(); std::io::stdin().read_line(&mut line).unwrap(); line.trim().to_string()"
    assert notebook.run(code, answers=["typed here"]).result == '"typed here"'


def test_without_a_front_end_that_can_ask_it_is_an_error(notebook):
    answer = notebook.run('let never = input("? ");', allow_stdin=False)
    assert answer.error is not None
    assert notebook.text("1 + 1") == "2"


@pytest.mark.parametrize(
    "code",
    [
        'let name = input("Who? ");',
        "let mut line = String::new(); std::io::stdin().read_line(&mut line).unwrap(); line",
        "std::io::read_to_string(std::io::stdin()).unwrap()",
    ],
)
def test_an_interrupt_ends_the_wait_for_input(notebook, code):
    request = notebook.send(code)
    assert notebook.client.get_stdin_msg(timeout=10)["msg_type"] == "input_request"
    notebook.manager.interrupt_kernel()
    answer = notebook.until_idle(request, timeout=10)
    assert answer.contents("error")[0]["ename"] == "Interrupted", answer.messages
    assert answer.stream("stderr") == ""
    assert notebook.text("1 + 1") == "2"
