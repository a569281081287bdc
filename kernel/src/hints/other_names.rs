//! A name from NumPy, PyTorch, JAX or ndarray, where a tensor's method or a function of the prelude has another.
//!
//! ```text
//! x.view([4])
//! ```

use super::Scene;

/// Names that others have, and what to write here.
const NAMES: &[(&[&str], &str)] = &[
    (&["mm", "bmm", "dot", "matvec", "mv"], "`a.matmul(&b)`"),
    (
        &["view", "into_shape", "to_shape", "into_shape_with_order", "reshape_as", "ravel"],
        "`x.reshape([2, -1])`, or `x.flatten()`",
    ),
    (&["size", "dims", "raw_dim"], "`x.shape()`; the number of values is `x.shape().elements()`"),
    (&["len", "numel", "elem_count"], "`x.shape()[0]` is the first size, and `x.shape().elements()` the number of values"),
    (&["ndim", "dim"], "`x.rank()`"),
    (&["cat", "concatenate", "hstack", "vstack", "append"], "`concat(&[&a, &b], 0)`"),
    (&["detach"], "`x.stop_gradient()`"),
    (&["astype", "to_dtype", "mapv", "to", "float", "double", "long", "half", "int", "bool", "type_as"], "`x.cast(DType::F64)`"),
    (&["expand", "expand_as", "broadcast", "broadcast_as"], "`x.broadcast_to([3, 2])`"),
    (
        &["narrow", "slice_axis", "index_select", "select", "index_axis"],
        "`x.slice(0, 1..3)`, `x.index(0, 2)` or `x.take(&indices, 0)`",
    ),
    (&["clip", "clamp_"], "`x.clamp(0.0, 1.0)`"),
    (&["powf", "powi", "power", "float_power"], "`x.pow(2.0)`, or `x.square()`"),
    (&["ln"], "`x.log()`"),
    (
        &["mean_axis", "sum_axis", "max_axis", "min_axis", "mean_dim", "sum_dim", "amax", "amin"],
        "`x.mean(0)`, `x.sum([0, 1])`: the reduction takes the axes",
    ),
    (&["mean_all", "sum_all", "max_all", "min_all"], "`x.mean(())`, `x.sum(())`: `()` stands for all axes"),
    (&["sum_keepdim", "mean_keepdim", "max_keepdim", "keepdims"], "`x.sum_keep(0)`, `x.mean_keep(0)`, `x.max_keep(0)`"),
    (&["expand_dims", "insert_axis", "newaxis"], "`x.unsqueeze(0)`"),
    (&["swapaxes", "swap_axes", "T", "reversed_axes", "mT"], "`x.t()`, or `x.transpose(0, 1)`"),
    (&["permuted_axes"], "`x.permute(&[1, 0, 2])`"),
    (
        &["numpy", "tolist", "to_list", "to_vec1", "to_vec2", "into_data", "to_data", "iter", "into_iter"],
        "`x.to_vec::<f32>()`, or `x.to_ndarray::<f32>()`",
    ),
    (&["to_scalar", "into_scalar"], "`x.item::<f32>()`"),
    (
        &["backward", "requires_grad", "requires_grad_", "autograd", "gradient_tape"],
        "`grad(|x| …, &x)`, `value_and_grad(|| …, &variables)`, or a `GradientTape`",
    ),
    (&["masked_fill", "select_where", "wherec"], "`mask.where_(&a, &b)`"),
    (
        &["add_", "sub_", "copy_", "fill_", "zero_", "assign"],
        "`variable.assign_add(&x)`: tensors don't change, a `Variable` does",
    ),
    (&["zeros_like", "ones_like", "full_like", "empty_like", "empty"], "`zeros(x.shape())`"),
    (
        &["array", "asarray", "arr1", "arr2", "from_numpy", "from_vec", "new", "from_data", "tensor"],
        "`tensor![[1.0, 2.0], [3.0, 4.0]]`, or `Tensor::from(vec)`",
    ),
    (
        &["zeros", "ones", "full", "arange", "linspace", "eye", "rand", "randn", "stack", "concat"],
        "a function of the prelude, without `Tensor::`: `zeros([2, 3])`",
    ),
    (&["manual_seed", "set_seed", "PRNGKey"], "`seed(7)`"),
    (&["nll_loss", "softmax_cross_entropy", "CrossEntropyLoss"], "`logits.cross_entropy(&labels)`"),
];

/// Those of the names that others also write without a tensor before them, and that are no likely names of a user's own functions.
const FREE: &[&str] = &[
    "cat",
    "concatenate",
    "hstack",
    "vstack",
    "matvec",
    "bmm",
    "expand_dims",
    "swapaxes",
    "zeros_like",
    "ones_like",
    "full_like",
    "empty_like",
    "array",
    "asarray",
    "arr1",
    "arr2",
    "from_numpy",
    "manual_seed",
    "set_seed",
    "PRNGKey",
    "nll_loss",
    "softmax_cross_entropy",
    "CrossEntropyLoss",
];

/// Modules that others write before a name.
const MODULES: &[&str] = &["np", "numpy", "torch", "jnp", "jax", "tf", "tensorflow"];

/// Reads the name out of rustc's message; a name that a cell's own types lack is none of these.
pub(super) fn advise(scene: &Scene<'_>) -> Vec<String> {
    let error = scene.error;
    let on_tensor = ["`Tensor`", "`&Tensor`", "`footlight::Tensor`"].iter().any(|ty| error.message.contains(ty));
    let missing = matches!(error.code(), "E0425" | "E0433" | "E0423") || error.message.starts_with("cannot find macro");
    if !(missing || on_tensor && matches!(error.code(), "E0599" | "E0609")) {
        return Vec::new();
    }
    let named = |message: &str| message.split('`').nth(1).map(str::to_owned);
    let Some(name) = named(&error.message) else { return Vec::new() };
    if missing && MODULES.contains(&name.as_str()) {
        return vec![format!("the prelude's names stand alone, without `{name}`: as in `zeros([2, 3])` and `x.exp()`")];
    }
    if missing && !FREE.contains(&name.as_str()) {
        return Vec::new();
    }
    let known = NAMES.iter().find(|(theirs, _)| theirs.contains(&name.as_str()));
    known.map(|(_, ours)| format!("in place of `{name}`: {ours}")).into_iter().collect()
}
