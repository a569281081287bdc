"""Makes optim.json: what optax, in double precision, gives for steps of each optimizer.

    pip install optax && python tests/golden/make_optim.py > tests/golden/optim.json
"""
import json

import jax
import numpy as np
import optax

jax.config.update("jax_enable_x64", True)

START = [1.0, -2.0, 0.5]
STEPS = 12
# From large to tiny, with a change of sign, and an element whose gradient is now and then zero.
GRADIENTS = [[float(np.sin(1.7 * t + i) * 10.0 ** (1 - t % 4)) if (t + i) % 5 else 0.0 for i in range(3)] for t in range(STEPS)]
OPTIMIZERS = {
    "sgd": optax.sgd(0.1),
    "sgd with momentum": optax.sgd(0.1, momentum=0.9),
    "adam": optax.adam(0.01),
    "adam with its own betas and epsilon": optax.adam(0.05, b1=0.8, b2=0.99, eps=1e-3),
}

golden = {"optax": optax.__version__, "start": START, "gradients": GRADIENTS, "steps": {}}
for name, optimizer in OPTIMIZERS.items():
    w = jax.numpy.array(START)
    state = optimizer.init(w)
    golden["steps"][name] = []
    for gradient in GRADIENTS:
        updates, state = optimizer.update(jax.numpy.array(gradient), state, w)
        w = optax.apply_updates(w, updates)
        golden["steps"][name].append(w.tolist())
print(json.dumps(golden, indent=1))
