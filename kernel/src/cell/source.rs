//! The text of a cell's crate.
//!
//! ```text
//! #![allow(warnings)] use footlight::prelude::*; use cell_3::{Point}; …      first line, before the user's text
//! struct New { … }                                                           the user's items, where they stand
//! #[unsafe(no_mangle)] pub fn footlight_cell_7(__footlight: &mut Cell) {     from the first statement …
//!   let mut x: T = take("x");  'b0: {  …guarded statements…  let y = …;  'b1: { … }  put("y", y) }  put("x", x) }
//! struct Again { … }                                                         items of older cells that are compiled again
//! ```
//!
//! A failing statement leaves through `break 'bN`, so that the puts of all that was defined before it run. A variable that is moved or
//! shadowed on the way can't be put at the end; for it the puts stand where a statement fails.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use super::displays::Call;
use super::edits::{CellText, Edits, Purpose, Segment, Writer};
use super::guard::{CELL, Guard, guard};
use super::split::{Kind, Statement};
use super::{Definition, Plan};

/// What earlier attempts to compile the cell have taught.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fixes {
    /// Variables that can't be stored, since they borrow from others.
    pub unstored: BTreeSet<usize>,
    /// Variables that statements move: variable to statements.
    pub moved: BTreeMap<usize, BTreeSet<usize>>,
    /// Moves that can't be handed back: the statement does not always assign the variable again.
    pub gone: BTreeSet<usize>,
    /// Moved variables that can't be kept for later cells, since they are borrowed where the move stands.
    pub unkept: BTreeSet<usize>,
    /// Statements to run without a guard.
    pub bare: BTreeSet<usize>,
    /// Calls of `display` with values that don't implement `Show`.
    pub displays: BTreeSet<Call>,
    /// The last expression has no value that could be shown.
    pub unshown: bool,
    /// Older items that don't compile with the cell's new definitions, and stay as they were; by `unit_key`.
    pub kept: BTreeSet<String>,
}

impl Fixes {
    /// Whether a statement is known to move a variable.
    #[must_use]
    pub fn moves(&self, id: usize, statement: usize) -> bool {
        self.moved.get(&id).is_some_and(|statements| statements.contains(&statement))
    }
}

/// A stretch of generated lines that came from elsewhere than the same lines of the cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinePlace {
    /// The first generated line, from 1.
    pub generated_line: usize,
    /// How many.
    pub lines: usize,
    /// The cell they are of, as `In[3]`.
    pub label: String,
    /// The line there.
    pub line: usize,
}

/// A crate's text, ready for rustc.
#[derive(Clone, Debug)]
pub struct Source {
    /// The text.
    pub text: String,
    /// Where each byte came from.
    pub segments: Vec<Segment>,
    /// Lines that were moved or came from other cells.
    pub places: Vec<LinePlace>,
    /// The cells whose crates it names.
    pub externs: BTreeSet<u64>,
    /// The stretch of each statement, with its guard.
    pub statements: Vec<std::ops::Range<usize>>,
    /// The name of the entry function; none if the cell has no statements.
    pub entry: Option<String>,
}

