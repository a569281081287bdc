//! One guard a statement: each runs in a closure of its own, so that a panic, an error or an interrupt in it leaves all that stood
//! before it intact.
//!
//! `let P: T = E;` becomes `let P: T = (match cell.run(LINE, || Ok(E)) { Some(v) => v, None => break 'level });`, so that the names stay in
//! the one function body and types are inferred across statements; other statements run in a closure that returns nothing.

use std::collections::BTreeSet;
use std::ops::Range;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::displays::{Call, show_by_value};
use super::edits::{Edits, Purpose};
use super::polls::poll_stmt;
use super::split::{Kind, Statement};

/// The name of the `&mut Cell` in generated code.
pub const CELL: &str = "__footlight";
const ERROR: &str = "::footlight::cell::Error";
const OK: &str = "::core::result::Result::Ok";

/// What a guard needs to know besides its statement.
#[derive(Debug)]
pub struct Guard<'a> {
    /// The statement's line in the cell.
    pub line: usize,
    /// What runs where the statement fails: puts and the jump out.
    pub failed: &'a str,
    /// Run the statement as it stands, without a guard: it borrows in a way that a closure can't.
    pub bare: bool,
    /// The last expression is run and not shown.
    pub unshown: bool,
    /// Variables moved into the statement and assigned by it, with their ids.
    pub give_back: Vec<(usize, String)>,
    /// Calls of `display` to be taken as a last expression is.
    pub displays: &'a BTreeSet<Call>,
    /// The text of the cell.
    pub text: &'a str,
}

/// Guards one statement.
pub fn guard(statement: &Statement, guard: &Guard<'_>, edits: &mut Edits) {
    match (&statement.kind, &statement.syntax) {
        (Kind::Let(_), syn::Stmt::Local(local)) => guard_let(statement, local, guard, edits),
        (Kind::Assign, syn::Stmt::Expr(syn::Expr::Assign(assign), semi)) => {
            if guard.bare || is_trivial(&assign.right) {
                inner(statement, guard, edits);
            } else {
                value(&assign.right, &range(&assign.right), "_", guard, edits);
            }
            if semi.is_none() {
                edits.insert(statement.range.end, ";");
            }
        }
        (Kind::Last, _) if !guard.unshown => {
            if guard.bare {
                edits.insert(statement.range.start, "::footlight::show_value!(&(");
                inner(statement, guard, edits);
                edits.insert(statement.range.end, "));");
            } else {
                edits.insert(statement.range.start, format!("{}::footlight::show_value!(&(", open(guard.line, "()")));
                inner(statement, guard, edits);
                edits.insert(statement.range.end, format!(")); {OK}(()) }}).is_none() {{ {} }}", guard.failed));
            }
        }
        _ if guard.bare => {
            inner(statement, guard, edits);
            edits.insert(statement.range.end, ";");
        }
        _ if guard.give_back.is_empty() => {
            edits.insert(statement.range.start, open(guard.line, "()"));
            inner(statement, guard, edits);
            edits.insert(statement.range.end, format!("; {OK}(()) }}).is_none() {{ {} }}", guard.failed));
        }
        _ => give_back(statement, guard, edits),
    }
}

/// `if cell.run(LINE, || -> Result<T, Error> { `
fn open(line: usize, value: &str) -> String {
    format!("if {CELL}.run({line}, || -> ::core::result::Result<{value}, {ERROR}> {{ ")
}

fn range(spanned: &impl Spanned) -> Range<usize> {
    spanned.span().byte_range()
}

fn inner(statement: &Statement, guard: &Guard<'_>, edits: &mut Edits) {
    poll_stmt(&statement.syntax, edits);
    show_by_value(guard.displays, &statement.range, edits);
    Returns { edits }.visit_stmt(&statement.syntax);
}

/// `E` becomes `(match cell.run(LINE, || Ok(E)) { Some(v) => v, None => … })`; no brace may stand before the `else` of a `let`.
fn value(expr: &syn::Expr, at: &Range<usize>, kind: &str, guard: &Guard<'_>, edits: &mut Edits) {
    let Guard { line, failed, .. } = guard;
    edits.insert(at.start, format!("(match {CELL}.run({line}, || -> ::core::result::Result<{kind}, {ERROR}> {{ {OK}("));
    inner_expr(expr, guard, edits);
    let some = "::core::option::Option::Some(__value) => __value";
    edits.insert(at.end, format!(") }}) {{ {some}, ::core::option::Option::None => {{ {failed} }} }})"));
}

fn inner_expr(expr: &syn::Expr, guard: &Guard<'_>, edits: &mut Edits) {
    poll_stmt(&syn::Stmt::Expr(expr.clone(), None), edits);
    show_by_value(guard.displays, &range(expr), edits);
    Returns { edits }.visit_expr(expr);
}

