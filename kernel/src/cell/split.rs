//! Splits a cell into items, statements and the last expression.

use std::ops::Range;
use std::str::FromStr;

use proc_macro2::TokenTree;
use syn::parse::Parser;
use syn::spanned::Spanned;

use super::names::Mentions;
use super::patterns::{Binding, bindings};

/// The longest cell, in bytes. Longer texts are data that should be read from a file; rustc would take minutes over them.
pub const LONGEST: usize = 1 << 20;

/// The deepest nesting of brackets; parsers recurse over it.
const DEEPEST: usize = 400;

/// Why a text could not be split.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SplitError {
    /// Longer than [`LONGEST`].
    #[error(
        "the cell has {0} bytes of text, and {LONGEST} is the most a cell may have: put the data into a file and read it from there"
    )]
    TooLong(usize),
    /// Brackets nested too deep.
    #[error("brackets are nested more than {DEEPEST} deep on line {0}: split the expression over several `let`s")]
    TooDeep(usize),
    /// A NUL byte, which rustc would refuse less clearly.
    #[error("line {0} holds a NUL byte (\\0), which is no Rust text: write it as '\\0' in a string, or remove it")]
    Nul(usize),
    /// No tokens could be made of it: an open bracket or string, a stray character.
    #[error("{0}")]
    Tokens(String),
    /// The tokens are no Rust.
    #[error("{message}")]
    Syntax {
        /// What syn says.
        message: String,
        /// Where, as a byte offset.
        at: usize,
        /// The text ends before it is whole.
        at_end: bool,
    },
}

/// How a top-level statement is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `let` with the variables it binds.
    Let(Vec<Binding>),
    /// `x = …;` or `x.y = …;` at top level: the value is computed under guard, the assignment stands outside.
    Assign,
    /// Any other statement.
    Plain,
    /// The last expression, to be shown.
    Last,
}

/// A top-level statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Its syntax.
    pub syntax: syn::Stmt,
    /// Its bytes of the cell's text, the semicolon included.
    pub range: Range<usize>,
    /// How it is run.
    pub kind: Kind,
    /// What it mentions.
    pub mentions: Mentions,
}

/// A cell in its parts, each in the text's order.
#[derive(Clone, Debug, Default)]
pub struct Split {
    /// The statements; the last may be the expression to show.
    pub statements: Vec<Statement>,
    /// The items with their bytes.
    pub items: Vec<(syn::Item, Range<usize>)>,
}

/// Splits a cell's text. `is_constant` tells names of constants, which patterns mention and don't bind.
pub fn split(text: &str, is_constant: &dyn Fn(&str) -> bool) -> Result<Split, SplitError> {
    check(text)?;
    let tokens = proc_macro2::TokenStream::from_str(text).map_err(|error| SplitError::Tokens(error.to_string()))?;
    let parsed = syn::Block::parse_within.parse2(tokens).map_err(|error| {
        let range = error.span().byte_range();
        let end = text.trim_end().len();
        SplitError::Syntax { message: error.to_string(), at: range.start, at_end: range.start >= end || range == (0..0) }
    })?;
    let mut split = Split::default();
    let count = parsed.len();
    for (index, syntax) in parsed.into_iter().enumerate() {
        let range = syntax.span().byte_range();
        match syntax {
            syn::Stmt::Item(item) => split.items.push((item, range)),
            syn::Stmt::Macro(of) if is_thread_local(&of.mac) => {
                // One item a static, each over the whole macro.
                split.items.extend(statics(&of.mac).into_iter().map(|ident| {
                    let item = syn::ItemMacro { attrs: Vec::new(), ident: Some(ident), mac: of.mac.clone(), semi_token: None };
                    (syn::Item::Macro(item), range.clone())
                }));
            }
            syntax => {
                let kind = kind(&syntax, index + 1 == count, is_constant);
                let mentions = Mentions::of_stmt(&syntax);
                split.statements.push(Statement { syntax, range, kind, mentions });
            }
        }
    }
    // Spans are looked up in a table of this thread that grows with every text parsed; none is used after this.
    Ok(split)
}

/// The one macro of the standard library that defines items.
pub fn is_thread_local(mac: &syn::Macro) -> bool {
    mac.path.segments.last().is_some_and(|last| last.ident == "thread_local")
}

/// The names of the statics in a `thread_local!`, each with a `static` before it.
fn statics(mac: &syn::Macro) -> Vec<syn::Ident> {
    let tokens: Vec<TokenTree> = mac.tokens.clone().into_iter().collect();
    let pairs = tokens.windows(2).filter_map(|pair| match pair {
        [TokenTree::Ident(word), TokenTree::Ident(name)] if word == "static" => Some(name.clone()),
        _ => None,
    });
    pairs.collect()
}

