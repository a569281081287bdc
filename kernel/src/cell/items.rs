//! Items across cells: what is live, what shadows what, and what must be compiled again.
//!
//! Every item of a cell is a [`Unit`]. The live units are the notebook's; a cell that defines a name anew takes the old unit's place, and
//! the live units that mention it, directly or through others, are compiled again in the new cell's crate.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use proc_macro2::TokenTree;
use syn::spanned::Spanned;
use syn::visit::Visit;

use super::edits::{CellText, Edits};
use super::names::{Mentions, UseLeaf};
use super::polls::poll_item;
use super::split::is_thread_local;

/// What sort of item a unit is, as far as later cells care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitKind {
    /// A function.
    Fn,
    /// A struct, enum, union or type alias.
    Type,
    /// A trait.
    Trait,
    /// `const` or `static`, and unit structs.
    Value,
    /// `macro_rules!`.
    Macro,
    /// A module.
    Mod,
    /// An `impl` block.
    Impl,
}

/// Whose an `impl` block is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImplOf {
    /// The path of the self type without its arguments, if it is one: `geo::P`.
    pub self_head: Option<String>,
    /// The same of the trait, for a trait's `impl`.
    pub trait_head: Option<String>,
    /// The tokens of `impl … for …`, without the body.
    pub header: String,
    /// Names of the associated items.
    pub members: BTreeSet<String>,
}

impl ImplOf {
    /// The item that later cells see at the head of the self type: `geo` of `geo::P`.
    pub fn self_item(&self) -> Option<&str> {
        self.self_head.as_deref()?.split("::").next()
    }

    /// The item at the head of the trait.
    pub fn trait_item(&self) -> Option<&str> {
        self.trait_head.as_deref()?.split("::").next()
    }
}

/// An item that later cells may use.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The cell that the user wrote it in.
    pub cell: Arc<CellText>,
    /// Its bytes there.
    pub range: Range<usize>,
    /// The cell whose crate holds it; a later one than `cell` once it was compiled again.
    pub home: u64,
    /// The sort.
    pub kind: UnitKind,
    /// The name that it defines; none for an `impl`.
    pub name: Option<String>,
    /// For an `impl`, whose.
    pub impl_of: Option<ImplOf>,
    /// What it mentions.
    pub mentions: Mentions,
    /// For a trait, its methods: a call of one brings the trait in.
    pub methods: BTreeSet<String>,
    /// What is inserted into it: `pub` and polls.
    pub edits: Edits,
    /// Its tokens; equal text means the same definition.
    pub tokens: String,
}

impl Unit {
    /// What it is called in a message: its name, or `impl Trait for Type`.
    pub fn title(&self) -> &str {
        let header = self.impl_of.as_ref().map(|block| block.header.as_str());
        self.name.as_deref().or(header).unwrap_or(&self.tokens)
    }

    /// The unit of an item, or none for one that later cells don't use (`use`, `extern crate`, …).
    pub fn of_item(item: &syn::Item, range: &Range<usize>, cell: &Arc<CellText>) -> Option<Unit> {
        use syn::Item as I;
        let mut methods = BTreeSet::new();
        let (kind, name) = match item {
            I::Fn(item) => (UnitKind::Fn, Some(&item.sig.ident)),
            I::Struct(item) if matches!(item.fields, syn::Fields::Unit) => (UnitKind::Value, Some(&item.ident)),
            I::Struct(item) => (UnitKind::Type, Some(&item.ident)),
            I::Enum(item) => (UnitKind::Type, Some(&item.ident)),
            I::Union(item) => (UnitKind::Type, Some(&item.ident)),
            I::Type(item) => (UnitKind::Type, Some(&item.ident)),
            I::Trait(item) => {
                methods.extend(item.items.iter().filter_map(|part| match part {
                    syn::TraitItem::Fn(method) => Some(method.sig.ident.to_string()),
                    syn::TraitItem::Const(constant) => Some(constant.ident.to_string()),
                    _ => None,
                }));
                (UnitKind::Trait, Some(&item.ident))
            }
            I::TraitAlias(item) => (UnitKind::Trait, Some(&item.ident)),
            I::Const(item) if item.ident != "_" => (UnitKind::Value, Some(&item.ident)),
            I::Static(item) => (UnitKind::Value, Some(&item.ident)),
            I::Macro(item) if item.mac.path.is_ident("macro_rules") => (UnitKind::Macro, item.ident.as_ref()),
            I::Macro(item) if is_thread_local(&item.mac) => (UnitKind::Value, item.ident.as_ref()),
            I::Mod(item) => (UnitKind::Mod, Some(&item.ident)),
            I::Impl(_) => (UnitKind::Impl, None),
            _ => return None,
        };
        let impl_of = if let I::Impl(block) = item { Some(impl_of(block, &cell.text)) } else { None };
        let mut edits = Edits::default();
        Publish { edits: &mut edits }.visit_item(item);
        poll_item(item, &mut edits);
        Some(Unit {
            cell: cell.clone(),
            range: range.clone(),
            home: cell.number,
            kind,
            name: name.map(ToString::to_string),
            impl_of,
            mentions: Mentions::of_item(item),
            methods,
            edits,
            tokens: normal(&cell.text[range.clone()]),
        })
    }

