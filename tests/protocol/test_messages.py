"""Messages a client may send, and messages it must not."""

from __future__ import annotations

import time
from queue import Empty

import pytest
import zmq
from jupyter_client.session import Session


def test_user_expressions(notebook):
    answer = notebook.run("let seven = 7;", user_expressions={"good": "seven * 6", "bad": "no_such_name"})
    expressions = answer.reply["content"]["user_expressions"]
    assert expressions["good"]["status"] == "ok" and expressions["good"]["data"]["text/plain"] == "42"
    assert expressions["bad"]["status"] == "error" and expressions["bad"]["ename"]


def test_counts_go_up_and_silence_does_not_count(notebook):
    first = notebook.run("1").reply["content"]["execution_count"]
    notebook.run("2", silent=True)
    notebook.run("3", store_history=False)
    assert notebook.run("4").reply["content"]["execution_count"] >= first + 1
    assert notebook.run("").reply["content"]["status"] == "ok"


def test_comm_info_is_answered(notebook):
    request = notebook.client.comm_info()
    reply = notebook.client.get_shell_msg(timeout=10)
    assert reply["parent_header"]["msg_id"] == request
    assert reply["content"] == {"status": "ok", "comms": {}}


def raw_shell(notebook):
    """A bare socket to the shell channel, for frames that no client would send."""
    connection = notebook.manager.get_connection_info()
    socket = zmq.Context.instance().socket(zmq.DEALER)
    socket.linger = 0
    if connection["transport"] == "ipc":
        socket.connect(f"ipc://{connection['ip']}-{connection['shell_port']}")
    else:
        socket.connect(f"tcp://{connection['ip']}:{connection['shell_port']}")
    return socket


@pytest.mark.parametrize(
    "frames",
    [
        [b""],
        [b"<IDS|MSG>"],
        [b"<IDS|MSG>", b"", b"{}", b"{}", b"{}", b"{}"],
        [b"<IDS|MSG>", b"0" * 64, b'{"msg_type":"execute_request","msg_id":"1"}', b"{}", b"{}", b'{"code":"std::process::abort()"}'],
        [b"<IDS|MSG>", b"\xff\xfe", b"not json", b"", b"[", b"\x00"],
        [b"x"] * 100,
    ],
    ids=["empty", "delimiter alone", "unsigned", "forged", "not JSON", "no delimiter"],
)
def test_malformed_and_unsigned_messages_are_dropped(notebook, frames):
    assert notebook.run("let whole = 1;").error is None
    socket = raw_shell(notebook)
    socket.send_multipart(frames)
    assert socket.poll(300) == 0, socket.recv_multipart()
    socket.close()
    assert notebook.text("whole") == "1"


def test_an_unknown_message_type_leaves_the_kernel_well(notebook):
    notebook.client.shell_channel.send(notebook.client.session.msg("no_such_request", {"any": 1}))
    time.sleep(0.3)
    while True:
        try:
            reply = notebook.client.get_shell_msg(timeout=0.3)
        except Empty:
            break
        assert reply["content"]["status"] == "error" and "no_such_request" in str(reply["content"])
    assert notebook.text("1 + 1") == "2"


@pytest.mark.parametrize("content", [{}, {"code": 7}, {"code": None}, {"code": "1", "silent": "perhaps"}])
def test_a_request_with_wrong_fields_gets_an_error(notebook, content):
    message = notebook.client.session.msg("execute_request", content)
    notebook.client.shell_channel.send(message)
    reply = notebook.client.get_shell_msg(timeout=10)
    assert reply["parent_header"]["msg_id"] == message["header"]["msg_id"]
    assert reply["content"]["status"] == "error" and reply["content"]["evalue"]
    assert notebook.text("1 + 1") == "2"


@pytest.mark.parametrize(
    "code",
    ["let s = \"" + "a" * (10 << 20) + '"; s.len()', "let a = 1;\0 let b = 2;", "let c = 3;\r let d = 4;\rc + d"],
    ids=["10 MB", "NUL", "lone CR"],
)
def test_odd_cells_are_answered(notebook, code):
    assert notebook.run("let before = 11;").error is None
    answer = notebook.run(code)
    assert answer.error is not None or answer.result is not None
    assert notebook.text("before") == "11"


def test_two_clients_share_a_kernel(notebook):
    other = notebook.manager.client()
    # A session of its own, as every client has: `client()` lends the manager's.
    other.session = Session(key=notebook.client.session.key)
    other.start_channels()
    other.wait_for_ready(timeout=30)
    assert notebook.run("let shared = 21;").error is None
    other.execute("shared * 2")
    reply = other.get_shell_msg(timeout=30)
    while reply["msg_type"] != "execute_reply":
        reply = other.get_shell_msg(timeout=30)
    assert reply["content"]["status"] == "ok"
    other.stop_channels()