fn check(text: &str) -> Result<(), SplitError> {
    if text.len() > LONGEST {
        return Err(SplitError::TooLong(text.len()));
    }
    let (mut line, mut depth) = (1, 0_usize);
    for byte in text.bytes() {
        match byte {
            0 => return Err(SplitError::Nul(line)),
            b'\n' => line += 1,
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEEPEST {
            return Err(SplitError::TooDeep(line));
        }
    }
    Ok(())
}

fn kind(stmt: &syn::Stmt, last: bool, is_constant: &dyn Fn(&str) -> bool) -> Kind {
    match stmt {
        syn::Stmt::Local(local) => Kind::Let(bindings(&local.pat, is_constant)),
        syn::Stmt::Expr(syn::Expr::Assign(assign), _) if is_plain_place(&assign.left) => Kind::Assign,
        syn::Stmt::Expr(expr, None) if last && has_value(expr) => Kind::Last,
        syn::Stmt::Macro(mac) if last && mac.semi_token.is_none() && !never_returns(&mac.mac) => Kind::Last,
        _ => Kind::Plain,
    }
}

/// A variable or a field of one: assigning to it runs nothing that could fail.
fn is_plain_place(expr: &syn::Expr) -> bool {
    match expr {
        syn::Expr::Path(path) => path.path.get_ident().is_some(),
        syn::Expr::Field(field) => is_plain_place(&field.base),
        syn::Expr::Paren(paren) => is_plain_place(&paren.expr),
        _ => false,
    }
}

/// Expressions that never have a value worth showing are run as statements.
fn has_value(expr: &syn::Expr) -> bool {
    use syn::Expr as E;
    match expr {
        E::Assign(_) | E::ForLoop(_) | E::While(_) | E::Return(_) | E::Break(_) | E::Continue(_) | E::Let(_) => false,
        E::Binary(binary) => !is_compound(&binary.op),
        E::Macro(mac) => !never_returns(&mac.mac),
        E::If(one_armed) => one_armed.else_branch.is_some(),
        _ => true,
    }
}

fn is_compound(op: &syn::BinOp) -> bool {
    use syn::BinOp as O;
    matches!(
        op,
        O::AddAssign(_)
            | O::SubAssign(_)
            | O::MulAssign(_)
            | O::DivAssign(_)
            | O::RemAssign(_)
            | O::BitXorAssign(_)
            | O::BitAndAssign(_)
            | O::BitOrAssign(_)
            | O::ShlAssign(_)
            | O::ShrAssign(_)
    )
}

fn never_returns(mac: &syn::Macro) -> bool {
    ["panic", "todo", "unimplemented", "unreachable"].iter().any(|name| mac.path.is_ident(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        split(text, &|_| false).unwrap().statements.into_iter().map(|s| s.kind).collect()
    }

    #[test]
    fn tells_statements_from_the_last_expression() {
        assert_eq!(kinds("1 + 1"), [Kind::Last]);
        assert_eq!(kinds("1 + 1;"), [Kind::Plain]);
        assert_eq!(kinds("x = 3; x"), [Kind::Assign, Kind::Last]);
        assert_eq!(kinds("for i in 0..3 { f(i) }"), [Kind::Plain]);
        assert_eq!(kinds("fn f() {} f()"), [Kind::Last]);
        assert_eq!(kinds("vec![1]"), [Kind::Last]);
        assert_eq!(kinds("panic!()"), [Kind::Plain]);
        assert_eq!(kinds("v[0] = 1; x += 1"), [Kind::Plain, Kind::Plain]);
    }

    #[test]
    fn the_statics_of_a_thread_local_are_items() {
        let split = split("thread_local! { static A: u8 = 1; pub static B: u8 = 2; }\nA.get()", &|_| false).unwrap();
        let names = split.items.iter().map(|(item, _)| match item {
            syn::Item::Macro(item) => item.ident.as_ref().map(ToString::to_string).unwrap_or_default(),
            _ => String::new(),
        });
        assert_eq!(names.collect::<Vec<_>>(), ["A", "B"]);
        assert_eq!(split.statements.len(), 1);
    }

    #[test]
    fn ranges_are_bytes_of_the_text() {
        let text = "/* é */ let a = 1;\n/// doc\npub fn f() {}\na + f()  ";
        let split = split(text, &|_| false).unwrap();
        let ranges: Vec<_> = split.statements.iter().map(|s| &text[s.range.clone()]).collect();
        assert_eq!(ranges, ["let a = 1;", "a + f()"]);
        assert_eq!(&text[split.items[0].1.clone()], "/// doc\npub fn f() {}");
    }

    #[test]
    fn refuses_what_is_no_cell() {
        assert!(matches!(split("a\n\0", &|_| false), Err(SplitError::Nul(2))));
        assert!(matches!(split(&"x".repeat(LONGEST + 1), &|_| false), Err(SplitError::TooLong(_))));
        assert!(matches!(split(&"(".repeat(1000), &|_| false), Err(SplitError::TooDeep(1))));
        assert!(matches!(split("fn f() {", &|_| false), Err(SplitError::Tokens(_))));
        assert!(matches!(split("let = 3;", &|_| false), Err(SplitError::Syntax { at: 4, at_end: false, .. })));
        assert!(matches!(split("let x = ", &|_| false), Err(SplitError::Syntax { at_end: true, .. })));
    }
}
