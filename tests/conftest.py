"""A notebook for the tests: one kernel, and what each of its cells answered.

The kernel is the installed one (`./install.sh --sys-prefix` into the tests' virtual environment, which `tests/run.sh` does). `notebook.run(code)`
sends one cell with a real client, checks that every message is a child of the request and that busy and idle stand around them, and returns
an `Answer`.
"""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass, field
from queue import Empty

import pytest
from jupyter_client.manager import KernelManager

KERNEL = "footlight"
ANSI = re.compile(r"\x1b\[[0-9;]*m")


@dataclass
class Answer:
    """What one cell answered: its iopub messages in order, its reply, and the seconds from request to idle."""

    messages: list[dict] = field(default_factory=list)
    reply: dict = field(default_factory=dict)
    seconds: float = 0.0

    def contents(self, kind: str) -> list[dict]:
        return [message["content"] for message in self.messages if message["msg_type"] == kind]

    def stream(self, name: str = "stdout") -> str:
        return "".join(content["text"] for content in self.contents("stream") if content["name"] == name)

    @property
    def result(self) -> str | None:
        """The result's `text/plain`."""
        results = self.contents("execute_result")
        assert len(results) <= 1, results
        return results[0]["data"]["text/plain"] if results else None

    @property
    def error(self) -> str | None:
        """The error as the user reads it, without colours. An error comes once, and the reply says the same."""
        errors = self.contents("error")
        assert len(errors) <= 1, errors
        assert bool(errors) == (self.reply["content"]["status"] == "error"), self.reply["content"]
        return ANSI.sub("", "\n".join(errors[0]["traceback"])) if errors else None


class Notebook:
    """One kernel and one client of it."""

    def __init__(self, environment: dict[str, str] | None = None) -> None:
        self.manager = KernelManager(kernel_name=KERNEL)
        self.manager.start_kernel(env={**os.environ, **(environment or {})})
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)

    def send(self, code: str, **options) -> str:
        """Sends a cell and returns its id."""
        return self.client.execute(code, **options)

    def until_idle(self, request: str, answers=(), timeout: float = 120.0) -> Answer:
        """Collects what belongs to `request`, from busy to idle and the reply; gives each input request the next of `answers`."""
        answer, started, answers = Answer(), time.monotonic(), iter(answers)
        states: list[str] = []
        while "idle" not in states:
            left = started + timeout - time.monotonic()
            assert left > 0, f"no idle within {timeout} s; so far: {answer.messages}"
            try:
                message = self.client.get_iopub_msg(timeout=min(left, 0.05))
            except Empty:
                self.give_input(answers)
                continue
            if message["parent_header"].get("msg_id") != request:
                continue
            if message["msg_type"] == "status":
                states.append(message["content"]["execution_state"])
            else:
                assert states == ["busy"], f"{message['msg_type']} outside busy and idle: {states}"
                answer.messages.append(message)
        answer.seconds = time.monotonic() - started
        assert states == ["busy", "idle"], states
        while answer.reply.get("parent_header", {}).get("msg_id") != request:
            answer.reply = self.client.get_shell_msg(timeout=10)
        return answer

    def give_input(self, answers) -> None:
        """Answers a waiting input request, if there is one."""
        try:
            request = self.client.get_stdin_msg(timeout=0)
        except Empty:
            return
        assert request["msg_type"] == "input_request", request
        self.client.input(next(answers))

    def run(self, code: str, answers=(), timeout: float = 120.0, **options) -> Answer:
        """Runs one cell to its end."""
        return self.until_idle(self.send(code, **options), answers, timeout)

    def text(self, code: str) -> str:
        """Runs a cell that must not fail, and returns its result's text."""
        answer = self.run(code)
        assert answer.error is None, answer.error
        return answer.result


@pytest.fixture(scope="module")
def notebook():
    """One kernel for the tests of a file; they use variables of their own."""
    notebook = Notebook()
    yield notebook
    notebook.close()


@pytest.fixture
def fresh():
    """A kernel for one test alone."""
    notebook = Notebook()
    yield notebook
    notebook.close()


@pytest.fixture
def start():
    """Starts kernels with other environment variables: `start(PATH="...")`."""
    started = []

    def start_(**environment: str) -> Notebook:
        started.append(Notebook(environment))
        return started[-1]

    yield start_
    for notebook in started:
        notebook.close()
