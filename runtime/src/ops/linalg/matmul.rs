//! Matrix product over the last two axes, broadcast over the others. With `C = A B`: the gradients are `G B^T` and `A^T G`.

use crate::device::cpu::gemm::{Matrix, gemm};
use crate::dispatch::dispatch;
use crate::dtype::{DType, with_dtype};
use crate::error::{Error, ErrorKind, OrRaise, Result};
use crate::layout::Layout;
use crate::op::binary::promoted;
use crate::op::{Arrays, Backward, Gradients, Op, OpInfo, Sample, Spec, Specs, one};
use crate::shape::Shape;
use crate::storage::Array;
use crate::tensor::Tensor;
use crate::variable::Operand;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "matmul",
    doc: "Matrix product over the last two axes, broadcast over the others.",
    differentiable: true,
    samples: &[
        Sample { name: "matrices", inputs: || vec![ramp(&[2, 3]), ramp(&[3, 4])], apply: |x| x[0].matmul(&x[1]), numpy: "a @ b" },
        Sample {
            name: "transposed",
            inputs: || vec![ramp(&[3, 2]), ramp(&[4, 3])],
            apply: |x| x[0].t().matmul(x[1].t()),
            numpy: "a.T @ b.T",
        },
        Sample {
            name: "batched",
            inputs: || vec![ramp(&[5, 2, 3]), ramp(&[3, 4])],
            apply: |x| x[0].matmul(&x[1]),
            numpy: "a @ b",
        },
        Sample { name: "row", inputs: || vec![ramp(&[3]), ramp(&[5, 3, 2])], apply: |x| x[0].matmul(&x[1]), numpy: "a @ b" },
        Sample {
            name: "integers",
            inputs: || vec![Tensor::from_slice([1, 2], &[16_777_217i64, 3]), Tensor::from_slice([2, 2], &[1i64, -2, 0, 5])],
            apply: |x| x[0].matmul(&x[1]),
            numpy: "a @ b",
        },
        Sample { name: "dot", inputs: || vec![ramp(&[3]), ramp(&[3])], apply: |x| x[0].matmul(&x[1]), numpy: "a @ b" },
        Sample {
            name: "batches",
            inputs: || vec![ramp(&[2, 1, 2, 3]), ramp(&[4, 3, 2])],
            apply: |x| x[0].matmul(&x[1]),
            numpy: "a @ b",
        },
        Sample { name: "vector", inputs: || vec![ramp(&[2, 3]), ramp(&[3])], apply: |x| x[0].matmul(&x[1]), numpy: "a @ b" },
    ],
};

/// Values in no order, of a shape.
fn ramp(shape: &[usize]) -> Tensor {
    let shape = Shape::from(shape);
    let values: Vec<f32> = (0..shape.elements()).map(|i| ((i * 5 + 2) % 13) as f32 / 4.0 - 1.5).collect();
    Tensor::from_slice(shape, &values)
}

#[derive(Debug)]
struct Matmul;

/// The inner size, of a vector or a matrix on each side.
fn inner(a: &Shape, b: &Shape) -> Result<usize> {
    let refused =
        |what: String, advice: &str| Err(Error::new(ErrorKind::Shape, format!("matmul of {a} and {b}: {what}")).advise(advice));
    let (Some(&columns), Some(&last)) = (a.last(), b.last()) else {
        return refused("a scalar is no matrix".to_owned(), "multiply by a scalar with `*`");
    };
    let rows = b[b.rank().saturating_sub(2)];
    if columns == rows {
        return Ok(columns);
    }
    let advice = match b.rank() {
        1 => "the last axis of the left operand and the vector must be equal",
        _ if last == columns => "the right operand's last axis would fit: transpose it with .t()",
        _ => "the last axis of the left operand and the second-last of the right must be equal",
    };
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    refused(format!("{columns} column{} against {rows} row{}", plural(columns), plural(rows)), advice)
}

/// Rows, inner size and columns, and the shape of the axes before.
fn sizes(a: &Shape, b: &Shape) -> Result<(usize, usize, usize, Shape)> {
    let k = inner(a, b)?;
    let (ra, rb) = (a.rank(), b.rank());
    let (m, n) = (a[ra - 2], b[rb - 1]);
    let batch = Shape::from(&a[..ra - 2])
        .broadcast(&Shape::from(&b[..rb - 2]))
        .map_err(|error| error.of(&format!("matmul of {a} and {b}")))?;
    Ok((m, k, n, batch))
}

