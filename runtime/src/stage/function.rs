//! Staged functions: traced once for each signature of their arguments, then run as graphs.
//!
//! The signature is the specs of tensors and the values of plain arguments. Tensors that the function uses from outside are captured by
//! value, variables by reference. Called while a trace is being built, or under a tape, the function runs as plain code, so that its ops
//! become part of that trace or tape and gradients flow.

use super::structure::Structure;
use super::trace::{TracedFunction, trace_function};
use crate::context::{self, TAPE, TRACE};
use crate::error::{OrRaise, Result};
use crate::graph::Graph;
use crate::op::Spec;
use crate::storage::Array;
use crate::tensor::Tensor;
use std::any::Any;
use std::cell::RefCell;
use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::rc::Rc;

/// A trace of a staged function, and what it returns.
struct Cached {
    signature: Vec<String>,
    traced: TracedFunction,
    /// The value that the traced body returned; new tensors are filled into it.
    template: Rc<dyn Any>,
    calls: usize,
    seconds: f64,
}

/// What all clones of a staged function share. It is dropped out of line, so that cells compile nothing of it.
pub struct Core(ManuallyDrop<Rc<Shared>>);

struct Shared {
    name: String,
    cache: RefCell<Vec<Cached>>,
}

impl fmt::Debug for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with {} traces", self.0.name, self.0.cache.borrow().len())
    }
}

impl Core {
    /// A function that was never called.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self(ManuallyDrop::new(Rc::new(Shared { name: name.to_owned(), cache: RefCell::default() })))
    }
}

impl Clone for Core {
    #[inline(never)]
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl Drop for Core {
    #[inline(never)]
    fn drop(&mut self) {
        // SAFETY: dropped here, and never used after.
        unsafe { ManuallyDrop::drop(&mut self.0) };
    }
}

/// A staged function: call it as `name(&x, &y)`.
///
/// `F` is the function's type, such as `dyn Fn(&Tensor) -> Tensor`. Made by `%%stage name(x)` in a notebook, and by
/// [`crate::stage_fn!`] in a program.
///
/// ```
/// use footlight::prelude::*;
/// let double = footlight::stage_fn!("double", (x: &Tensor), x * 2.0);
/// assert_eq!(double(&tensor![1.0, 2.0]).to_vec::<f32>(), [2.0, 4.0]);
/// ```
pub struct Staged<F: ?Sized> {
    core: Core,
    function: Rc<F>,
}

impl<F: ?Sized> Clone for Staged<F> {
    fn clone(&self) -> Self {
        Self { core: self.core.clone(), function: self.function.clone() }
    }
}

impl<F: ?Sized> fmt::Debug for Staged<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.explain(), f)
    }
}

impl<F: ?Sized> Deref for Staged<F> {
    type Target = F;
    fn deref(&self) -> &F {
        &self.function
    }
}

/// What [`Staged::explain`] tells: text in lines.
#[derive(Clone, PartialEq, Eq)]
pub struct Explanation(String);

impl Deref for Explanation {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Explanation {
    // As a cell's last expression it shows itself as text, not as a quoted string.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<F: ?Sized> Staged<F> {
    /// Used by [`crate::stage_fn!`].
    #[doc(hidden)]
    pub fn new(core: Core, function: Rc<F>) -> Self {
        Self { core, function }
    }

    /// Its traces: signature, calls, nodes before and after the passes; and for each retrace which argument changed.
    #[must_use]
    pub fn explain(&self) -> Explanation {
        let cache = self.core.0.cache.borrow();
        let mut text =
            format!("staged function {}: {} trace{}", self.core.0.name, cache.len(), if cache.len() == 1 { "" } else { "s" });
        for (number, cached) in cache.iter().enumerate() {
            let graph = cached.traced.executable.graph();
            text.push_str(&format!(
                "\n  {number}: ({}), {} call{}, {} ops traced, {} run, traced in {:.1?}",
                cached.signature.join(", "),
                cached.calls,
                if cached.calls == 1 { "" } else { "s" },
                cached.traced.traced_nodes,
                graph.ops(),
                std::time::Duration::from_secs_f64(cached.seconds)
            ));
            if let Some((nearest, changes)) = nearest(&cache[..number], &cached.signature) {
                text.push_str(&format!("\n     retraced, since against trace {nearest} {changes}"));
            }
        }
        Explanation(text)
    }

