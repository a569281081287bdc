//! Prints every sample of the table of ops as a line of JSON, for `tests/golden/make.py`.

use footlight::prelude::*;
use serde_json::json;

fn main() {
    for op in footlight::ops::OPS {
        for sample in op.samples {
            let inputs: Vec<_> = (sample.inputs)().iter().map(input).collect();
            println!("{}", json!({ "name": format!("{}/{}", op.name, sample.name), "numpy": sample.numpy, "inputs": inputs }));
        }
    }
}

fn input(tensor: &Tensor) -> serde_json::Value {
    let dtype = match tensor.dtype() {
        DType::F32 => "float32",
        DType::F64 => "float64",
        DType::I64 => "int64",
        DType::Bool => "bool",
    };
    json!({ "dtype": dtype, "shape": tensor.shape().to_vec(), "values": tensor.cast(DType::F64).to_vec::<f64>() })
}
