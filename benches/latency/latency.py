#!/usr/bin/env python3
"""How long a cell takes, as a Jupyter client sees it.

In one kernel, 200 cells of six kinds in turn; for each, the time from the request to idle. Before them, the time from the start of the process to the
first tensor shown, and the memory of the kernel and its children at idle. Prints the figures beside their targets, the one that matters most last.

    tests/run.sh rust                                        # once: makes the environment and the install that this uses by default
    tests/.venv/bin/python benches/latency/latency.py
    ... latency.py --evcxr                                   # the same cells on evcxr_jupyter, which must be installed
    ... latency.py --kernel NAME --cells 200 --json FILE
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from pathlib import Path
from queue import Empty

from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel
from jupyter_client.manager import KernelManager

ROOT = Path(__file__).resolve().parents[2]

# One cell of each kind; {i} makes the names new.
KINDS = {
    "1 + 1": "1 + 1",
    "let of a tensor": "let made_{i} = tensor![1.0, 2.0, {i}.0];",
    "uses three variables": "let used_{i} = &a + &b * &c;",
    "new fn": "fn line_{i}(x: f64) -> f64 {{ x * {i}.0 + 1.0 }}",
    "compile error": 'let wrong: i32 = "text {i}";',
    "tensor shown": "tensor![[1.0, 2.0], [3.0, {i}.0]]",
}
SETUP = "let a = tensor![1.0, 2.0]; let b = tensor![3.0, 4.0]; let c = tensor![5.0, 6.0];"
FIRST = "tensor![1.0, 2.0, 3.0]"

# What issue 2 asks for: seconds, seconds, bytes.
CELL, START, MEMORY = 0.100, 0.6, 80e6


class Kernel:
    """A kernel and a client that measures."""

    def __init__(self, name: str) -> None:
        self.started = time.perf_counter()
        self.manager = KernelManager(kernel_name=name)
        self.manager.start_kernel(stderr=open(os.devnull, "w"))
        self.client = self.manager.client()
        self.client.start_channels(stdin=False, hb=False)
        # Asked again until iopub is heard: a subscription takes a moment, and what is published before it is lost.
        heard = False
        while not heard:
            self.client.kernel_info()
            try:
                self.client.get_iopub_msg(timeout=0.1)
                heard = True
            except Empty:
                assert self.manager.is_alive() and time.perf_counter() - self.started < 120, "the kernel does not start"

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)

    def run(self, code: str) -> tuple[float, str, bool]:
        """Seconds from request to idle, what was shown, and whether it failed."""
        sent = time.perf_counter()
        request = self.client.execute(code)
        shown, failed = "", False
        while True:
            message = self.client.get_iopub_msg(timeout=120)
            if message["parent_header"].get("msg_id") != request:
                continue
            content = message["content"]
            match message["msg_type"]:
                case "execute_result":
                    shown = content["data"]["text/plain"]
                    self.shown_at = time.perf_counter()
                case "error":
                    failed = True
                case "status" if content["execution_state"] == "idle":
                    return time.perf_counter() - sent, shown, failed

    def memory(self) -> dict[str, tuple[int, int]]:
        """Proportional and resident bytes of the kernel's process and each below it, by name."""
        parents = {}
        for process in Path("/proc").glob("[0-9]*"):
            try:
                parents[int(process.name)] = int((process / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                continue
        family = [self.manager.provisioner.pid]
        for pid in family:
            family += [child for child, parent in parents.items() if parent == pid]
        sizes = {}
        for pid in family:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            read = {line.split(":")[0]: int(line.split()[1]) * 1024 for line in lines[1:]}
            sizes[f"{Path(f'/proc/{pid}/comm').read_text().strip()} ({pid})"] = (read["Pss"], read["Rss"])
        return sizes


def measure(name: str, cells: int, first: str, setup: str) -> dict:
    kernel = Kernel(name)
    try:
        if setup_first := "" if first == FIRST else first:
            kernel.run(setup_first)
        _, shown, failed = kernel.run(FIRST)
        assert shown and not failed, "the first tensor was not shown"
        start = kernel.shown_at - kernel.started
        time.sleep(2)
        memory = kernel.memory()
        _, _, failed = kernel.run(setup)
        assert not failed, f"the kernel refuses {setup}"
        times = []
        for i in range(cells):
            kind = list(KINDS)[i % len(KINDS)]
            seconds, shown, failed = kernel.run(KINDS[kind].format(i=i))
            assert failed == (kind == "compile error"), f"{kind}: {'failed' if failed else 'did not fail'}"
            assert bool(shown) == (kind in ("1 + 1", "tensor shown")), f"{kind} showed {shown!r}"
            times.append((kind, seconds))
        # What the kernel takes at the end, for growth.
        grown = kernel.memory()
        return {"kernel": name, "start": start, "memory": memory, "memory after": grown, "times": times}
    finally:
        kernel.close()


def report(result: dict) -> None:
    def row(what: str, value: str, target: str, good: bool) -> None:
        print(f"  {what:<36}{value:>12}   {target:<18}{'' if good else 'MISSED'}")

    print(f"{result['kernel']}, {len(result['times'])} cells, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    row("process start to first tensor", f"{result['start'] * 1e3:.0f} ms", f"at most {START * 1e3:.0f} ms", result["start"] <= START)
    for moment in ("memory", "memory after"):
        for process, (proportional, resident) in result[moment].items():
            print(f"    {process:<34}{proportional / 1e6:>9.1f} MB   ({resident / 1e6:.1f} MB resident)")
        total = sum(proportional for proportional, _ in result[moment].values())
        row("memory at idle" if moment == "memory" else "memory after the cells", f"{total / 1e6:.1f} MB", f"at most {MEMORY / 1e6:.0f} MB", total <= MEMORY)
    for kind in KINDS:
        seconds = sorted(seconds for k, seconds in result["times"] if k == kind)
        median, worst = statistics.median(seconds), seconds[-1]
        row(f"{kind} (worst {worst * 1e3:.0f})", f"{median * 1e3:.1f} ms", f"at most {CELL * 1e3:.0f} ms", median <= CELL)
    times = [seconds for _, seconds in result["times"]]
    begun, ended = statistics.mean(times[:20]), statistics.mean(times[-20:])
    # Two means of 20 differ by a few per cent by chance.
    row("last 20 over first 20", f"{ended / begun:.2f}", "at most 1.05", ended <= begun * 1.05)
    print(f"median of all cells: {statistics.median(times) * 1e3:.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernel", default="footlight", help="the kernelspec to measure")
    parser.add_argument("--evcxr", action="store_true", help="run the same cells on evcxr_jupyter too, with the runtime as a crate of its own")
    parser.add_argument("--cells", type=int, default=200)
    parser.add_argument("--json", type=Path, help="write what was measured to this file")
    options = parser.parse_args()
    home = ROOT / "target/tests/home"
    if "FOOTLIGHT_HOME" not in os.environ and home.is_dir():
        os.environ["FOOTLIGHT_HOME"] = str(home)
    runs = [(options.kernel, FIRST, SETUP)]
    if options.evcxr:
        runs.append(("rust", f':dep footlight = {{ path = "{ROOT / "runtime"}" }}\nuse footlight::prelude::*;', SETUP))
    results = []
    for name, first, setup in runs:
        try:
            KernelSpecManager().get_kernel_spec(name)
        except NoSuchKernel:
            sys.exit(f"no kernelspec '{name}': " + ("install evcxr_jupyter and run `evcxr_jupyter --install`" if name == "rust" else "run tests/run.sh or install.sh first"))
        result = measure(name, options.cells, first, setup)
        report(result)
        results.append(result)
    if len(results) == 2:
        ours, theirs = (statistics.median(seconds for _, seconds in result["times"]) for result in results)
        print(f"evcxr_jupyter over footlight, median of all cells: {theirs / ours:.1f}")
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