    /// The graph of the newest trace; an empty one before the first call.
    #[must_use]
    pub fn graph(&self) -> Graph {
        self.core.0.cache.borrow().last().map(|cached| cached.traced.executable.graph().clone()).unwrap_or_default()
    }

    /// What each pass did to the newest trace.
    #[must_use]
    pub fn passes(&self) -> Vec<crate::passes::Effect> {
        self.core.0.cache.borrow().last().map(|cached| cached.traced.effects.clone()).unwrap_or_default()
    }

    /// How many traces it holds.
    #[must_use]
    pub fn traces(&self) -> usize {
        self.core.0.cache.borrow().len()
    }
}

/// The earlier signature with the fewest changes, and those.
fn nearest(earlier: &[Cached], signature: &[String]) -> Option<(usize, String)> {
    let changes = |cached: &Cached| -> Vec<String> {
        cached
            .signature
            .iter()
            .zip(signature)
            .enumerate()
            .filter(|(_, (old, new))| old != new)
            .map(|(at, (old, new))| format!("argument {at} was {old} and is {new}"))
            .collect()
    };
    let (number, changes) = earlier.iter().map(changes).enumerate().min_by_key(|(_, changes)| changes.len())?;
    Some((number, changes.join(", ")))
}

/// One call: its arguments' tensors and signature. It is dropped out of line, as [`Core`] is.
#[derive(Debug)]
pub struct Call<'c> {
    core: &'c Core,
    given: ManuallyDrop<Given>,
}

#[derive(Debug, Default)]
struct Given {
    tensors: Vec<Tensor>,
    signature: Vec<String>,
}

impl Drop for Call<'_> {
    #[inline(never)]
    fn drop(&mut self) {
        // SAFETY: dropped here, and never used after.
        unsafe { ManuallyDrop::drop(&mut self.given) };
    }
}

/// The tensors that the body gets in the place of the arguments' own.
#[derive(Debug)]
pub struct Inputs(std::vec::IntoIter<Tensor>);

impl<'c> Call<'c> {
    /// A call without arguments yet.
    #[must_use]
    pub fn new(core: &'c Core) -> Self {
        Self { core, given: ManuallyDrop::default() }
    }

    #[inline(never)]
    fn push_tensor(&mut self, tensor: &Tensor) {
        self.given.signature.push(tensor.spec().to_string());
        self.given.tensors.push(tensor.clone());
    }

    #[inline(never)]
    fn push_plain(&mut self, value: &dyn fmt::Debug) {
        self.given.signature.push(format!("{value:?}"));
    }

