//! From the name that a running program has for a type to a path that a later cell can write.
//!
//! `type_name` says where a type is *defined* (`alloc::vec::Vec<f32>`, `std::collections::hash::map::HashMap<…>`), which is often a
//! private path. The standard library's are translated by the table below; a path that is not in it is asked of rustc
//! ([`super::probe`]), whose answer [`read`] reads.

use std::collections::BTreeMap;

use super::source::crate_name;

/// The type of a stored variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredType {
    /// The type as Rust text; paths to notebook types start with `::cell_N::`.
    pub text: String,
    /// Its short form, for people: `Vec<f32>`.
    pub short: String,
    /// The definitions of the notebook types that it names, at the time when the value was made.
    pub definitions: BTreeMap<String, String>,
}

/// Why a type has no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Untranslated {
    /// A closure, an `impl Trait`, a function item or an async block: no name exists.
    Unnameable,
    /// A path that the table does not hold; rustc must be asked.
    Unknown,
}

/// Private paths of the standard library, and where they are public. Longest first where one begins another.
const VISIBLE: &[(&str, &str)] = &[
    ("std::collections::hash::map::", "std::collections::hash_map::"),
    ("std::collections::hash::set::", "std::collections::hash_set::"),
    ("std::hash::random::", "std::hash::"),
    ("alloc::collections::btree::map::", "std::collections::btree_map::"),
    ("alloc::collections::btree::set::", "std::collections::btree_set::"),
    ("alloc::collections::vec_deque::iter::", "std::collections::vec_deque::"),
    ("alloc::collections::vec_deque::into_iter::", "std::collections::vec_deque::"),
    ("alloc::vec::into_iter::", "std::vec::"),
    ("std::sync::poison::mutex::", "std::sync::"),
    ("std::sync::poison::rwlock::", "std::sync::"),
    ("std::sync::poison::once::", "std::sync::"),
    ("std::sync::poison::condvar::", "std::sync::"),
    ("std::sync::once_lock::", "std::sync::"),
    ("std::sync::lazy_lock::", "std::sync::"),
    ("std::sync::barrier::", "std::sync::"),
    ("core::cell::once::", "std::cell::"),
    ("core::cell::lazy::", "std::cell::"),
    ("core::ops::range::", "std::ops::"),
    ("core::ops::function::", "std::ops::"),
    ("core::ops::control_flow::", "std::ops::"),
    ("core::num::nonzero::", "std::num::"),
    ("core::num::wrapping::", "std::num::"),
    ("core::num::saturating::", "std::num::"),
    ("core::num::error::", "std::num::"),
    ("core::net::ip_addr::", "std::net::"),
    ("core::net::socket_addr::", "std::net::"),
    ("core::slice::iter::", "std::slice::"),
    ("core::str::iter::", "std::str::"),
    ("std::io::buffered::bufreader::", "std::io::"),
    ("std::io::buffered::bufwriter::", "std::io::"),
    ("std::io::stdio::", "std::io::"),
    ("std::io::cursor::", "std::io::"),
    ("std::io::error::", "std::io::"),
    ("core::io::", "std::io::"),
    ("std::net::tcp::", "std::net::"),
    ("std::net::udp::", "std::net::"),
    ("std::thread::join_handle::", "std::thread::"),
    ("std::thread::thread::", "std::thread::"),
    ("core::mem::manually_drop::", "std::mem::"),
    ("core::mem::maybe_uninit::", "std::mem::"),
    ("core::ptr::non_null::", "std::ptr::"),
    ("core::marker::", "std::marker::"),
    ("core::alloc::layout::", "std::alloc::"),
    ("core::array::iter::", "std::array::"),
    ("footlight::data::batches::", "footlight::data::"),
    ("footlight::nn::linear::", "footlight::nn::"),
    ("footlight::optim::rate::", "footlight::optim::"),
    ("footlight::stage::function::", "footlight::stage::"),
    ("footlight::tape::source::", "footlight::tape::"),
    ("footlight::tensor::", "footlight::"),
    ("footlight::dtype::", "footlight::"),
];

/// Modules of the standard library whose items are public where they are defined.
const PUBLIC: &[&str] = &[
    "any",
    "array",
    "borrow",
    "boxed",
    "cell",
    "char",
    "cmp",
    "collections::vec_deque",
    "collections::linked_list",
    "collections::binary_heap",
    "collections::hash_map",
    "collections::hash_set",
    "collections::btree_map",
    "collections::btree_set",
    "convert",
    "env",
    "ffi::c_str",
    "ffi",
    "ffi::os_str",
    "fmt",
    "fs",
    "future",
    "hash",
    "io",
    "iter",
    "marker",
    "mem",
    "net",
    "num",
    "ops",
    "option",
    "path",
    "pin",
    "process",
    "ptr",
    "rc",
    "result",
    "slice",
    "str",
    "string",
    "sync",
    "sync::atomic",
    "sync::mpsc",
    "task",
    "thread",
    "time",
    "vec",
    "alloc",
    "error",
    "ascii",
    "bool",
];

