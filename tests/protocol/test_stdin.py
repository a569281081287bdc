"""Input: the prelude's `input` and `password`, and a plain read of standard input."""

from __future__ import annotations


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
