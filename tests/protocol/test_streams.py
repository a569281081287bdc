"""Output as the user sees it: streamed while the cell runs, in order, whole, and bounded."""

from __future__ import annotations

import time


def test_text_without_newline_comes_while_the_cell_runs(notebook):
    request = notebook.send('print!("working"); std::thread::sleep(std::time::Duration::from_secs(2)); println!(" done");')
    started = time.monotonic()
    while True:
        message = notebook.client.get_iopub_msg(timeout=10)
        if message["msg_type"] == "stream":
            break
    # Two seconds before the cell ends: the compile is the rest.
    assert message["content"] == {"name": "stdout", "text": "working"}
    seen = time.monotonic() - started
    notebook.client.get_shell_msg(timeout=10)
    assert time.monotonic() - started - seen > 1.5
    while message["msg_type"] != "status" or message["content"]["execution_state"] != "idle":
        message = notebook.client.get_iopub_msg(timeout=10)
    assert request == message["parent_header"]["msg_id"]


def test_text_and_displays_keep_their_order(notebook):
    answer = notebook.run(
        'for i in 0..20 { println!("before {i}"); eprintln!("beside {i}"); display(&tensor![i as f64]); println!("after {i}"); }'
    )
    assert answer.error is None
    seen = []
    for message in answer.messages:
        if message["msg_type"] == "stream":
            seen += [line for line in message["content"]["text"].splitlines() if not line.startswith("beside")]
        elif message["msg_type"] == "display_data":
            seen.append("display")
    assert seen == [word for i in range(20) for word in (f"before {i}", "display", f"after {i}")]
    assert answer.stream("stderr").splitlines() == [f"beside {i}" for i in range(20)]


def test_two_thousand_flushed_lines_arrive(notebook):
    answer = notebook.run('use std::io::Write; for i in 0..2000 { println!("line {i}"); std::io::stdout().flush().unwrap(); }')
    assert answer.stream().splitlines() == [f"line {i}" for i in range(2000)]
    # jupyter_server drops output above 1,000 messages a second.
    assert len(answer.messages) < 1000


def test_an_eight_megabyte_result_arrives_whole(notebook):
    answer = notebook.run('"x".repeat(8 << 20)')
    assert answer.error is None
    assert answer.result is not None and answer.result.count("x") == 8 << 20


def test_text_outside_utf8_and_split_characters(notebook):
    answer = notebook.run(
        "use std::io::Write; let mut out = std::io::stdout();"
        ' for byte in "naïve 🦀 日本".bytes() { out.write_all(&[byte]).unwrap(); out.flush().unwrap(); std::thread::sleep(std::time::Duration::from_millis(5)); }'
    )
    assert answer.stream() == "naïve 🦀 日本"
    answer = notebook.run("std::io::Write::write_all(&mut std::io::stdout(), &[b'a', 0xff, b'b', b'\\n']).unwrap();")
    assert answer.stream() == "a\ufffdb\n"


def test_output_of_a_child_process_and_of_threads(notebook):
    assert "from a child" in notebook.run('std::process::Command::new("echo").arg("from a child").status().unwrap();').stream()
    answer = notebook.run('std::thread::spawn(|| println!("from a thread")).join().unwrap();')
    assert answer.stream() == "from a thread\n"


def test_what_a_thread_prints_after_its_cell_comes_at_once(fresh):
    request = fresh.send(
        "std::thread::spawn(|| for i in 0..5 { std::thread::sleep(std::time::Duration::from_millis(300));"
        ' print!("tick {i}\\n"); display(&tensor![i]); });'
    )
    assert fresh.until_idle(request).stream() == ""
    seen = []
    while len(seen) < 10:
        message = fresh.client.get_iopub_msg(timeout=2)
        assert message["parent_header"]["msg_id"] == request, message
        seen.append(message["content"].get("text") or message["msg_type"])
    assert seen == [said for i in range(5) for said in (f"tick {i}\n", "display_data")]
    # A silent cell and expressions, which show nothing, leave it to the cell before.
    last = fresh.send('std::thread::spawn(|| { std::thread::sleep(std::time::Duration::from_secs(1)); println!("late"); });')
    fresh.until_idle(last)
    assert fresh.run("1", silent=True, user_expressions={"two": "1 + 1"}).messages == []
    while (message := fresh.client.get_iopub_msg(timeout=3))["msg_type"] != "stream":
        pass
    assert (message["parent_header"]["msg_id"], message["content"]["text"]) == (last, "late\n")


def test_a_thread_that_floods_between_cells_is_bounded(fresh):
    assert fresh.run('std::thread::spawn(|| loop { println!("{}", "z".repeat(200)); });').error is None
    text, deadline = 0, time.monotonic() + 60
    while time.monotonic() < deadline:
        message = fresh.client.get_iopub_msg(timeout=30)
        if message["msg_type"] == "stream":
            text += len(message["content"]["text"])
            if "wrote more than 10 MiB" in message["content"]["text"]:
                break
    # What came before the cell's end was its answer's.
    assert 9 << 20 <= text < 11 << 20
    assert fresh.run("1 + 1", timeout=30).result == "2"


def test_endless_output_is_bounded_and_said_so(fresh):
    request = fresh.send('let kept = 5; loop { println!("{}", "y".repeat(200)); }')
    time.sleep(4)
    fresh.manager.interrupt_kernel()
    answer = fresh.until_idle(request, timeout=60)
    text = answer.stream() + answer.stream("stderr")
    assert "Interrupted" in (answer.error or "")
    assert len(text) < 64 << 20
    assert fresh.text("kept") == "5"


def test_clear_output_and_updates(notebook):
    answer = notebook.run("for i in 0..3 { clear_output(true); display(&tensor![i]); }")
    assert [message["msg_type"] for message in answer.messages if message["msg_type"] != "execute_input"] == ["clear_output", "display_data"] * 3
    assert answer.contents("clear_output")[0] == {"wait": True}
    answer = notebook.run("let shown = display_id(&tensor![1]); update_display(&shown, &tensor![2]);")
    first, second = answer.contents("display_data")[0], answer.contents("update_display_data")[0]
    assert first["transient"]["display_id"] == second["transient"]["display_id"] != ""
    assert first["data"]["text/plain"] != second["data"]["text/plain"]


def test_silent_cells_answer_nothing(notebook):
    answer = notebook.run("41 + 1", silent=True)
    assert answer.reply["content"]["status"] == "ok"
    assert answer.messages == []
