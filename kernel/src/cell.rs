//! From a cell's text to the text of its crate. Pure: the same cell and notebook give the same source.
//!
//! [`Plan::new`] splits the text ([`split`]), finds what it mentions ([`names`]) and binds ([`patterns`]), and asks the notebook which
//! variables and items those are ([`items`]). [`source::source`] then writes the crate by inserting text into the user's own
//! ([`edits`], [`guard`], [`polls`]); [`places`] leads from the generated text back to the cell. Where rustc finds that a variable is
//! moved or borrowed, [`learn`] adds that to the [`source::Fixes`], and the source is written anew.
//!
//! Must not: do IO, await, spawn.

pub mod displays;
pub mod edits;
pub mod foresee;
pub mod guard;
pub mod items;
pub mod learn;
pub mod magic_lines;
pub mod names;
pub mod patterns;
pub mod places;
pub mod polls;
pub mod probe;
pub mod source;
pub mod split;
pub mod types;
pub mod whole;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use syn::parse::Parser;
use syn::spanned::Spanned;

use crate::notebook::Notebook;
use crate::notebook::variables::State;

use edits::CellText;
use items::{Change, LiveUse, Unit, UnitKind};
use names::{Mentions, UseLeaf};
use split::{Kind, SplitError, Statement};

/// How a variable comes into a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Definition {
    /// Taken out of the store at the start.
    Taken {
        /// Its type, as Rust text.
        ty: String,
        /// The type was compiled again with the same text: the stored value is taken as the new type.
        reinterpret: bool,
        /// Cells whose crates the type names.
        externs: BTreeSet<u64>,
    },
    /// Bound by a top-level `let`.
    Let {
        /// The statement.
        statement: usize,
        /// `let x = …` rather than `let x;`.
        initialised: bool,
    },
}

/// Macros of footlight that stand for std's; a glob, as the prelude's, would leave their names ambiguous.
const OVER_STD: &[&str] = &["dbg"];

/// A variable of a cell: each `let` of a name is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Declared `mut`.
    pub mutable: bool,
    /// How it comes in.
    pub definition: Definition,
    /// The statement that binds the same name anew.
    pub shadowed_at: Option<usize>,
    /// Whether to put it into the store; `let _guard = …` stays in the cell only if it must.
    pub storable: bool,
}

impl Variable {
    /// Whether it was there before the cell.
    pub fn is_taken(&self) -> bool {
        matches!(self.definition, Definition::Taken { .. })
    }
}

/// What a cell does to the notebook, and all that its source needs.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The cell.
    pub cell: Arc<CellText>,
    /// Its top-level statements.
    pub statements: Vec<Statement>,
    /// Its variables: first those taken, then those bound, in order.
    pub variables: Vec<Variable>,
    /// Its own items.
    pub units: Vec<Unit>,
    /// Items (and `use` lines) between statements, which go behind the function.
    pub moved_items: Vec<Range<usize>>,
    /// What its items do to the live ones.
    pub change: Change,
    /// Its own `use` lines, for later cells.
    pub own_uses: Vec<LiveUse>,
    /// Live `use` lines in force in its crate.
    pub uses: Vec<LiveUse>,
    /// Live units that its crate imports.
    pub imports: Vec<Arc<Unit>>,
    /// Magic lines, which rustc does not see.
    pub blanks: Vec<Range<usize>>,
    /// Notebook variables that the statements name and that can't be had, with why.
    pub unavailable: Vec<(String, State)>,
    /// The cell is run twice, first on clones of its variables (`%%stage --compare`).
    pub trial: bool,
}

