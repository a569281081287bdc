#!/usr/bin/env python3
"""Ours beside TensorFlow, JAX and PyTorch, on one machine, in one run: the ratio of each workload to the best peer, below 1 where we are faster.

    python3 benches/peers/peers.py                     # makes an environment with the peers in target/peers, once (JAX alone: --peers jax)
    ... peers.py --only chain_staged,softmax           # some of the workloads
    ... peers.py --rounds 3 --json FILE

The sides take turns, so that whatever else the machine does falls on all of them; each workload's best time counts. The goals are those of the
issues that set them.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PACKAGES = {"jax": "jax==0.10.2", "tf": "tensorflow-cpu==2.21.0", "torch": "torch==2.15.0"}

# The most that a workload may take of the best peer's time.
GOALS = {
    "add1": 1.0,
    "matmul64": 0.9,
    "matmul1024": 1.0,
    "chain_eager": 0.6,
    "chain_staged": 0.4,
    "softmax": 0.7,
    "mlp_eager": 0.8,
    "mlp_staged": 0.9,
    "hmc_eager": 0.2,
    "hmc_staged": 0.4,
    "hmc_first": 0.1,
}


def best(value) -> float | None:
    """Seconds of a workload, as either side reports it; None for one that failed."""
    return value.get("best") if isinstance(value, dict) else value


def run(command: list[str]) -> dict:
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0 or not lines:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    return json.loads(lines[-1])


def environment(peers: list[str]) -> Path:
    python = ROOT / "target" / "peers" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", python.parents[1]], check=True)
    for peer in peers:
        module = {"tf": "tensorflow"}.get(peer, peer)
        if subprocess.run([python, "-c", f"import importlib.util as u; raise SystemExit(u.find_spec('{module}') is None)"]).returncode:
            subprocess.run([python, "-m", "pip", "install", "--quiet", "numpy", PACKAGES[peer]], check=True)
    return python


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", default="jax,tf,torch")
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--json", type=Path, help="write what was measured to this file")
    options = parser.parse_args()
    peers = options.peers.split(",")
    python = environment(peers)
    only = ["--only", options.only] if options.only else []
    sides = {peer: [str(python), str(HERE / "workloads.py"), peer, *only] for peer in peers}
    sides["footlight"] = ["cargo", "bench", "--quiet", "-p", "footlight", "--bench", "peers", "--", *only]
    measured: dict[str, dict[str, float]] = {side: {} for side in sides}
    for _ in range(options.rounds):
        for side, command in sides.items():
            for name, value in run(command).items():
                seconds = best(value)
                if isinstance(seconds, float):
                    measured[side][name] = min(seconds, measured[side].get(name, seconds))
    print(f"{'':14}" + "".join(f"{side:>13}" for side in sides) + f"{'ratio':>9}{'goal':>7}")
    for name, goal in GOALS.items():
        ours = measured["footlight"].get(name)
        theirs = [measured[peer][name] for peer in peers if name in measured[peer]]
        if ours is None or not theirs:
            continue
        ratio = ours / min(theirs)
        cells = "".join(f"{measured[side][name] * 1e6:10.1f} us" if name in measured[side] else f"{'-':>13}" for side in sides)
        print(f"{name:14}{cells}{ratio:9.2f}{goal:7.1f}{'' if ratio <= goal else '  MISSED'}")
    if options.json:
        options.json.write_text(json.dumps(measured, indent=1))


if __name__ == "__main__":
    main()
