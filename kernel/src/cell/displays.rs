//! Calls of `display` with values that don't implement `Show`, as `display(&1)`: only rustc knows them. It is told to take such a call as
//! it takes a last expression, which falls back to `Debug`; calls with values that implement `Show` stay the plain calls that they are.

use std::collections::BTreeSet;
use std::ops::Range;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::Plan;
use super::edits::Edits;

/// A call of `display`, by its places in the cell's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Call {
    start: usize,
    /// Behind the function's path.
    path_end: usize,
    /// Behind the closing bracket.
    end: usize,
}

/// The call in the plan's cell whose function's path starts at `start`.
pub fn call_at(plan: &Plan, start: usize) -> Option<Call> {
    let mut search = Search { start, offset: 0, found: None };
    for statement in &plan.statements {
        search.visit_stmt(&statement.syntax);
    }
    for unit in plan.units.iter().filter(|unit| unit.range.contains(&start)) {
        if let Ok(item) = syn::parse_str(&unit.cell.text[unit.range.clone()]) {
            search.offset = unit.range.start;
            search.visit_item(&item);
        }
    }
    search.found
}

/// Turns the calls that lie in a stretch of the text into `show_value!`.
pub fn show_by_value(calls: &BTreeSet<Call>, within: &Range<usize>, edits: &mut Edits) {
    for call in calls.iter().filter(|call| within.contains(&call.start) && call.end <= within.end) {
        edits.insert(call.start, "::footlight::show_value!(display ");
        edits.blank(call.start..call.path_end);
        edits.insert(call.end, ")");
    }
}

struct Search {
    start: usize,
    /// Where the text that is visited starts in the cell's.
    offset: usize,
    found: Option<Call>,
}

impl<'ast> Visit<'ast> for Search {
    fn visit_expr_call(&mut self, expr: &'ast syn::ExprCall) {
        let (path, call) = (expr.func.span().byte_range(), expr.span().byte_range());
        if path.start + self.offset == self.start {
            let (path_end, end) = (path.end + self.offset, call.end + self.offset);
            self.found = Some(Call { start: self.start, path_end, end });
        }
        visit::visit_expr_call(self, expr);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::edits::{CellText, Purpose, Writer};
    use crate::notebook::Notebook;

    #[test]
    fn a_call_is_found_in_statements_and_items_and_wrapped_whole() {
        let text = "fn tell(x: &i32) { if true { display(x) } }\nfor i in 0..2 { footlight::display (&f(i)); }\nshow(&1);";
        let cell = CellText::new(1, text);
        let plan = Plan::new(&cell, Vec::new(), &Notebook::default(), &BTreeSet::new()).expect("a plan");
        let at = |part: &str| call_at(&plan, text.find(part).expect("in the text"));
        let calls: BTreeSet<Call> = [at("display(x)"), at("footlight::display"), at("x) }")].into_iter().flatten().collect();
        let mut edits = Edits::default();
        show_by_value(&calls, &(0..text.len()), &mut edits);
        let mut writer = Writer::default();
        writer.generate("", Purpose::Frame, &cell, 0);
        writer.copy_edited(&cell, 0..text.len(), &edits);
        let words: Vec<&str> = writer.text.split_whitespace().collect();
        assert_eq!(
            words.join(" "),
            "fn tell(x: &i32) { if true { ::footlight::show_value!(display (x)) } } \
             for i in 0..2 { ::footlight::show_value!(display (&f(i))); } show(&1);"
        );
    }
}
