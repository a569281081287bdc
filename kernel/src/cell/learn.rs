//! What a failed compile run teaches about a cell: which variables statements move, which can't be stored since they borrow, and
//! which statements can't run inside a closure.

use std::collections::BTreeSet;

use crate::rustc::diagnostics::{Diagnostic, Span};

use super::displays::{Call, call_at};
use super::edits::Purpose;
use super::items::unit_key;
use super::places::Mapped;
use super::source::{Fixes, Source};
use super::split::{Kind, Statement};
use super::{Definition, Plan};

/// Errors of the borrow checker; a guard's closure can cause them where the bare statement would not.
const BORROWS: &[&str] = &[
    "E0373", "E0381", "E0382", "E0384", "E0499", "E0502", "E0503", "E0505", "E0506", "E0507", "E0515", "E0521", "E0594", "E0596",
    "E0597", "E0716",
];

/// Adds to `fixes` what the diagnostics teach; none if they teach nothing new, and so are the user's to mend.
pub fn learn(plan: &Plan, source: &Source, fixes: &Fixes, diagnostics: &[Diagnostic], file: &str) -> Option<Fixes> {
    let mut learned = fixes.clone();
    let scene = Scene { plan, source, file };
    let errors: Vec<&Diagnostic> = diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).collect();
    for error in &errors {
        scene.learn_from(error, &mut learned);
    }
    // Older items that don't fit the new definitions stay with the old ones, if nothing of the user's own cell is wrong.
    if learned == *fixes {
        let keys: Option<Vec<String>> = errors.iter().map(|error| scene.older_unit(error)).collect();
        learned.kept.extend(keys.unwrap_or_default());
    }
    (learned != *fixes).then_some(learned)
}

/// Whether an identifier is among tokens.
fn names_in(tokens: proc_macro2::TokenStream, name: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        proc_macro2::TokenTree::Ident(ident) => ident == name,
        proc_macro2::TokenTree::Group(group) => names_in(group.stream(), name),
        _ => false,
    })
}

struct Scene<'a> {
    plan: &'a Plan,
    source: &'a Source,
    file: &'a str,
}