fn guard_let(statement: &Statement, local: &syn::Local, guard: &Guard<'_>, edits: &mut Edits) {
    let Some(init) = &local.init else { return };
    if guard.bare {
        inner(statement, guard, edits);
    } else if let Some(operand) = extended(&init.expr) {
        value(operand, &range(operand), "_", guard, edits);
    } else if is_trivial(&init.expr) {
        inner_expr(&init.expr, guard, edits);
    } else {
        let kind = match &local.pat {
            syn::Pat::Type(typed) => one_line(&guard.text[range(&*typed.ty)]),
            _ => "_".to_owned(),
        };
        value(&init.expr, &range(&*init.expr), &kind, guard, edits);
    }
    if let Some((_, diverge)) = &init.diverge
        && !guard.bare
    {
        // The block never ends normally; its panic or return must not pass the guard by.
        let at = range(&**diverge);
        let call = format!("{{ let _ = {CELL}.run({}, || -> ::core::result::Result<(), {ERROR}> {{ ", guard.line);
        edits.insert(at.start, call);
        inner_expr(diverge, guard, edits);
        edits.insert(at.end, format!(" }}); {} }}", guard.failed));
    }
}

/// The operand of `&E` where `E` is a temporary that the `let` keeps alive: the guard goes inside the `&`.
fn extended(expr: &syn::Expr) -> Option<&syn::Expr> {
    let syn::Expr::Reference(reference) = expr else { return None };
    let operand = &*reference.expr;
    let place = matches!(
        operand,
        syn::Expr::Path(_) | syn::Expr::Field(_) | syn::Expr::Index(_) | syn::Expr::Unary(_) | syn::Expr::Reference(_)
    );
    (!place && !is_trivial(operand)).then_some(operand)
}

fn one_line(text: &str) -> String {
    text.lines().map(|line| line.split("//").next().unwrap_or("").trim()).collect::<Vec<_>>().join(" ")
}

/// An expression that can neither fail nor run for long; it needs no guard.
pub fn is_trivial(expr: &syn::Expr) -> bool {
    use syn::Expr as E;
    match expr {
        E::Lit(_) | E::Path(_) | E::Closure(_) => true,
        E::Reference(reference) => is_trivial(&reference.expr),
        E::Paren(paren) => is_trivial(&paren.expr),
        E::Group(group) => is_trivial(&group.expr),
        E::Tuple(tuple) => tuple.elems.iter().all(is_trivial),
        E::Array(array) => array.elems.iter().all(is_trivial),
        E::Struct(value) => value.fields.iter().all(|field| is_trivial(&field.expr)) && value.rest.is_none(),
        E::Unary(unary) => matches!((&unary.op, &*unary.expr), (syn::UnOp::Neg(_) | syn::UnOp::Not(_), E::Lit(_))),
        _ => false,
    }
}

/// A statement such as `for … { params = step(params); }`: the closure takes `params` in by value and hands it back at its end.
fn give_back(statement: &Statement, guard: &Guard<'_>, edits: &mut Edits) {
    edits.insert(statement.range.start, format!("match {CELL}.run({}, || -> ::core::result::Result<_, {ERROR}> {{ ", guard.line));
    inner(statement, guard, edits);
    let (mut taken, mut assigns) = (String::new(), String::new());
    edits.insert(statement.range.end, format!("; {OK}(("));
    for (index, (id, name)) in guard.give_back.iter().enumerate() {
        edits.insert_for(statement.range.end, format!("{name},"), Purpose::GiveBack(*id));
        taken.push_str(&format!("__value{index},"));
        assigns.push_str(&format!("{name} = __value{index}; "));
    }
    edits.insert(
        statement.range.end,
        format!(
            ")) }}) {{ ::core::option::Option::Some(({taken})) => {{ {assigns}}}, ::core::option::Option::None => {{ {} }} }}",
            guard.failed
        ),
    );
}

/// `return` at the top level of a cell ends the cell; the value, if any, is dropped.
struct Returns<'a> {
    edits: &'a mut Edits,
}

impl<'ast> Visit<'ast> for Returns<'_> {
    fn visit_expr_return(&mut self, expr: &'ast syn::ExprReturn) {
        let keyword = expr.return_token.span.byte_range().end;
        match &expr.expr {
            None => self.edits.insert(keyword, " ::core::result::Result::Err(::footlight::cell::stop())"),
            Some(value) => {
                self.edits.insert(keyword, " { let _ =");
                visit::visit_expr(self, value);
                self.edits.insert(range(&**value).end, "; ::core::result::Result::Err(::footlight::cell::stop()) }");
            }
        }
    }

    // Inside these, `return` has its own meaning.
    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
    fn visit_expr_async(&mut self, _: &'ast syn::ExprAsync) {}
    fn visit_item(&mut self, _: &'ast syn::Item) {}
}