/// Writes the crate of a plan.
pub fn source(plan: &Plan, fixes: &Fixes) -> Source {
    let cell = &plan.cell;
    let mut writer = Writer::default();
    let mut externs = BTreeSet::new();
    let mut places = Vec::new();
    let prefix = prefix(plan, &mut externs);
    writer.generate(&prefix, Purpose::Frame, cell, 0);

    let mut edits = Edits::default();
    // Magic lines are no Rust, and items between the statements go behind the function, where later cells can name them.
    plan.blanks.iter().chain(&plan.moved_items).for_each(|range| edits.blank(range.clone()));
    let mut edited = BTreeSet::new();
    for unit in plan.units.iter().filter(|unit| !plan.moved_items.contains(&unit.range)) {
        // Two statics of one `thread_local!` are one text.
        if edited.insert(unit.range.start) {
            edits.append(&unit.edits);
        }
    }
    if !plan.statements.is_empty() {
        body(plan, fixes, &mut edits, &mut externs);
    }
    writer.copy_edited(cell, 0..cell.text.len(), &edits);

    let mut behind: Vec<(&Arc<CellText>, std::ops::Range<usize>, &Edits)> = Vec::new();
    let none = Edits::default();
    for range in &plan.moved_items {
        let unit = plan.units.iter().find(|unit| unit.range == *range);
        behind.push((cell, range.clone(), unit.map_or(&none, |unit| &unit.edits)));
    }
    for unit in &plan.change.again {
        if !behind.iter().any(|(cell, range, _)| Arc::ptr_eq(cell, &unit.cell) && *range == unit.range) {
            behind.push((&unit.cell, unit.range.clone(), &unit.edits));
        }
    }
    for (from, range, edits) in behind {
        writer.generate("\n", Purpose::Frame, cell, cell.text.len());
        let column = from.text[..range.start].chars().rev().take_while(|c| *c != '\n').count();
        writer.generate(&" ".repeat(column), Purpose::Frame, from, range.start);
        let generated_line = writer.line();
        writer.copy_edited(from, range.clone(), edits);
        let lines = writer.line() - generated_line + 1;
        places.push(LinePlace { generated_line, lines, label: from.label.clone(), line: from.line(range.start) });
    }
    writer.generate("\n", Purpose::Frame, cell, cell.text.len());
    let statements = statement_ranges(&writer.segments, cell, &plan.statements);
    Source {
        text: writer.text,
        segments: writer.segments,
        places,
        externs,
        statements,
        entry: (!plan.statements.is_empty()).then(|| entry_name(cell.number)),
    }
}

impl Source {
    /// A text that can't be split, for rustc to say what is wrong with it: `framed` as one function, or as it is.
    pub fn unsplit(cell: &Arc<CellText>, blanks: &[std::ops::Range<usize>], framed: bool) -> Source {
        let mut writer = Writer::default();
        let mut edits = Edits::default();
        blanks.iter().for_each(|range| edits.blank(range.clone()));
        let (head, tail) = if framed { ("fn __footlight() { ", "\n}\n") } else { ("", "\n") };
        writer.generate(&format!("#![allow(warnings)] {head}"), Purpose::Frame, cell, 0);
        writer.copy_edited(cell, 0..cell.text.len(), &edits);
        writer.generate(tail, Purpose::Frame, cell, cell.text.len());
        let Writer { text, segments } = writer;
        Source { text, segments, places: Vec::new(), externs: BTreeSet::new(), statements: Vec::new(), entry: None }
    }
}

/// The entry function of cell `number`.
pub fn entry_name(number: u64) -> String {
    format!("footlight_cell_{number}")
}

/// The crate of cell `number`.
pub fn crate_name(number: u64) -> String {
    format!("cell_{number}")
}

fn prefix(plan: &Plan, externs: &mut BTreeSet<u64>) -> String {
    let mut text = String::from("#![allow(warnings)] use ::footlight::prelude::*; ");
    for unit in &plan.imports {
        let Some(name) = &unit.name else { continue };
        externs.insert(unit.home);
        let _ = write!(text, "use ::{}::{name}; ", crate_name(unit.home));
    }
    for line in &plan.uses {
        let _ = write!(text, "{} ", line.leaf.line());
    }
    text
}

/// The puts and the jump for a statement that fails, and the state of each variable on the way.
struct Flow<'a> {
    plan: &'a Plan,
    fixes: &'a Fixes,
    /// Variables whose puts stand at failures, with whether they hold a value now.
    special: BTreeMap<usize, bool>,
}

impl<'a> Flow<'a> {
    fn new(plan: &'a Plan, fixes: &'a Fixes) -> Self {
        let special = plan
            .variables
            .iter()
            .enumerate()
            .filter(|(id, variable)| is_late(variable) || variable.shadowed_at.is_some() || fixes.moved.contains_key(id))
            .map(|(id, variable)| (id, matches!(variable.definition, Definition::Taken { .. })))
            .collect();
        Flow { plan, fixes, special }
    }

