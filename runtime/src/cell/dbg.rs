//! `dbg!` as std has it, less the column: that would be one of the generated text.

/// Prints an expression, its value and its line to stderr, and is the value. See [`std::dbg!`].
#[macro_export]
macro_rules! dbg {
    () => {
        ::std::eprintln!("[{}:{}]", ::core::file!(), ::core::line!())
    };
    ($value:expr $(,)?) => {
        match $value {
            value => {
                ::std::eprintln!("[{}:{}] {} = {:#?}", ::core::file!(), ::core::line!(), ::core::stringify!($value), &value);
                value
            }
        }
    };
    ($($value:expr),+ $(,)?) => {
        ($($crate::dbg!($value)),+,)
    };
}