    /// Whether this unit takes the place of `old` in the notebook.
    fn supersedes(&self, old: &Unit) -> bool {
        match (&self.impl_of, &old.impl_of) {
            (None, None) => self.name == old.name,
            (Some(new), Some(old)) if new.trait_head.is_some() => new.header == old.header,
            (Some(new), Some(old)) => {
                old.trait_head.is_none() && new.self_head == old.self_head && !new.members.is_disjoint(&old.members)
            }
            _ => false,
        }
    }
}

/// Text without its white space, so that formatting makes no difference.
fn normal(text: &str) -> String {
    text.parse::<proc_macro2::TokenStream>().map_or_else(|_| text.to_owned(), |tokens| tokens.to_string())
}

fn impl_of(block: &syn::ItemImpl, text: &str) -> ImplOf {
    let range = block.span().byte_range();
    let body = block.brace_token.span.open().byte_range().start;
    let head = |path: &syn::Path| {
        let names = path.segments.iter().map(|segment| segment.ident.to_string());
        names.reduce(|head, name| format!("{head}::{name}"))
    };
    let mut self_type = &*block.self_ty;
    loop {
        self_type = match self_type {
            syn::Type::Reference(reference) => &reference.elem,
            syn::Type::Paren(paren) => &paren.elem,
            syn::Type::Group(group) => &group.elem,
            _ => break,
        };
    }
    let members = block.items.iter().filter_map(|part| match part {
        syn::ImplItem::Fn(method) => Some(method.sig.ident.to_string()),
        syn::ImplItem::Const(constant) => Some(constant.ident.to_string()),
        syn::ImplItem::Type(alias) => Some(alias.ident.to_string()),
        _ => None,
    });
    let start = block.impl_token.span.byte_range().start.max(range.start);
    ImplOf {
        self_head: if let syn::Type::Path(path) = self_type { head(&path.path) } else { None },
        trait_head: block.trait_.as_ref().and_then(|(_, path, _)| head(path)),
        header: normal(&text[start..body]),
        members: members.collect(),
    }
}

/// Makes items public, with the fields and methods of types, so that a notebook needs no `pub`.
struct Publish<'a> {
    edits: &'a mut Edits,
}

impl Publish<'_> {
    fn publish(&mut self, visibility: &syn::Visibility, before: impl Spanned) {
        match visibility {
            syn::Visibility::Inherited => self.edits.insert(before.span().byte_range().start, "pub "),
            // `pub(crate)` and the like name the cell's crate, which the user can't mean.
            syn::Visibility::Restricted(restricted) => self.edits.blank(restricted.paren_token.span.join().byte_range()),
            syn::Visibility::Public(_) => {}
        }
    }

    fn signature(&mut self, visibility: &syn::Visibility, signature: &syn::Signature) {
        // `const async unsafe extern "C" fn`: the visibility stands before all of them.
        self.publish(visibility, signature);
    }
}