    fn stored(&self, id: usize) -> bool {
        !self.fixes.unstored.contains(&id) && self.plan.variables[id].storable
    }

    fn moves(&self, id: usize, statement: usize) -> bool {
        self.fixes.moves(id, statement)
    }

    /// Text of a put.
    fn put(&self, id: usize) -> String {
        let name = &self.plan.variables[id].name;
        format!(" ::footlight::put!({CELL}, \"{}\", {name});", name.trim_start_matches("r#"))
    }

    /// The variables that statement `index` moves and later cells are to find again: all but those that `drop` ends.
    fn kept(&self, index: usize) -> impl Iterator<Item = usize> {
        let drops = is_drop(&self.plan.statements[index].syntax);
        let given = move |&(&id, &live): &(&usize, &bool)| {
            live && !drops && self.moves(id, index) && self.stored(id) && !self.fixes.unkept.contains(&id)
        };
        self.special.iter().filter(given).map(|(&id, _)| id)
    }

    /// Puts of the special variables that hold a value while statement `index` runs.
    fn failed(&self, index: usize, level: usize) -> String {
        let mut text = String::new();
        for (&id, &live) in &self.special {
            if live && self.stored(id) && !self.moves(id, index) {
                text.push_str(&self.put(id));
            }
        }
        format!("{text} break 'b{level}")
    }

    fn give_back(&self, index: usize) -> Vec<(usize, String)> {
        let statement = &self.plan.statements[index];
        let assigned = |id: &usize| statement.mentions.assigned.contains(&self.plan.variables[*id].name);
        if statement.kind != Kind::Plain {
            return Vec::new();
        }
        let candidates = self.special.keys().copied().filter(|id| self.moves(*id, index) && assigned(id));
        candidates.filter(|id| !self.fixes.gone.contains(id)).map(|id| (id, self.plan.variables[id].name.clone())).collect()
    }

    /// Statement `index` has ended well.
    fn pass(&mut self, index: usize) {
        let given = self.give_back(index);
        for (&id, live) in &mut self.special {
            let variable = &self.plan.variables[id];
            let statement = &self.plan.statements[index];
            if variable.shadowed_at == Some(index) {
                *live = false;
            } else if let Definition::Let { statement: own, initialised } = variable.definition
                && own == index
            {
                *live = initialised;
            } else if (statement.kind == Kind::Assign || (self.fixes.bare.contains(&index) && is_late(variable)))
                && statement.mentions.assigned.contains(&variable.name)
                && in_scope(variable, index)
            {
                *live = true;
            } else if self.fixes.moves(id, index) {
                *live = given.iter().any(|(back, _)| *back == id);
            }
        }
    }
}

/// `let x;`: a later statement gives it its value.
fn is_late(variable: &super::Variable) -> bool {
    matches!(variable.definition, Definition::Let { initialised: false, .. })
}

/// `drop(x)`: the user wants the memory back.
fn is_drop(statement: &syn::Stmt) -> bool {
    let syn::Stmt::Expr(syn::Expr::Call(call), _) = statement else { return false };
    matches!(&*call.func, syn::Expr::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "drop"))
}

fn in_scope(variable: &super::Variable, index: usize) -> bool {
    let after = match variable.definition {
        Definition::Taken { .. } => true,
        Definition::Let { statement, .. } => statement < index,
    };
    after && variable.shadowed_at.is_none_or(|end| index < end)
}