/// The product of integers, which wraps as their sums do.
fn whole(a: &Array, b: &Array, shape: &Shape) -> Result<Array> {
    let (a, b) = (a.to_contiguous()?, b.to_contiguous()?);
    let (k, n) = (b.shape()[b.shape().rank() - 2], b.shape()[b.shape().rank() - 1]);
    let (left, right) = (a.to_vec::<i64>(), b.to_vec::<i64>());
    let m = shape[shape.rank() - 2];
    Array::build(shape.clone(), |out: &mut [i64]| {
        for (at, out) in out.iter_mut().enumerate() {
            let (matrix, row, column) = (at / n / m, at / n, at % n);
            let terms = (0..k).map(|i| left[row * k + i].wrapping_mul(right[(matrix * k + i) * n + column]));
            *out = terms.fold(0, i64::wrapping_add);
        }
    })
}

impl Op for Matmul {
    fn info(&self) -> &'static OpInfo {
        &INFO
    }

    fn infer(&self, inputs: &[&Spec]) -> Result<Specs> {
        let (m, _, n, batch) = sizes(&inputs[0].shape, &inputs[1].shape)?;
        Ok(one(Spec { dtype: inputs[0].dtype, shape: batch.iter().copied().chain([m, n]).collect() }))
    }

    fn cpu(&self, inputs: &mut [Array], outputs: &[Spec]) -> Result<Arrays> {
        let [a, b] = inputs else { unreachable!("matmul has two inputs") };
        let (mut m, k, n, mut batch) = sizes(a.shape(), b.shape())?;
        if b.shape().rank() == 2 && a.layout().is_contiguous() {
            // One matrix on the right: the rows of all on the left make one product.
            m *= batch.elements();
            batch = Shape::scalar();
            *a = a.view(Layout { offset: a.layout().offset, ..Layout::contiguous([m, k].into()) });
        }
        let grown = |array: &Array, rows, columns| {
            let shape: Shape = batch.iter().copied().chain([rows, columns]).collect();
            array.view(array.layout().broadcast_to(&shape))
        };
        let (a, b) = (grown(a, m, k), grown(b, k, n));
        if outputs[0].dtype == DType::I64 {
            return whole(&a, &b, &outputs[0].shape).map(one);
        }
        with_dtype!(float outputs[0].dtype, T => Array::build(outputs[0].shape.clone(), |out: &mut [T]| {
            if m * n == 0 {
                return;
            }
            if k == 0 {
                return out.fill(0.0);
            }
            let offsets = |layout: &Layout| {
                let leading = Layout {
                    shape: batch.clone(),
                    strides: layout.strides[..batch.rank()].iter().copied().collect(),
                    offset: layout.offset,
                };
                let mut offsets = Vec::new();
                crate::device::cpu::walk::each_offset(&leading, |offset| offsets.push(offset));
                offsets
            };
            let rank = batch.rank();
            let strides = |layout: &Layout| (layout.strides[rank], layout.strides[rank + 1]);
            for ((out, left), right) in out.chunks_exact_mut(m * n).zip(offsets(a.layout())).zip(offsets(b.layout())) {
                gemm(
                    out,
                    Matrix { array: &a, offset: left, rows: m, columns: k, strides: strides(a.layout()) },
                    Matrix { array: &b, offset: right, rows: k, columns: n, strides: strides(b.layout()) },
                );
            }
        }), else => unreachable!("matmul casts bools to integers"))
        .map(one)
    }

    fn grad(&self, backward: &Backward<'_>) -> Gradients {
        let (a, b, g) = (&backward.inputs[0], &backward.inputs[1], backward.gradient());
        [Some(g.matmul(b.t()).sum_to(a.shape())), Some(a.t().matmul(g).sum_to(b.shape()))].into_iter().collect()
    }

    fn flops(&self, inputs: &[&Spec], outputs: &[Spec]) -> u64 {
        let k = inputs[0].shape.last().copied().unwrap_or(1) as u64;
        2 * k * outputs[0].shape.elements() as u64
    }
}

impl Tensor {
    /// Matrix product over the last two axes, broadcast over the others; a vector on the left counts as one row,
    /// on the right as one column.
    ///
    /// # Panics
    /// With a typed error that names both shapes if the inner sizes differ.
    #[must_use]
    #[track_caller]
    pub fn matmul(&self, other: impl Operand) -> Tensor {
        self.matmul_by(&other.value())
    }

    #[track_caller]
    fn matmul_by(&self, other: &Tensor) -> Tensor {
        // Of the shapes as they are, before a vector becomes a matrix.
        inner(self.shape(), other.shape()).or_raise();
        if self.rank() == 1 && other.rank() >= 1 {
            return self.unsqueeze(0).matmul_by(other).squeeze(if other.rank() == 1 { -1 } else { -2 });
        }
        if other.rank() == 1 && self.rank() >= 2 {
            return self.matmul_by(&other.unsqueeze(-1)).squeeze(-1);
        }
        let (a, b) = promoted(self, other, DType::I64);
        dispatch(Matmul, &[&a, &b])
    }
}