/// Translates a `type_name`. `definition` gives the text of a notebook type by its name.
pub fn translate(type_name: &str, definition: &dyn Fn(&str) -> Option<String>) -> Result<StoredType, Untranslated> {
    if type_name.contains('{') || type_name.contains("impl ") || type_name.contains('#') || type_name.contains(" as ") {
        return Err(Untranslated::Unnameable);
    }
    let mut definitions = BTreeMap::new();
    let mut failure = None;
    // `&'_` is a parameter of a function's type, whose lifetime is left open; any other reference outlived its cell.
    let outlived = type_name.replace("&'_ ", "\u{1}").replace('&', "&'static ").replace('\u{1}', "&");
    let text = map_paths(&outlived, &mut |path| match path_text(path, definition, &mut definitions) {
        Ok(text) => text,
        Err(why) => {
            failure.get_or_insert(why);
            path.to_owned()
        }
    });
    if let Some(why) = failure {
        return Err(why);
    }
    stored(text, definitions).ok_or(Untranslated::Unknown)
}

/// Reads a type as rustc writes it in an error about cell `number`: paths that can be seen, from the root of their crate, which is not
/// written for the cell's own; `'_` for a lifetime, which is not limited, since the value was stored.
pub fn read(said: &str, number: u64, definition: &dyn Fn(&str) -> Option<String>) -> Option<StoredType> {
    let said = said.replace("'_", "'static").replace("&'", "\u{1}").replace('&', "&'static ").replace('\u{1}', "&'");
    let mut definitions = BTreeMap::new();
    let mut known = true;
    let text = map_paths(&said, &mut |path| {
        let (root, rest) = path.split_once("::").unwrap_or((path, ""));
        if ["std", "core", "alloc", "footlight"].contains(&root) {
            return format!("::{path}");
        }
        // Of a notebook type: another cell's crate begins its path.
        let (home, name) = match cell_number(root) {
            Some(_) => (String::new(), rest.split("::").next().unwrap_or_default()),
            None => (format!("{}::", crate_name(number)), root),
        };
        match definition(name) {
            Some(text) => {
                definitions.insert(name.to_owned(), text);
                format!("::{home}{path}")
            }
            None => {
                known &= rest.is_empty() && path != "_";
                path.to_owned()
            }
        }
    });
    stored(text, definitions).filter(|_| known)
}

/// A type that syn can read, and that names all of it; what it can't read is a form not thought of.
fn stored(text: String, definitions: BTreeMap<String, String>) -> Option<StoredType> {
    let named = !["impl ", "{", " as "].iter().any(|part| text.contains(part));
    (named && syn::parse_str::<syn::Type>(&text).is_ok()).then(|| StoredType { short: short(&text), text, definitions })
}

fn path_text(
    path: &str,
    definition: &dyn Fn(&str) -> Option<String>,
    definitions: &mut BTreeMap<String, String>,
) -> Result<String, Untranslated> {
    let Some((root, _)) = path.split_once("::") else { return Ok(path.to_owned()) };
    if cell_number(root).is_some() {
        let mut parts = path.split("::").skip(1);
        let name = parts.next().unwrap_or("");
        if parts.next().is_none() {
            if name.starts_with(char::is_lowercase) {
                return Err(Untranslated::Unnameable);
            }
            let text = definition(name).ok_or(Untranslated::Unknown)?;
            definitions.insert(name.to_owned(), text);
        } else if name.starts_with("footlight_cell_") {
            return Err(Untranslated::Unnameable);
        }
        return Ok(format!("::{path}"));
    }
    for (private, public) in VISIBLE {
        if let Some(rest) = path.strip_prefix(private) {
            return if rest.contains("::") { Err(Untranslated::Unknown) } else { Ok(format!("::{public}{rest}")) };
        }
    }
    // Each iterator has a private module of its own, and all are public in one.
    let iterator = path.strip_prefix("core::iter::adapters::").or_else(|| path.strip_prefix("core::iter::sources::"));
    if let Some((_, name)) = iterator.and_then(|rest| rest.split_once("::")).filter(|(_, name)| !name.contains("::")) {
        return Ok(format!("::std::iter::{name}"));
    }
    let (module, name) = path.rsplit_once("::").unwrap_or(("", path));
    match root {
        "std" | "alloc" | "core" => {
            let inside = module.strip_prefix(root).unwrap_or("").trim_start_matches("::");
            if !PUBLIC.contains(&inside) {
                return Err(Untranslated::Unknown);
            }
            if name.starts_with(char::is_lowercase) {
                return Err(Untranslated::Unnameable);
            }
            Ok(if inside.is_empty() { format!("::std::{name}") } else { format!("::std::{inside}::{name}") })
        }
        "footlight" => Ok(format!("::{path}")),
        _ => Err(Untranslated::Unknown),
    }
}