impl Scene<'_> {
    fn learn_from(&self, error: &Diagnostic, fixes: &mut Fixes) {
        if error.code() == "E0282" && self.is_last(error) {
            fixes.unshown = true;
            return;
        }
        if let Some(made) = self.made_by_macro(error).filter(|made| !fixes.bare.contains(made)) {
            fixes.bare.insert(made);
            return;
        }
        fixes.displays.extend(self.display(error));
        let borrow = BORROWS.contains(&error.code()) || error.message.contains("lifetime may not live long enough");
        if !borrow {
            return;
        }
        let keeps: Vec<usize> = error.spans.iter().filter_map(|span| self.keep(span)).collect();
        if !keeps.is_empty() {
            fixes.unkept.extend(keeps);
            return;
        }
        let puts: Vec<(usize, &Span)> = error.spans.iter().filter_map(|span| Some((self.put(span)?, span))).collect();
        let gives: Vec<usize> =
            error.spans.iter().filter(|span| span.is_primary).filter_map(|span| self.give_back(span)).collect();
        if !gives.is_empty() {
            fixes.gone.extend(gives);
            return;
        }
        // A closure that borrows, or a borrow that leaves the cell: the put asks for more than it lives.
        let asked: Vec<usize> = error.children.iter().flat_map(|child| &child.spans).filter_map(|span| self.put(span)).collect();
        if puts.is_empty() && !asked.is_empty() {
            fixes.unstored.extend(asked);
            return;
        }
        // A value that must live for ever where a `let` makes it: what that `let` binds can't be stored.
        let for_ever = |span: &&Span| span.label.as_ref().is_some_and(|label| label.contains("requires that"));
        let made: BTreeSet<usize> = error.spans.iter().filter(for_ever).filter_map(|span| self.statement_of_text(span)).collect();
        let bound = self.bound_by(&made);
        if !bound.is_empty() && !puts.iter().any(|(_, span)| for_ever(span)) {
            fixes.unstored.extend(bound);
            return;
        }
        let primary = puts.iter().find(|(_, span)| span.is_primary).map(|(id, _)| *id);
        let in_turn = self.moved_in_turn(error);
        match (error.code(), primary) {
            ("E0382", None) if in_turn.iter().any(|(id, statement)| !fixes.moves(*id, *statement)) => {
                in_turn.into_iter().for_each(|(id, statement)| {
                    fixes.moved.entry(id).or_default().insert(statement);
                });
            }
            ("E0382", Some(id)) => {
                let moves = error.spans.iter().filter(|span| span.label.as_ref().is_some_and(|label| label.contains("moved")));
                let statements: Vec<usize> = moves.filter_map(|span| self.statement(span)).collect();
                if statements.is_empty() {
                    fixes.unstored.insert(id);
                } else {
                    fixes.moved.entry(id).or_default().extend(statements);
                }
            }
            ("E0381", Some(id)) => {
                fixes.unstored.insert(id);
            }
            _ if !puts.is_empty() => {
                let asks = |span: &Span| {
                    span.label.as_ref().is_some_and(|label| label.contains("requires") || label.contains("later used"))
                };
                let asking = puts.iter().find(|(_, span)| asks(span)).or_else(|| puts.iter().find(|(_, span)| !span.is_primary));
                fixes.unstored.extend(asking.map(|(id, _)| *id).or(primary));
            }
            _ => fixes.bare.extend(error.spans.iter().filter(|span| span.is_primary).filter_map(|span| self.statement(span))),
        }
    }

    /// The call of `display` whose value does not implement `Show`.
    fn display(&self, error: &Diagnostic) -> Option<Call> {
        let of_display = |note: &Diagnostic| {
            let bound = note.message.strip_prefix("required by a bound in `footlight::");
            bound.is_some_and(|path| path.split('`').next().is_some_and(|path| path.ends_with("display")))
        };
        if error.code() != "E0277" || !error.children.iter().any(of_display) {
            return None;
        }
        let introduced = |span: &&Span| span.label.as_ref().is_some_and(|label| label.contains("introduced by this call"));
        match error.spans.iter().find(introduced)?.mapped(self.source, self.file)? {
            Mapped::User(user) if user.cell.number == self.plan.cell.number => call_at(self.plan, user.range.start),
            _ => None,
        }
    }

    /// The macro call that was given a name which a later statement misses: what it defines must be in the cell's own block.
    fn made_by_macro(&self, error: &Diagnostic) -> Option<usize> {
        if !matches!(error.code(), "E0425" | "E0412" | "E0422" | "E0423" | "E0433") {
            return None;
        }
        let missed = error.message.split('`').nth(1)?;
        let user = error.spans.iter().filter(|span| span.is_primary).find_map(|span| self.statement(span))?;
        let calls = |statement: &Statement| match &statement.syntax {
            syn::Stmt::Macro(call) => names_in(call.mac.tokens.clone(), missed),
            _ => false,
        };
        self.plan.statements[..user].iter().rposition(calls)
    }

    /// Whether an error speaks of the whole last expression: one such as `{ panic!() }` ends the cell and is of no type to be shown.
    fn is_last(&self, error: &Diagnostic) -> bool {
        let Some(last) = self.plan.statements.last().filter(|last| last.kind == Kind::Last) else { return false };
        error.spans.iter().filter(|span| span.is_primary).any(|span| match span.mapped(self.source, self.file) {
            Some(Mapped::User(user)) => user.cell.number == self.plan.cell.number && user.range == last.range,
            _ => false,
        })
    }

    /// Variables that a statement both moves and assigns, as `for … { sum = sum + x; }` does, and that a later one uses: its closure must
    /// hand them back.
    fn moved_in_turn(&self, error: &Diagnostic) -> Vec<(usize, usize)> {
        let moves = error.spans.iter().filter(|span| span.label.as_ref().is_some_and(|label| label.contains("moved")));
        let statements: BTreeSet<usize> = moves.filter_map(|span| self.statement(span)).collect();
        let variables = || self.plan.variables.iter().enumerate();
        let of = |statement: usize| {
            let assigned = &self.plan.statements[statement].mentions.assigned;
            let named = move |name: &String| assigned.contains(name) && error.message.contains(&format!("`{name}`"));
            variables().filter(move |(_, variable)| named(&variable.name)).map(move |(id, _)| (id, statement))
        };
        statements.into_iter().flat_map(of).collect()
    }

    fn put(&self, span: &Span) -> Option<usize> {
        match span.mapped(self.source, self.file)? {
            Mapped::Generated(Purpose::Put(id), ..) => Some(id),
            _ => None,
        }
    }

    fn keep(&self, span: &Span) -> Option<usize> {
        match span.mapped(self.source, self.file)? {
            Mapped::Generated(Purpose::Keep(id), ..) => Some(id),
            _ => None,
        }
    }

    fn give_back(&self, span: &Span) -> Option<usize> {
        match span.mapped(self.source, self.file)? {
            Mapped::Generated(Purpose::GiveBack(id), ..) => Some(id),
            _ => None,
        }
    }

    /// The statement in whose own text, or in the guard around it, a span lies.
    fn statement_of_text(&self, span: &Span) -> Option<usize> {
        if self.put(span).is_some() { None } else { self.statement(span) }
    }

    /// The variables that these statements bind.
    fn bound_by(&self, statements: &BTreeSet<usize>) -> Vec<usize> {
        let variables = self.plan.variables.iter().enumerate();
        let bound = variables.filter(
            |(_, variable)| matches!(variable.definition, Definition::Let { statement, .. } if statements.contains(&statement)),
        );
        bound.map(|(id, _)| id).collect()
    }

    /// The statement that a span is in or beside.
    fn statement(&self, span: &Span) -> Option<usize> {
        let at = match span.mapped(self.source, self.file)? {
            Mapped::User(user) if user.cell.number == self.plan.cell.number => user.range.start,
            Mapped::Generated(_, cell, near) if cell.number == self.plan.cell.number => near,
            _ => return None,
        };
        let statements = &self.plan.statements;
        statements.iter().position(|s| s.range.contains(&at)).or_else(|| statements.iter().position(|s| s.range.end == at))
    }

    /// The older item that an error lies in.
    fn older_unit(&self, error: &Diagnostic) -> Option<String> {
        let span = error.spans.iter().find(|span| span.is_primary)?;
        let (cell, at) = match span.mapped(self.source, self.file)? {
            Mapped::User(user) => (user.cell, user.range.start),
            Mapped::Generated(_, cell, near) => (cell, near),
        };
        let found = |unit: &&std::sync::Arc<super::items::Unit>| {
            unit.cell.number == cell.number && unit.range.start <= at && at <= unit.range.end
        };
        if cell.number == self.plan.cell.number {
            return None;
        }
        self.plan.change.again.iter().find(found).map(|unit| unit_key(unit))
    }
}