fn body(plan: &Plan, fixes: &Fixes, edits: &mut Edits, externs: &mut BTreeSet<u64>) {
    let cell = &plan.cell;
    let mut flow = Flow::new(plan, fixes);
    let first = plan.statements[0].range.start;
    let head = format!("#[unsafe(no_mangle)] pub fn {}({CELL}: &mut ::footlight::cell::Cell) {{ ", entry_name(cell.number));
    edits.insert(first, head);
    for (id, variable) in plan.variables.iter().enumerate() {
        if let Definition::Taken { ty, reinterpret, externs: needed } = &variable.definition {
            externs.extend(needed);
            let mutable = if variable.mutable { "mut " } else { "" };
            let name = &variable.name;
            let key = name.trim_start_matches("r#");
            // A type compiled again from the same text has the same layout.
            let taken = match reinterpret {
                true => format!("unsafe {{ {CELL}.take_reinterpreted::<{ty}>(\"{key}\") }}"),
                false if plan.trial => format!("::footlight::take_or_clone!({CELL}, {ty}, \"{key}\")"),
                false => format!("{CELL}.take::<{ty}>(\"{key}\")"),
            };
            let text = format!("let {mutable}{name}: {ty} = {taken}; ");
            edits.insert_for(first, text, Purpose::Take(id));
        }
    }
    edits.insert(first, "'b0: { ");
    let mut level = 0;
    // Per opened level, the variables to put when it closes.
    let mut closing: Vec<Vec<usize>> = vec![flow.ids(|variable| matches!(variable.definition, Definition::Taken { .. }))];
    for (index, statement) in plan.statements.iter().enumerate() {
        let failed = flow.failed(index, level);
        let line = cell.line(statement.range.start);
        let guard_of = Guard {
            line,
            failed: &failed,
            bare: fixes.bare.contains(&index),
            unshown: fixes.unshown,
            give_back: flow.give_back(index),
            displays: &fixes.displays,
            text: &cell.text,
        };
        for id in flow.kept(index) {
            let name = &plan.variables[id].name;
            let cloned = statement.mentions.assigned.contains(name) || only_shows(statement);
            let macro_name = if cloned { "keep_clone" } else { "keep" };
            let text = format!("::footlight::{macro_name}!({CELL}, \"{}\", {name}); ", name.trim_start_matches("r#"));
            edits.insert_for(statement.range.start, text, Purpose::Keep(id));
        }
        guard(statement, &guard_of, edits);
        flow.pass(index);
        let defined = flow.ids(|variable| matches!(variable.definition, Definition::Let { statement, .. } if statement == index));
        if !defined.is_empty() {
            level += 1;
            edits.insert(statement.range.end, format!(" 'b{level}: {{"));
            closing.push(defined);
        }
    }
    let end = plan.statements[plan.statements.len() - 1].range.end;
    for (&id, &live) in flow.special.iter().rev() {
        if live && flow.stored(id) {
            edits.insert_for(end, flow.put(id), Purpose::Put(id));
        }
    }
    for ids in closing.iter().rev() {
        edits.insert(end, " }");
        for &id in ids.iter().rev() {
            if !flow.special.contains_key(&id) && flow.stored(id) {
                edits.insert_for(end, flow.put(id), Purpose::Put(id));
            }
        }
    }
    edits.insert(end, " }");
}

impl Flow<'_> {
    fn ids(&self, which: impl Fn(&super::Variable) -> bool) -> Vec<usize> {
        self.plan.variables.iter().enumerate().filter(|(_, variable)| which(variable)).map(|(id, _)| id).collect()
    }
}

/// Whether a statement moves variables to show them side by side, as `(a, b)` does, and gives nothing away.
fn only_shows(statement: &Statement) -> bool {
    let syn::Stmt::Expr(expr, None) = &statement.syntax else { return false };
    statement.kind == Kind::Last && matches!(expr, syn::Expr::Tuple(_) | syn::Expr::Array(_))
}

/// The generated stretch of each statement: from its first byte to its last.
fn statement_ranges(segments: &[Segment], cell: &Arc<CellText>, statements: &[Statement]) -> Vec<std::ops::Range<usize>> {
    let position = |offset: usize, end: bool| {
        segments
            .iter()
            .find_map(|segment| match &segment.origin {
                super::edits::Origin::User(own, start) if Arc::ptr_eq(own, cell) => {
                    let range = *start..*start + segment.range.len();
                    let holds = if end { range.start < offset && offset <= range.end } else { range.contains(&offset) };
                    holds.then(|| segment.range.start + (offset - range.start))
                }
                _ => None,
            })
            .unwrap_or(0)
    };
    statements.iter().map(|s| position(s.range.start, false)..position(s.range.end, true)).collect()
}
