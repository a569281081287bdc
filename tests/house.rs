//! The rules of the house, run as tests, so that they hold on every machine and not only in CI. Each failure says how to mend it.
//!
//! A rule is a function from the source files to what breaks it. It runs over the repository, and over a small sample that breaks it,
//! so that no rule is one that can't fail.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

/// The longest a file may be, in lines.
const LONGEST: usize = 600;

/// A Rust file of the repository.
struct Source {
    /// Its path from the repository's root.
    path: String,
    /// Its text.
    text: String,
}

/// A folder or file (without `.rs`), and the paths that its code must not name.
struct Layer {
    place: &'static str,
    never: &'static [&'static str],
    why: &'static str,
}

/// Who must not know whom. ARCHITECTURE.md says the same in sentences.
const LAYERS: &[Layer] = &[
    Layer { place: "kernel/src", never: &["footlight"], why: "the kernel never links the tensor library" },
    Layer {
        place: "kernel/src/cell",
        never: &["tokio", "std::process", "std::fs", "std::net", "std::time"],
        why: "a cell's source is a pure function of its text and the notebook's state",
    },
    Layer {
        place: "kernel/src/wire",
        never: &["syn", "crate::cell", "crate::rustc", "crate::worker"],
        why: "the wire knows frames alone",
    },
    Layer {
        place: "kernel/src/server",
        never: &["syn", "crate::cell", "crate::rustc", "crate::worker"],
        why: "the sockets know messages, not what is in a cell",
    },
    Layer {
        place: "kernel/src/rustc",
        never: &["crate::wire", "crate::server", "crate::messages", "crate::worker"],
        why: "a compiler run knows neither Jupyter nor the worker",
    },
    Layer {
        place: "kernel/src/worker",
        never: &["crate::rustc", "crate::cell", "crate::wire", "crate::server"],
        why: "the worker's keeper knows neither rustc nor cells' text",
    },
    Layer {
        place: "kernel/src/magics",
        never: &["crate::wire", "crate::server", "crate::messages", "crate::rustc"],
        why: "a magic answers through its desk",
    },
    Layer {
        place: "kernel/src/hints",
        never: &["tokio", "crate::session", "crate::server", "crate::messages", "crate::worker"],
        why: "a hint is a function of an error and the notebook",
    },
    Layer { place: "runtime/channel/src", never: &["footlight", "footlight_kernel"], why: "both sides link the channel" },
    Layer {
        place: "runtime/src/ops",
        never: &["crate::tape", "crate::stage", "crate::show"],
        why: "an op's rules serve every way to run it",
    },
    Layer {
        place: "runtime/src/graph",
        never: &["crate::device", "crate::show"],
        why: "a graph does not know where it will run",
    },
    Layer {
        place: "runtime/src/passes",
        never: &["crate::device", "crate::show"],
        why: "a pass does not know where its graph will run",
    },
    Layer { place: "runtime/src/optim", never: &["crate::graph", "crate::device"], why: "optimizers are written with ops" },
    Layer { place: "runtime/src/nn", never: &["crate::graph", "crate::device"], why: "layers are written with ops" },
    Layer {
        place: "runtime/src/device",
        never: &["crate::ops", "crate::tape", "crate::graph"],
        why: "devices walk memory and know no op by name",
    },
];

/// The places (files or folders, without `.rs`) that may use `unsafe`: each is small, and wraps what it does.
const UNSAFE: &[&str] = &[
    "kernel/src/doctor/disk",
    "kernel/src/magics/shell",
    "kernel/src/server/parent",
    "kernel/src/worker",
    "runtime/src/bin/footlight-worker",
    "runtime/src/cell",
    "runtime/src/device",
    "runtime/src/optim",
    "runtime/src/show/value",
    "runtime/src/shape",
    "runtime/src/stage/function",
    "runtime/src/storage",
    "runtime/src/tape",
    "runtime/src/tensor",
    "runtime/src/variable",
    "runtime/src/worker",
];

/// The places that may start a program.
const STARTS: &[&str] = &[
    "kernel/src/doctor",
    "kernel/src/install",
    "kernel/src/magics",
    "kernel/src/rustc",
    "kernel/src/worker",
    "runtime/build",
    "runtime/src/exec/native",
    "tests",
];

