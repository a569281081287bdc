//! The table of ops, by family: one word an op.
//!
//! `elementwise { exp }` declares the module `ops/elementwise/exp.rs` and enters its `INFO`.
//! Ops know tensors and arrays; they must not know tapes, traces or views.

/// Declares the modules and the table.
macro_rules! table {
    ($($family:ident { $($name:ident)* })*) => {
        $(
            #[doc = concat!("Ops of the family `", stringify!($family), "`.")]
            pub mod $family { $(pub mod $name;)* }
        )*
        /// Every op.
        pub static OPS: &[&crate::op::OpInfo] = &[$($(&$family::$name::INFO,)*)*];
    };
}

table! {
    elementwise {
        abs cos exp log neg relu sigmoid sign sin sqrt square stop_gradient tanh cast
        add div maximum minimum mul pow rem sub where_
        eq ge gt le lt ne
    }
    reduce { argmax argmin max min sum }
    shape { broadcast_to concat permute reshape slice unslice }
    index { add_rows gather one_hot take }
    linalg { matmul }
    nn { log_softmax softmax }
    random { uniform }
}
