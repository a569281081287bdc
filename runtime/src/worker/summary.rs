//! A line on a variable's value, for lists of variables: known for tensors, numbers, texts and vectors of numbers.
//!
//! It is made each time a variable goes back to the store, so it looks at no more than a few elements and never at a tensor's values.

use crate::tensor::Tensor;
use crate::variable::Variable;
use std::any::Any;

/// The most characters of a text that are told.
const LONGEST: usize = 40;
/// The most elements of a vector that are told.
const MOST: usize = 4;

/// The line, for types that have one.
pub(crate) fn of(value: &dyn Any) -> Option<String> {
    if let Some(tensor) = value.downcast_ref::<Tensor>() {
        return Some(format!("{} {}", tensor.dtype(), tensor.shape()));
    }
    if let Some(variable) = value.downcast_ref::<Variable>() {
        return Some(format!("{} {}", variable.dtype(), variable.shape()));
    }
    if let Some(text) = value.downcast_ref::<String>() {
        return Some(quoted(text));
    }
    if let Some(text) = value.downcast_ref::<&'static str>() {
        return Some(quoted(text));
    }
    macro_rules! plain {
        ($($type:ty)*) => {
            $(
                if let Some(value) = value.downcast_ref::<$type>() {
                    return Some(format!("{value:?}"));
                }
                if let Some(values) = value.downcast_ref::<Vec<$type>>() {
                    return Some(listed(values));
                }
            )*
        };
    }
    plain!(f32 f64 i32 i64 u8 u32 u64 usize isize i8 i16 u16 i128 u128 bool char);
    None
}

fn quoted(text: &str) -> String {
    let start: String = text.chars().take(LONGEST).collect();
    if start.len() == text.len() { format!("{text:?}") } else { format!("{start:?}… ({} bytes)", text.len()) }
}

fn listed<T: std::fmt::Debug>(values: &[T]) -> String {
    let first: Vec<String> = values.iter().take(MOST).map(|value| format!("{value:?}")).collect();
    let first = first.join(", ");
    if values.len() <= MOST { format!("[{first}]") } else { format!("[{first}, …] ({} elements)", values.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_short() {
        assert_eq!(of(&Tensor::from_slice([2, 3], &[0f32; 6])).as_deref(), Some("f32 [2, 3]"));
        assert_eq!(of(&1.5f32).as_deref(), Some("1.5"));
        assert_eq!(of(&"a\nb".to_owned()).as_deref(), Some(r#""a\nb""#));
        assert!(of(&"é".repeat(1000)).is_some_and(|line| line.ends_with("… (2000 bytes)")));
        assert_eq!(of(&vec![1, 2]).as_deref(), Some("[1, 2]"));
        assert_eq!(of(&(0..1000).collect::<Vec<i32>>()).as_deref(), Some("[0, 1, 2, 3, …] (1000 elements)"));
        assert_eq!(of(&Some(1)), None);
    }
}