/// Rewrites the paths to notebook types, `::cell_N::Name`, by what `home` says of the cell and the name.
pub fn with_homes(text: &str, home: &mut dyn FnMut(u64, &str) -> String) -> String {
    map_paths(text, &mut |path| {
        let mut parts = path.trim_start_matches("::").splitn(3, "::");
        let (root, name, rest) = (parts.next().unwrap_or(""), parts.next(), parts.next());
        match (cell_number(root), name) {
            (Some(number), Some(name)) => {
                let new = home(number, name);
                rest.map_or(new.clone(), |rest| format!("{new}::{rest}"))
            }
            _ => path.to_owned(),
        }
    })
}

fn cell_number(root: &str) -> Option<u64> {
    root.strip_prefix("cell_")?.parse().ok()
}

/// The type as people say it: no paths, no lifetimes but those that a type binds itself.
pub fn short(type_name: &str) -> String {
    let lifetimes = ["<'static>", "'static, ", "'static ", "<'_>", "'_, ", "'_ "];
    let bare = lifetimes.iter().fold(type_name.to_owned(), |text, lifetime| text.replace(lifetime, ""));
    map_paths(&bare, &mut |path| path.rsplit("::").next().unwrap_or(path).to_owned())
}

/// Applies `change` to every path of a type's text.
fn map_paths(text: &str, change: &mut dyn FnMut(&str) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let part_of_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| !part_of_path(c)).unwrap_or(rest.len());
        if end == 0 || rest.starts_with('\'') {
            // A lifetime's name is no path.
            let skip =
                if first == '\'' { 1 + rest[1..].find(|c| !part_of_path(c)).unwrap_or(rest.len() - 1) } else { first.len_utf8() };
            out.push_str(&rest[..skip]);
            rest = &rest[skip..];
            continue;
        }
        let mut word = &rest[..end];
        // `[T; N]` and `Vec<T>::…` leave a lone colon now and then; it is no path.
        if word.chars().all(|c| c == ':') {
            out.push_str(word);
            rest = &rest[end..];
            continue;
        }
        let tail = word.len() - word.trim_end_matches(':').len();
        word = &word[..word.len() - tail];
        out.push_str(&change(word));
        rest = &rest[word.len()..];
        if tail > 0 {
            out.push_str(&rest[..tail]);
            rest = &rest[tail..];
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(type_name: &str) -> Result<String, Untranslated> {
        translate(type_name, &|name| (name == "Point").then(|| "struct Point".to_owned())).map(|stored| stored.text)
    }

    #[test]
    fn translates_what_type_name_says() {
        assert_eq!(text("i32").unwrap(), "i32");
        assert_eq!(text("&str").unwrap(), "&'static str");
        assert_eq!(text("alloc::vec::Vec<alloc::string::String>").unwrap(), "::std::vec::Vec<::std::string::String>");
        assert_eq!(text("(f32, [cell_3::Point; 4])").unwrap(), "(f32, [::cell_3::Point; 4])");
        assert_eq!(text("fn(f32) -> f32").unwrap(), "fn(f32) -> f32");
        assert_eq!(
            text("footlight::stage::function::Staged<dyn core::ops::function::Fn(&'_ footlight::tensor::Tensor, bool) -> &str>")
                .unwrap(),
            "::footlight::stage::Staged<dyn ::std::ops::Fn(&::footlight::Tensor, bool) -> &'static str>"
        );
        assert_eq!(text("core::ops::range::Range<usize>").unwrap(), "::std::ops::Range<usize>");
        assert_eq!(
            text("alloc::boxed::Box<dyn core::ops::function::Fn(f32) -> f32>").unwrap(),
            "::std::boxed::Box<dyn ::std::ops::Fn(f32) -> f32>"
        );
        assert_eq!(
            text(std::any::type_name::<std::collections::HashMap<String, Vec<u8>>>()).unwrap(),
            "::std::collections::hash_map::HashMap<::std::string::String, ::std::vec::Vec<u8>>"
        );
        assert_eq!(text("cell_1::footlight_cell_1::{{closure}}"), Err(Untranslated::Unnameable));
        assert_eq!(text("cell_1::forward"), Err(Untranslated::Unnameable));
        assert_eq!(text("ndarray::ArrayBase<f32>"), Err(Untranslated::Unknown));
        assert_eq!(short("alloc::vec::Vec<cell_3::Point>"), "Vec<Point>");
        assert_eq!(short("(&'static str, std::str::Chars<'static>, Cow<'_, str>)"), "(&str, Chars, Cow<str>)");
    }

    #[test]
    fn reads_what_rustc_says() {
        let read = |said| {
            let known = |name: &str| ["Point", "shapes"].contains(&name).then(|| format!("struct {name}"));
            read(said, 7, &known).map(|stored| (stored.text, stored.definitions.into_keys().collect::<Vec<_>>().join(" ")))
        };
        let own = |text: &str, definitions: &str| Some((text.to_owned(), definitions.to_owned()));
        assert_eq!(read("std::os::unix::net::UnixStream"), own("::std::os::unix::net::UnixStream", ""));
        assert_eq!(
            read("(shapes::Own<u8>, &Point, cell_3::Point)"),
            own("(::cell_7::shapes::Own<u8>, &'static ::cell_7::Point, ::cell_3::Point)", "Point shapes")
        );
        let function = "for<'a> fn(&'a str) -> std::boxed::Box<dyn for<'b> std::ops::Fn(&'b Point) + std::marker::Send>";
        let written =
            "for<'a> fn(&'a str) -> ::std::boxed::Box<dyn for<'b> ::std::ops::Fn(&'b ::cell_7::Point) + ::std::marker::Send>";
        assert_eq!(read(function), own(written, "Point"));
        assert_eq!(read("std::sync::MutexGuard<'_, u8>"), own("::std::sync::MutexGuard<'static, u8>", ""));
        for unwritable in [
            "impl std::fmt::Debug",
            "std::iter::Map<std::iter::Once<u8>, {closure@t.rs:15:235: 15:238}>",
            "std::vec::Vec<_>",
            "footlight_cell_7::hidden::Local",
            "cell_3::hidden::Local",
        ] {
            assert_eq!(read(unwritable), None, "{unwritable}");
        }
    }

    /// A type of the runtime that is defined in a private module must be in the table, or a later cell can't name its variables.
    #[test]
    fn the_runtimes_private_modules_are_in_the_table() {
        let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/src");
        let mut checked = 0;
        for entry in std::fs::read_dir(source).expect("the runtime's source").flatten() {
            let file = std::fs::read_to_string(entry.path()).unwrap_or_default();
            let name = entry.file_name().to_string_lossy().trim_end_matches(".rs").to_owned();
            for private in file.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';')) {
                let exports = file.lines().filter_map(|line| line.strip_prefix(&format!("pub use {private}::")));
                let words = exports
                    .flat_map(|names| names.split(|c: char| !c.is_alphanumeric()))
                    .filter(|word| word.starts_with(char::is_uppercase));
                // The crate's root and the ABI of cells have no variables of their own.
                for exported in words.filter(|_| !["lib", "cell"].contains(&name.as_str())) {
                    let found = text(&format!("footlight::{name}::{private}::{exported}"));
                    assert_eq!(found, Ok(format!("::footlight::{name}::{exported}")), "add the module to VISIBLE");
                    checked += 1;
                }
            }
        }
        assert!(checked > 0);
    }

    #[test]
    fn the_table_holds_for_this_toolchain() {
        use std::any::type_name as name;
        for (given, visible) in [
            (name::<std::sync::Mutex<u8>>(), "::std::sync::Mutex<u8>"),
            (name::<std::sync::RwLock<u8>>(), "::std::sync::RwLock<u8>"),
            (name::<std::sync::Arc<u8>>(), "::std::sync::Arc<u8>"),
            (name::<std::cell::OnceCell<u8>>(), "::std::cell::OnceCell<u8>"),
            (name::<std::collections::BTreeMap<u8, u8>>(), "::std::collections::btree_map::BTreeMap<u8, u8>"),
            (name::<std::collections::VecDeque<u8>>(), "::std::collections::vec_deque::VecDeque<u8>"),
            (name::<std::collections::BTreeSet<u8>>(), "::std::collections::btree_set::BTreeSet<u8>"),
            (name::<std::time::Instant>(), "::std::time::Instant"),
            (name::<std::time::Duration>(), "::std::time::Duration"),
            (name::<std::path::PathBuf>(), "::std::path::PathBuf"),
            (name::<std::fs::File>(), "::std::fs::File"),
            (name::<std::vec::IntoIter<u8>>(), "::std::vec::IntoIter<u8>"),
            (name::<std::collections::vec_deque::IntoIter<u8>>(), "::std::collections::vec_deque::IntoIter<u8>"),
            (name::<std::array::IntoIter<u8, 2>>(), "::std::array::IntoIter<u8, 2>"),
            (name::<std::iter::Take<std::iter::Repeat<u8>>>(), "::std::iter::Take<::std::iter::Repeat<u8>>"),
            (name::<Option<Result<u8, String>>>(), "::std::option::Option<::std::result::Result<u8, ::std::string::String>>"),
        ] {
            assert_eq!(text(given).as_deref(), Ok(visible), "{given}");
        }
    }
}
