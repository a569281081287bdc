"""Makes ops.json: what NumPy gives for every sample of the table of ops.

    cargo run -q -p footlight --example samples | python tests/golden/make.py > tests/golden/ops.json

The example prints each sample's inputs and NumPy expression, read from the ops' own files, so an op that is added needs no line here.
"""
import json
import sys

import numpy as np

golden = {}
for line in sys.stdin:
    sample = json.loads(line)
    names = dict(zip("abc", (np.array(i["values"], i["dtype"]).reshape(i["shape"]) for i in sample["inputs"])))
    value = np.asarray(eval(sample["numpy"], {"np": np, **names}))
    golden[sample["name"]] = {
        "numpy": sample["numpy"],
        "dtype": {"float32": "f32", "float64": "f64", "int64": "i64", "bool": "bool"}[str(value.dtype)],
        "shape": list(value.shape),
        "values": [float(x) for x in value.ravel()],
    }
print(json.dumps(golden, indent=1, sort_keys=True))
