"""The kernel's processes: none is left behind, whoever dies, and the transport does not matter."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import psutil
import pytest
from jupyter_client.manager import KernelManager

from conftest import KERNEL

STARTER = f"""
import time
from jupyter_client.manager import start_new_kernel
manager, client = start_new_kernel(kernel_name={KERNEL!r})
client.execute("let here = 1;", reply=True)
print(manager.provisioner.pid, flush=True)
time.sleep(600)
"""


def family(pid: int) -> list[psutil.Process]:
    kernel = psutil.Process(pid)
    return [kernel, *kernel.children(recursive=True)]


def gone(processes: list[psutil.Process], within: float = 10.0) -> bool:
    deadline = time.monotonic() + within
    ended = lambda process: not process.is_running() or process.status() == psutil.STATUS_ZOMBIE  # noqa: E731
    while time.monotonic() < deadline:
        if all(ended(process) for process in processes):
            return True
        time.sleep(0.05)
    return False


def test_a_kernel_whose_jupyter_died_ends_with_its_worker():
    starter = subprocess.Popen([sys.executable, "-c", STARTER], stdout=subprocess.PIPE, text=True)
    processes = family(int(starter.stdout.readline()))
    assert len(processes) > 1, "the worker is a process of its own"
    starter.kill()
    starter.wait()
    assert gone(processes), processes


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_worker_ends_with_its_kernel(fresh, how):
    assert fresh.run("let here = 1;").error is None
    processes = family(fresh.manager.provisioner.pid)
    assert len(processes) > 1
    processes[0].send_signal(how)
    assert gone(processes), processes


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_command_ends_with_its_kernel(fresh, how):
    fresh.send("!sh -c 'sleep 600; echo' & sleep 600; wait")
    deadline = time.monotonic() + 10
    sleeping = lambda processes: [process for process in processes if process.name() == "sleep"]  # noqa: E731
    while len(sleeping(family(fresh.manager.provisioner.pid))) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    processes = family(fresh.manager.provisioner.pid)
    processes[0].send_signal(how)
    assert gone(processes), processes


def test_a_worker_in_an_endless_loop_ends_with_a_shutdown(fresh):
    fresh.send("loop { std::hint::black_box(1); }")
    time.sleep(1)
    processes = family(fresh.manager.provisioner.pid)
    fresh.client.shutdown()
    assert gone(processes), processes


def test_a_kernel_on_ipc_sockets(tmp_path):
    manager = KernelManager(kernel_name=KERNEL, transport="ipc", ip=str(tmp_path / "k"))
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        for _ in range(2):
            assert client.execute("1 + 1", reply=True, timeout=60)["content"]["status"] == "ok"
            # As a kernel that dies leaves its sockets' files.
            manager.restart_kernel(now=True)
            client.wait_for_ready(timeout=60)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def history(notebook, **query) -> list[str]:
    request = notebook.client.history(**query)
    reply = notebook.client.get_shell_msg(timeout=10)
    while reply["parent_header"].get("msg_id") != request:
        reply = notebook.client.get_shell_msg(timeout=10)
    return [line[2] for line in reply["content"]["history"]]


def test_history_outlives_the_kernel(fresh):
    marker = f"let marker_{time.time_ns()} = 1;"
    assert fresh.run(marker).error is None
    fresh.manager.restart_kernel(now=False)
    fresh.client.wait_for_ready(timeout=60)
    assert history(fresh, hist_access_type="search", pattern=marker, n=5) == [marker]
    assert history(fresh, hist_access_type="range", session=-1, start=1, stop=2) == [marker]