    /// Runs the call: `body` as it is, or its graph.
    #[track_caller]
    pub fn run<R: Structure + 'static>(self, body: impl Fn(&mut Inputs) -> R) -> R {
        if context::flags() & (TRACE | TAPE) != 0 {
            let mut result = None;
            self.run_plain(&mut |inputs| result = Some(body(inputs)));
            return result.expect("the body has run");
        }
        let (template, values) = self.run_graph(&|inputs| {
            let (result, mut returned) = (body(inputs), Vec::new());
            result.flatten(&mut returned);
            (Rc::new(result), returned)
        });
        let template = template.downcast_ref::<R>().expect("every body of a staged function returns one type");
        template.rebuild(&mut values.into_iter())
    }

    fn run_plain(mut self, body: &mut dyn FnMut(&mut Inputs)) {
        body(&mut Inputs(std::mem::take(&mut self.given.tensors).into_iter()));
    }

    /// Runs the graph of this signature, which is traced first if it is new: what the traced body returned, and the tensors to put in the
    /// place of its own. Not generic, so that cells compile nothing of it.
    #[track_caller]
    fn run_graph(self, body: &dyn Fn(&mut Inputs) -> (Rc<dyn Any>, Vec<Tensor>)) -> (Rc<dyn Any>, Vec<Tensor>) {
        let found = self.core.0.cache.borrow().iter().position(|cached| cached.signature == self.given.signature);
        let number = match found {
            Some(number) => number,
            None => {
                let cached = self.trace(body).or_raise();
                let mut cache = self.core.0.cache.borrow_mut();
                cache.push(cached);
                cache.len() - 1
            }
        };
        let arguments: Vec<Array> =
            self.given.tensors.iter().map(|tensor| tensor.array().cloned()).collect::<Result<_>>().or_raise();
        let mut cache = self.core.0.cache.borrow_mut();
        let cached = &mut cache[number];
        cached.calls += 1;
        let values = cached.traced.run(&arguments).or_raise();
        (cached.template.clone(), values.into_iter().map(Tensor::from_array).collect())
    }

    fn trace(&self, body: &dyn Fn(&mut Inputs) -> (Rc<dyn Any>, Vec<Tensor>)) -> Result<Cached> {
        let start = std::time::Instant::now();
        let specs: Vec<Spec> = self.given.tensors.iter().map(|tensor| tensor.spec().clone()).collect();
        let (template, traced) = trace_function(&self.core.0.name, &specs, |handles| body(&mut Inputs(handles.into_iter())))?;
        let seconds = start.elapsed().as_secs_f64();
        Ok(Cached { signature: self.given.signature.clone(), traced, template, calls: 0, seconds })
    }
}

/// What a staged function may take: tensors, which are traced, and plain values, which are part of the signature.
pub trait Argument {
    /// What the body holds in its place.
    type Held;
    /// What the body sees.
    type Lent<'h>;
    /// Adds it to a call.
    fn enter(&self, call: &mut Call<'_>);
    /// Takes what stands in its place.
    fn hold(&self, inputs: &mut Inputs) -> Self::Held;
    /// Lends that to the body.
    fn lend(held: &Self::Held) -> Self::Lent<'_>;
}

impl Argument for &Tensor {
    type Held = Tensor;
    type Lent<'h> = &'h Tensor;

    fn enter(&self, call: &mut Call<'_>) {
        call.push_tensor(self);
    }

    fn hold(&self, inputs: &mut Inputs) -> Tensor {
        inputs.0.next().expect("a call has a tensor for each of its arguments")
    }

    fn lend(held: &Tensor) -> &Tensor {
        held
    }
}

macro_rules! plain {
    ($($type:ty)*) => {$(
        impl Argument for $type {
            type Held = $type;
            type Lent<'h> = $type;

            fn enter(&self, call: &mut Call<'_>) {
                call.push_plain(self);
            }

            fn hold(&self, _inputs: &mut Inputs) -> $type {
                self.clone()
            }

            fn lend(held: &$type) -> $type {
                held.clone()
            }
        }
    )*};
}

plain!(bool i32 i64 usize f32 f64 String);

/// Makes a staged function: `stage_fn!("name", (x: &Tensor, training: bool), body)`.
#[macro_export]
macro_rules! stage_fn {
    ($name:expr, ($($argument:ident: $type:ty),* $(,)?), $body:expr) => {{
        // A generic function (of a name that no user has, since items of macros are seen by their arguments), since rustc infers a closure's result through one and not through a coercion.
        fn __footlight_shared<R: 'static>(function: impl Fn($($type),*) -> R + 'static) -> ::std::rc::Rc<dyn Fn($($type),*) -> R> {
            ::std::rc::Rc::new(function)
        }
        let core = $crate::stage::Core::new($name);
        let called = ::std::clone::Clone::clone(&core);
        $crate::stage::Staged::new(core, __footlight_shared(move |$($argument: $type),*| {
            #[allow(unused_mut, reason = "a function without arguments adds none")]
            let mut call = $crate::stage::Call::new(&called);
            $($crate::stage::Argument::enter(&$argument, &mut call);)*
            #[allow(unused_variables, reason = "a function without arguments takes none")]
            call.run(|inputs| {
                $(
                    let held = $crate::stage::Argument::hold(&$argument, inputs);
                    let $argument = <$type as $crate::stage::Argument>::lend(&held);
                )*
                $body
            })
        }))
    }};
}
