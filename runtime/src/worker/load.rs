//! Loads a cell's library. It stays loaded: types, statics and code of items live on in later cells.

use crate::cell::Cell;
use std::path::Path;

/// A cell's entry function.
pub(crate) type Entry = fn(&mut Cell<'_>);

/// Loads the library at `path` and finds its entry function.
///
/// # Errors
/// The loader's own words.
pub(crate) fn load(path: &Path, entry: &str) -> Result<Entry, String> {
    // SAFETY: the library was compiled by the kernel from a cell; running its initialisers is what the user asked for.
    let library = unsafe { libloading::Library::new(path) }.map_err(|error| error.to_string())?;
    // SAFETY: the kernel generates the entry function with this very signature, for this very runtime.
    let entry = unsafe { library.get::<Entry>(entry.as_bytes()) }.map(|symbol| *symbol).map_err(|error| error.to_string());
    std::mem::forget(library);
    entry
}
