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
    elementwise { add }
}