/// Licences that a dependency may have, one of an `OR` being enough.
const LICENCES: &[&str] = &[
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-1-Clause",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MPL-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
    "0BSD",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ lies in the repository").to_path_buf()
}

/// What a program prints, run at the repository's root.
fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).current_dir(root()).output().expect("the program starts");
    assert!(output.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Every Rust file that git knows, or would add.
fn sources() -> Vec<Source> {
    let listed = output("git", &["ls-files", "--cached", "--others", "--exclude-standard", "*.rs"]);
    let mut paths: Vec<&str> = listed.lines().filter(|path| root().join(path).is_file()).collect();
    paths.sort_unstable();
    paths.dedup();
    assert!(paths.len() > 50, "git lists only {paths:?}");
    let read = |path: &str| std::fs::read_to_string(root().join(path)).expect("git lists files that can be read");
    paths.into_iter().map(|path| Source { path: path.to_owned(), text: read(path) }).collect()
}

/// Fails with what `rule` finds in the repository, and if it finds nothing in a file of the given path and text, which breaks it.
fn check(rule: impl Fn(&[Source]) -> Vec<String>, path: &str, text: &str) {
    let sample = [Source { path: path.to_owned(), text: text.to_owned() }];
    assert!(!rule(&sample).is_empty(), "the rule finds no fault in its own bad sample");
    let found = rule(&sources());
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

/// Is `path` the file of `place`, or in its folder?
fn within(path: &str, place: &str) -> bool {
    path.strip_suffix(".rs") == Some(place) || path.strip_prefix(place).is_some_and(|rest| rest.starts_with('/'))
}

fn any_within(path: &str, places: &[&str]) -> bool {
    places.iter().any(|place| within(path, place))
}

/// The words of a file and their lines, with comments and strings left out and macros' words kept.
fn words(source: &Source) -> Vec<(String, usize)> {
    fn walk(tokens: TokenStream, words: &mut Vec<(String, usize)>) {
        for token in tokens {
            let line = token.span().start().line;
            match token {
                TokenTree::Group(group) => walk(group.stream(), words),
                TokenTree::Ident(ident) => words.push((ident.to_string(), line)),
                TokenTree::Punct(punct) => words.push((punct.as_char().to_string(), line)),
                TokenTree::Literal(_) => {}
            }
        }
    }
    let mut found = Vec::new();
    walk(source.text.parse().unwrap_or_else(|error| panic!("{}: {error}", source.path)), &mut found);
    found
}

/// The paths that a file names outside its tests, and their lines.
#[derive(Default)]
struct Paths(Vec<(String, usize)>);

impl Paths {
    fn of(source: &Source) -> Vec<(String, usize)> {
        let mut paths = Paths::default();
        paths.visit_file(&syn::parse_file(&source.text).unwrap_or_else(|error| panic!("{}: {error}", source.path)));
        paths.0
    }

    fn imports(&mut self, tree: &syn::UseTree, prefix: &str) {
        let join = |name: &syn::Ident| if prefix.is_empty() { name.to_string() } else { format!("{prefix}::{name}") };
        match tree {
            syn::UseTree::Path(path) => self.imports(&path.tree, &join(&path.ident)),
            syn::UseTree::Name(name) => self.0.push((join(&name.ident), name.ident.span().start().line)),
            syn::UseTree::Rename(name) => self.0.push((join(&name.ident), name.ident.span().start().line)),
            syn::UseTree::Glob(star) => self.0.push((prefix.to_owned(), star.star_token.spans[0].start().line)),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.imports(tree, prefix)),
        }
    }
}

impl Visit<'_> for Paths {
    fn visit_item_mod(&mut self, module: &syn::ItemMod) {
        if !module
            .attrs
            .iter()
            .any(|attribute| matches!(&attribute.meta, syn::Meta::List(list) if list.tokens.to_string() == "test"))
        {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_use(&mut self, item: &syn::ItemUse) {
        self.imports(&item.tree, "");
    }

    fn visit_path(&mut self, path: &syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if let Some(first) = path.segments.first() {
            self.0.push((names.join("::"), first.ident.span().start().line));
        }
        visit::visit_path(self, path);
    }
}

#[test]
fn files_are_short() {
    let rule = |sources: &[Source]| {
        let long = sources.iter().filter(|source| source.text.lines().count() > LONGEST);
        long.map(|source| format!("{}: more than {LONGEST} lines: give one of its ideas a file of its own", source.path))
            .collect()
    };
    check(rule, "kernel/src/long.rs", &"\n".repeat(LONGEST + 1));
}

#[test]
fn files_say_what_lives_in_them() {
    let rule = |sources: &[Source]| {
        let silent = sources.iter().filter(|source| !source.text.starts_with("//! "));
        silent.map(|source| format!("{}: open it with a `//!` line that says what lives here", source.path)).collect()
    };
    check(rule, "kernel/src/silent.rs", "use std::fmt;\n");
}

#[test]
fn files_are_named_for_what_they_hold() {
    let rule = |sources: &[Source]| {
        let vague = |name: &str| ["util", "utils", "helper", "helpers", "common", "misc"].contains(&name.trim_end_matches(".rs"));
        let named = sources.iter().filter(|source| source.path.split('/').any(vague) || source.path.ends_with("/mod.rs"));
        named
            .map(|source| format!("{}: name it for the one thing it holds (`foo.rs` beside `foo/`, no mod.rs)", source.path))
            .collect()
    };
    check(rule, "kernel/src/utils.rs", "");
}

#[test]
fn layers_do_not_look_up() {
    let rule = |sources: &[Source]| {
        let mut found = Vec::new();
        for source in sources {
            let layers: Vec<&Layer> = LAYERS.iter().filter(|layer| within(&source.path, layer.place)).collect();
            if layers.is_empty() {
                continue;
            }
            for (path, line) in Paths::of(source) {
                for layer in &layers {
                    let names =
                        |never: &&str| path.strip_prefix(*never).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"));
                    if layer.never.iter().any(names) {
                        found.push(format!("{}:{line}: names {path}, but {}: {}", source.path, layer.place, layer.why));
                    }
                }
            }
        }
        found
    };
    check(rule, "runtime/src/ops/elementwise/exp.rs", "use crate::{shape::Shape, tape::{self, Record}};");
    check(rule, "kernel/src/cell/split.rs", "fn f() { std::fs::read(\"x\"); }");
}

#[test]
fn unsafe_code_is_where_it_is_expected() {
    let rule = |sources: &[Source]| {
        let mut found = Vec::new();
        for source in sources.iter().filter(|source| !any_within(&source.path, UNSAFE)) {
            for (_, line) in words(source).into_iter().filter(|(word, _)| word == "unsafe") {
                found.push(format!(
                    "{}:{line}: unsafe code: do without, or add the file to UNSAFE in tests/house.rs",
                    source.path
                ));
            }
        }
        found
    };
    check(rule, "kernel/src/cell/split.rs", "macro_rules! m { () => { unsafe { f() } } }");
}

#[test]
fn programs_are_started_where_it_is_expected() {
    let rule = |sources: &[Source]| {
        let mut found = Vec::new();
        for source in sources.iter().filter(|source| !any_within(&source.path, STARTS)) {
            let words = words(source);
            for four in
                words.windows(4).filter(|four| four.iter().map(|(word, _)| word.as_str()).eq(["Command", ":", ":", "new"]))
            {
                found.push(format!(
                    "{}:{}: starts a program: only the places in STARTS of tests/house.rs do",
                    source.path, four[0].1
                ));
            }
        }
        found
    };
    check(rule, "runtime/src/shape.rs", "fn f() { std::process::Command::new(\"ls\"); }");
}

/// A file whose `mod` line was forgotten compiles nowhere, and nobody notices. rustc's dep-info names the files it read.
#[test]
fn every_file_is_compiled() {
    let deps = std::env::current_exe().expect("a test has a path").parent().expect("in target/PROFILE/deps").to_path_buf();
    // The newest record of each crate: older ones are of files long gone.
    let mut newest: BTreeMap<(String, String), (SystemTime, String)> = BTreeMap::new();
    for entry in std::fs::read_dir(deps).expect("the folder this test runs from").flatten() {
        let path = entry.path();
        let Some(stem) =
            path.file_stem().and_then(|stem| stem.to_str()).filter(|_| path.extension().is_some_and(|ext| ext == "d"))
        else {
            continue;
        };
        let text = std::fs::read_to_string(&path).expect("text");
        // A program and a library may have one name; the first file that a record names tells them apart.
        let root = text.split_once(": ").and_then(|(_, files)| files.split_whitespace().next()).unwrap_or_default().to_owned();
        let name = stem.rsplit_once('-').map_or(stem, |(name, _)| name).to_owned();
        let written = entry.metadata().and_then(|data| data.modified()).expect("a file has a time");
        let record = newest.entry((name, root)).or_insert_with(|| (written, text.clone()));
        if record.0 < written {
            *record = (written, text);
        }
    }
    let read: BTreeSet<&str> = newest.values().flat_map(|(_, text)| text.split_whitespace()).collect();
    let root = root();
    let rule = |sources: &[Source]| {
        // A run of one package's tests does not build another's.
        let unbuilt = |path: &str| {
            let test = path.split_once("/tests/").map(|(_, rest)| rest.split(['/', '.']).next().unwrap_or(rest));
            test.is_some_and(|test| !newest.keys().any(|(name, _)| name == test))
        };
        // Cargo finds the roots of programs, examples, benches and build scripts by itself, and builds them apart.
        let apart = |path: &str| {
            path.ends_with("/main.rs")
                || path.ends_with("/build.rs")
                || path.starts_with("benches/")
                || ["/bin/", "/examples/", "/fuzz/"].iter().any(|part| path.contains(part))
                || unbuilt(path)
        };
        let compiled =
            |path: &str| read.contains(path) || read.contains(root.join(path).to_str().expect("the repository's path is text"));
        let lost = sources.iter().filter(|source| !apart(&source.path) && !compiled(&source.path));
        lost.map(|source| format!("{}: compiled nowhere: add its `mod` line, or its word to the table", source.path)).collect()
    };
    check(rule, "runtime/src/ops/elementwise/forgotten.rs", "//! Forgotten.");
}

#[test]
fn dependencies_are_declared_once() {
    for member in ["kernel", "runtime", "runtime/channel", "tests"] {
        let text = std::fs::read_to_string(root().join(member).join("Cargo.toml")).expect("a member has a manifest");
        let mut section = "";
        for line in text.lines() {
            if line.starts_with('[') {
                section = line;
            } else if section.contains("dependencies") && line.contains('=') {
                assert!(
                    line.contains("workspace = true"),
                    "{member}/Cargo.toml: `{line}`: declare it in the root's [workspace.dependencies]"
                );
            }
        }
    }
}

#[test]
fn licences_are_known() {
    // This platform's dependencies alone: cargo has fetched no others.
    let version = output("rustc", &["-vV"]);
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("rustc names its host");
    let text = output("cargo", &["metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", host]);
    let metadata: serde_json::Value = serde_json::from_str(&text).expect("cargo writes JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    assert!(packages.len() > 50);
    for package in packages {
        let licence = package["license"].as_str().unwrap_or("none given");
        // `A OR B` needs one, `A AND B` needs both; an old form writes OR as a slash.
        let plain = licence.replace('/', " OR ").replace(['(', ')'], "");
        let known = plain.split(" AND ").all(|all| all.split(" OR ").any(|one| LICENCES.contains(&one.trim())));
        assert!(known, "{} is under '{licence}', which is not in LICENCES of tests/house.rs", package["name"]);
    }
}

#[test]
fn the_architecture_page_names_every_folder() {
    let page = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let folders: BTreeSet<String> = sources()
        .iter()
        .filter_map(|source| {
            let rest = source.path.strip_prefix("kernel/src/").or_else(|| source.path.strip_prefix("runtime/src/"))?;
            Some(rest.split_once('/')?.0.to_owned())
        })
        .filter(|folder| folder != "bin")
        .collect();
    let missing: Vec<_> =
        folders.iter().filter(|folder| !page.contains(&format!("{folder}`")) && !page.contains(&format!("{folder}/"))).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md does not say what these folders hold: {missing:?}");
}