impl<'ast> Visit<'ast> for Publish<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        use syn::Item as I;
        match item {
            I::Fn(item) => self.signature(&item.vis, &item.sig),
            I::Struct(part) => {
                self.publish(&part.vis, part.struct_token);
                self.visit_fields(&part.fields);
            }
            I::Enum(part) => self.publish(&part.vis, part.enum_token),
            I::Union(part) => {
                self.publish(&part.vis, part.union_token);
                part.fields.named.iter().for_each(|field| self.visit_field(field));
            }
            I::Type(part) => self.publish(&part.vis, part.type_token),
            I::Trait(part) => match (&part.unsafety, &part.auto_token) {
                (Some(token), _) => self.publish(&part.vis, token),
                (None, Some(token)) => self.publish(&part.vis, token),
                (None, None) => self.publish(&part.vis, part.trait_token),
            },
            I::Const(part) => self.publish(&part.vis, part.const_token),
            I::Static(part) => self.publish(&part.vis, part.static_token),
            I::Mod(part) => self.publish(&part.vis, part.mod_token),
            I::Macro(part) if is_thread_local(&part.mac) => {
                let mut public = false;
                for token in part.mac.tokens.clone() {
                    let TokenTree::Ident(word) = &token else { continue };
                    if word == "static" && !public {
                        self.edits.insert(word.span().byte_range().start, "pub ");
                    }
                    public = word == "pub";
                }
            }
            I::Macro(part) if !part.attrs.iter().any(|attribute| attribute.path().is_ident("macro_export")) => {
                self.edits.insert(part.mac.path.span().byte_range().start, "#[macro_export] ");
            }
            I::Impl(part) if part.trait_.is_none() => {
                for member in &part.items {
                    match member {
                        syn::ImplItem::Fn(method) => self.signature(&method.vis, &method.sig),
                        syn::ImplItem::Const(constant) => self.publish(&constant.vis, constant.const_token),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        match &field.ident {
            Some(name) => self.publish(&field.vis, name),
            None => self.publish(&field.vis, &field.ty),
        }
    }
}

/// A `use` line of the notebook, in force for later cells.
#[derive(Clone, Debug)]
pub struct LiveUse {
    /// What it brings in.
    pub leaf: UseLeaf,
    /// The cell that the user wrote it in.
    pub cell: u64,
}

/// The items and `use` lines that later cells see.
#[derive(Clone, Debug, Default)]
pub struct Items {
    /// Live units, in the order in which they were defined.
    pub units: Vec<Arc<Unit>>,
    /// Live `use` lines.
    pub uses: Vec<LiveUse>,
}

/// What becomes of the live items with one more cell.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Units whose place the cell's own take.
    pub superseded: Vec<Arc<Unit>>,
    /// Units to compile again in the cell's crate, in the notebook's order.
    pub again: Vec<Arc<Unit>>,
}

impl Items {
    /// The live unit of a name.
    pub fn get(&self, name: &str) -> Option<&Arc<Unit>> {
        self.units.iter().rev().find(|unit| unit.name.as_deref() == Some(name))
    }

    /// Whether a name is a constant, a static or a unit struct, which a pattern mentions and doesn't bind.
    pub fn is_constant(&self, name: &str) -> bool {
        self.get(name).is_some_and(|unit| unit.kind == UnitKind::Value)
    }

    /// What `new` units do to the live ones. `kept` are units that failed to compile with the new definitions and stay with the old.
    pub fn change(&self, new: &[Unit], kept: &BTreeSet<String>) -> Change {
        let superseded: Vec<_> = self.units.iter().filter(|old| new.iter().any(|unit| unit.supersedes(old))).cloned().collect();
        let is_superseded = |unit: &Arc<Unit>| superseded.iter().any(|old| Arc::ptr_eq(old, unit));
        let own: BTreeSet<&str> = new.iter().filter_map(|unit| unit.name.as_deref()).collect();
        let mut changed: BTreeSet<String> = superseded.iter().filter_map(|unit| unit.name.clone()).collect();
        let mut again = vec![false; self.units.len()];
        // The orphan rule: an `impl` needs its type or its trait in its own crate.
        let mut pulled: Vec<String> = new.iter().filter_map(|unit| self.orphan(unit, &own)).collect();
        loop {
            let mut grew = false;
            for (index, unit) in self.units.iter().enumerate() {
                if again[index] || is_superseded(unit) || kept.contains(&unit_key(unit)) {
                    continue;
                }
                let named = unit.name.as_ref().is_some_and(|name| pulled.contains(name));
                // A macro's body means what its names mean where it is called.
                let mentions = unit.kind != UnitKind::Macro && unit.mentions.names.iter().any(|name| changed.contains(name));
                if named || mentions {
                    again[index] = true;
                    grew = true;
                    changed.extend(unit.name.clone());
                    pulled.extend(self.orphan(unit, &own));
                }
            }
            if !grew {
                break;
            }
        }
        let again = self.units.iter().zip(again).filter(|(_, again)| *again).map(|(unit, _)| unit.clone()).collect();
        Change { superseded, again }
    }

    /// The live item that must move into a crate together with this `impl`, if neither its type nor its trait is defined there.
    fn orphan(&self, unit: &Unit, own: &BTreeSet<&str>) -> Option<String> {
        let block = unit.impl_of.as_ref()?;
        let local = |item: Option<&str>| item.is_some_and(|name| own.contains(name));
        let live = |item: Option<&str>| item.filter(|name| self.get(name).is_some()).map(str::to_owned);
        match (block.self_item(), block.trait_item()) {
            // An own trait may be implemented for anything.
            (this, of) if local(this) || local(of) => None,
            (this, of) => live(this).or_else(|| live(of)),
        }
    }

    /// All that `mentions` reach, with what macros name in their bodies added.
    pub fn through_macros(&self, mentions: &mut Mentions) {
        loop {
            let before = mentions.names.len();
            let macros: Vec<_> = self
                .units
                .iter()
                .filter(|unit| {
                    unit.kind == UnitKind::Macro && unit.name.as_ref().is_some_and(|name| mentions.names.contains(name))
                })
                .cloned()
                .collect();
            for unit in macros {
                mentions.extend(&unit.mentions);
            }
            if mentions.names.len() == before {
                break;
            }
        }
    }

    /// The units that a crate with these mentions must import.
    pub fn imports(&self, mentions: &Mentions) -> Vec<Arc<Unit>> {
        let mut by_name: BTreeMap<&str, &Arc<Unit>> = BTreeMap::new();
        for unit in &self.units {
            let Some(name) = unit.name.as_deref() else { continue };
            if mentions.names.contains(name) || !unit.methods.is_disjoint(&mentions.methods) {
                by_name.insert(name, unit);
            }
        }
        by_name.into_values().cloned().collect()
    }

    /// Makes the change real once the cell's crate is built: `new` are its own units, `uses` its `use` lines.
    pub fn commit(&mut self, change: &Change, new: Vec<Unit>, uses: Vec<LiveUse>, number: u64) {
        self.units.retain(|unit| !change.superseded.iter().any(|old| Arc::ptr_eq(old, unit)));
        for unit in &mut self.units {
            if change.again.iter().any(|again| Arc::ptr_eq(again, unit)) {
                let mut moved = Unit::clone(unit);
                moved.home = number;
                *unit = Arc::new(moved);
            }
        }
        let defined: BTreeSet<String> = new
            .iter()
            .filter_map(|unit| unit.name.clone())
            .chain(uses.iter().filter_map(|line| line.leaf.name.clone()))
            .collect();
        self.uses.retain(|line| {
            line.leaf.name.as_ref().is_none_or(|name| !defined.contains(name))
                && !uses.iter().any(|newer| newer.leaf == line.leaf)
        });
        for line in &uses {
            if let Some(name) = &line.leaf.name {
                self.units.retain(|unit| unit.name.as_ref() != Some(name));
            }
        }
        self.uses.extend(uses);
        self.units.extend(new.into_iter().map(Arc::new));
    }
}

/// What identifies a unit in the notebook: its name, or an `impl`'s header with its members.
pub fn unit_key(unit: &Unit) -> String {
    match (&unit.name, &unit.impl_of) {
        (Some(name), _) => name.clone(),
        (None, Some(block)) => {
            format!("{} {{ {} }}", block.header, block.members.iter().cloned().collect::<Vec<_>>().join(", "))
        }
        (None, None) => unit.tokens.clone(),
    }
}