impl Plan {
    /// Plans a cell. `blanks` are its magic lines; `kept` are older items to leave as they are, as [`source::Fixes::kept`] says.
    pub fn new(
        cell: &Arc<CellText>,
        blanks: Vec<Range<usize>>,
        notebook: &Notebook,
        kept: &BTreeSet<String>,
    ) -> Result<Plan, SplitError> {
        let mut blanks = blanks;
        blanks.extend(inner_attributes(&without(&cell.text, &blanks)));
        let text = without(&cell.text, &blanks);
        let split = split::split(&text, &|name| notebook.items.is_constant(name))?;
        let mut units = Vec::new();
        let mut own_uses = Vec::new();
        let mut all = Mentions::default();
        for (item, range) in &split.items {
            all.extend(&Mentions::of_item(item));
            if let syn::Item::Use(line) = item {
                own_uses.extend(names::use_leaves(line).into_iter().map(|leaf| LiveUse { leaf, cell: cell.number }));
            }
            units.extend(Unit::of_item(item, range, cell));
        }
        let change = notebook.items.change(&units, kept);
        let mut in_statements = Mentions::default();
        split.statements.iter().for_each(|statement| in_statements.extend(&statement.mentions));
        all.extend(&in_statements);
        change.again.iter().for_each(|unit| all.extend(&unit.mentions));
        notebook.items.through_macros(&mut all);

        let own: BTreeSet<&str> = units
            .iter()
            .filter_map(|unit| unit.name.as_deref())
            .chain(change.again.iter().filter_map(|unit| unit.name.as_deref()))
            .chain(own_uses.iter().filter_map(|line| line.leaf.name.as_deref()))
            .collect();
        let uses: Vec<LiveUse> = notebook
            .items
            .uses
            .iter()
            .filter(|line| line.leaf.name.as_deref().is_none_or(|name| !own.contains(name)))
            .filter(|line| own_uses.iter().all(|own| own.leaf != line.leaf))
            .filter(|line| notebook.items.get(&line.leaf.path[0]).is_none() || is_mentioned(line, &all))
            .cloned()
            .collect();
        for line in &uses {
            all.names.extend(line.leaf.path.first().cloned());
        }
        let mut uses = uses;
        let defined = |name: &str| own.contains(name) || notebook.items.get(name).is_some();
        let used = |name: &str| notebook.items.uses.iter().any(|line| line.leaf.name.as_deref() == Some(name));
        let over_std = OVER_STD.iter().filter(|name| all.names.contains(**name) && !defined(name) && !used(name));
        uses.extend(over_std.map(|name| LiveUse { leaf: UseLeaf::of_footlight(name), cell: cell.number }));
        let imports = notebook.items.imports(&all);
        let imports = imports
            .into_iter()
            .filter(|unit| unit.name.as_deref().is_some_and(|name| !own.contains(name)))
            .filter(|unit| !change.again.iter().any(|again| Arc::ptr_eq(again, unit)))
            .collect();
        let moved_items = moved_items(&split);
        let mut plan = Plan {
            cell: cell.clone(),
            statements: split.statements,
            variables: Vec::new(),
            units,
            moved_items,
            change,
            own_uses,
            uses,
            imports,
            blanks,
            unavailable: Vec::new(),
            trial: false,
        };
        plan.find_variables(notebook);
        Ok(plan)
    }

    fn find_variables(&mut self, notebook: &Notebook) {
        let mut bound: BTreeSet<&str> = BTreeSet::new();
        let mut wanted: BTreeSet<String> = BTreeSet::new();
        let mut lets = Vec::new();
        for (index, statement) in self.statements.iter().enumerate() {
            let mut mentions = statement.mentions.clone();
            notebook.items.through_macros(&mut mentions);
            let Kind::Let(bindings) = &statement.kind else {
                wanted.extend(mentions.names.into_iter().filter(|name| !bound.contains(name.as_str())));
                continue;
            };
            // The names that the pattern itself binds are no mentions of older variables.
            if let syn::Stmt::Local(local) = &statement.syntax
                && let Some(init) = &local.init
            {
                let mut inside = Mentions::of_expr(&init.expr);
                init.diverge.iter().for_each(|(_, block)| inside.extend(&Mentions::of_expr(block)));
                notebook.items.through_macros(&mut inside);
                wanted.extend(inside.names.into_iter().filter(|name| !bound.contains(name.as_str())));
            }
            let initialised = matches!(&statement.syntax, syn::Stmt::Local(local) if local.init.is_some());
            for binding in bindings {
                bound.insert(&binding.name);
                lets.push(Variable {
                    name: binding.name.clone(),
                    mutable: binding.mutable,
                    definition: Definition::Let { statement: index, initialised },
                    shadowed_at: None,
                    storable: true,
                });
            }
        }
        let own: BTreeSet<&str> = self.units.iter().filter_map(|unit| unit.name.as_deref()).collect();
        let mut variables = Vec::new();
        for name in wanted {
            let Some(variable) = notebook.variables.get(&name) else { continue };
            if own.contains(name.as_str()) {
                continue;
            }
            match &variable.state {
                State::Stored(stored) => {
                    let (ty, reinterpret, externs) = self.current_type(notebook, stored);
                    variables.push(Variable {
                        name,
                        mutable: variable.mutable,
                        definition: Definition::Taken { ty, reinterpret, externs },
                        shadowed_at: None,
                        storable: true,
                    });
                }
                state => self.unavailable.push((name, state.clone())),
            }
        }
        variables.extend(lets);
        for index in 0..variables.len() {
            let next = variables[index + 1..].iter().find(|later| later.name == variables[index].name);
            variables[index].shadowed_at = next.and_then(|later| match later.definition {
                Definition::Let { statement, .. } => Some(statement),
                Definition::Taken { .. } => None,
            });
        }
        self.variables = variables;
    }

    /// A stored variable's type in this cell: where it names a notebook type that was compiled again from the same text, the newest.
    fn current_type(&self, notebook: &Notebook, stored: &types::StoredType) -> (String, bool, BTreeSet<u64>) {
        let mut externs = BTreeSet::new();
        let mut reinterpret = false;
        let text = types::with_homes(&stored.text, &mut |home, name| {
            let again = self.change.again.iter().find(|unit| unit.name.as_deref() == Some(name));
            let own = self.units.iter().find(|unit| unit.name.as_deref() == Some(name));
            let live = notebook.items.get(name);
            let made = stored.definitions.get(name);
            let same = |unit: &Unit| unit.kind != UnitKind::Impl && Some(&unit.tokens) == made;
            let newest = match (own, again, live) {
                (Some(unit), ..) if same(unit) => self.cell.number,
                (None, Some(unit), _) if same(unit) => self.cell.number,
                (None, None, Some(unit)) if same(unit) => unit.home,
                _ => home,
            };
            reinterpret |= newest != home;
            if newest == self.cell.number {
                return format!("crate::{name}");
            }
            externs.insert(newest);
            format!("::{}::{name}", source::crate_name(newest))
        });
        (text, reinterpret, externs)
    }
}

fn is_mentioned(line: &LiveUse, mentions: &Mentions) -> bool {
    line.leaf.name.as_ref().is_none_or(|name| mentions.names.contains(name))
}

/// Items with statements on both sides. A macro stays, since it must stand before its use.
fn moved_items(split: &split::Split) -> Vec<Range<usize>> {
    let (Some(first), Some(last)) = (split.statements.first(), split.statements.last()) else { return Vec::new() };
    let between = |range: &Range<usize>| range.start > first.range.start && range.start < last.range.end;
    split
        .items
        .iter()
        .filter(|(item, range)| between(range) && !matches!(item, syn::Item::Macro(_)))
        .map(|(_, range)| range.clone())
        .collect()
}

/// `#![allow(…)]` and the like at the top: they speak of a crate, which a cell is not to its user.
fn inner_attributes(text: &str) -> Vec<Range<usize>> {
    let attributes = |input: syn::parse::ParseStream<'_>| {
        let attributes = input.call(syn::Attribute::parse_inner)?;
        input.step(|cursor| {
            let mut rest = *cursor;
            while let Some((_, next)) = rest.token_tree() {
                rest = next;
            }
            Ok(((), rest))
        })?;
        Ok(attributes)
    };
    let spans = |attributes: Vec<syn::Attribute>| attributes.iter().map(|attribute| attribute.span().byte_range()).collect();
    attributes.parse_str(text).map(spans).unwrap_or_default()
}

/// The text with stretches blanked, its offsets and lines kept.
pub fn without(text: &str, blanks: &[Range<usize>]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for range in blanks {
        bytes[range.clone()].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    }
    // Whole stretches are blanked, so that no character is cut.
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}
