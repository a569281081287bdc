//! The names that a piece of a cell mentions.
//!
//! The answer may hold too much (a local variable's name, say) and never too little: mentioning a notebook variable that is not needed
//! costs a take and a put, missing one is an error. Macros are looked through token by token, format strings included.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

/// What a statement or an item mentions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mentions {
    /// First segments of paths, macro names, identifiers inside macro calls.
    pub names: BTreeSet<String>,
    /// Method names, through which a trait may be needed.
    pub methods: BTreeSet<String>,
    /// Names of variables assigned to (`x = …`), at any depth.
    pub assigned: BTreeSet<String>,
}

impl Mentions {
    /// The mentions of a statement.
    pub fn of_stmt(stmt: &syn::Stmt) -> Self {
        let mut mentions = Mentions::default();
        mentions.visit_stmt(stmt);
        mentions
    }

    /// The mentions of an item.
    pub fn of_item(item: &syn::Item) -> Self {
        let mut mentions = Mentions::default();
        mentions.visit_item(item);
        mentions
    }

    /// The mentions of an expression.
    pub fn of_expr(expr: &syn::Expr) -> Self {
        let mut mentions = Mentions::default();
        mentions.visit_expr(expr);
        mentions
    }

    /// Adds those of `other`.
    pub fn extend(&mut self, other: &Mentions) {
        self.names.extend(other.names.iter().cloned());
        self.methods.extend(other.methods.iter().cloned());
        self.assigned.extend(other.assigned.iter().cloned());
    }

    fn tokens(&mut self, tokens: TokenStream) {
        let mut before: Option<char> = None;
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            let mut last = None;
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Ident(ident) => {
                    let name = ident.to_string();
                    if before == Some('.') {
                        self.methods.insert(name);
                    } else {
                        if let Some(TokenTree::Punct(next)) = tokens.peek()
                            && next.as_char() == '='
                            && next.spacing() == proc_macro2::Spacing::Alone
                        {
                            self.assigned.insert(name.clone());
                        }
                        self.names.insert(name);
                    }
                }
                TokenTree::Punct(punct) => {
                    // `..x` is a range, `.x` a field.
                    last = if punct.as_char() == '.' && before == Some('.') { None } else { Some(punct.as_char()) };
                }
                TokenTree::Literal(literal) => self.format_string(&literal.to_string()),
            }
            before = last;
        }
    }

    /// Names captured by a format string, as in `{x:>8}` or `{0:w$}`.
    fn format_string(&mut self, literal: &str) {
        if !literal.contains('"') {
            return;
        }
        for part in literal.split('{').skip(1) {
            let inside = part.split('}').next().unwrap_or("");
            for word in inside.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
                if word.starts_with(|c: char| c.is_alphabetic() || c == '_') {
                    self.names.insert(word.to_owned());
                }
            }
        }
    }
}

impl<'ast> Visit<'ast> for Mentions {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none()
            && let Some(first) = path.segments.first()
        {
            // Items of the same cell or notebook may be written `crate::Point` or `self::Point`.
            let start = first.ident.to_string();
            match (start.as_str(), path.segments.iter().nth(1)) {
                ("crate" | "self", Some(second)) => self.names.insert(second.ident.to_string()),
                _ => self.names.insert(start),
            };
        }
        // `Trait::method(x)` may need the trait; `Type::function()` may be a trait's too.
        if path.segments.len() > 1
            && let Some(last) = path.segments.last()
        {
            self.methods.insert(last.ident.to_string());
        }
        visit::visit_path(self, path);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.methods.insert(call.method.to_string());
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_assign(&mut self, assign: &'ast syn::ExprAssign) {
        let mut left = &*assign.left;
        loop {
            left = match left {
                syn::Expr::Field(field) => &field.base,
                syn::Expr::Paren(paren) => &paren.expr,
                _ => break,
            };
        }
        match left {
            syn::Expr::Path(path) => self.assigned.extend(path.path.get_ident().map(ToString::to_string)),
            syn::Expr::Tuple(tuple) => {
                for element in &tuple.elems {
                    if let syn::Expr::Path(path) = element {
                        self.assigned.extend(path.path.get_ident().map(ToString::to_string));
                    }
                }
            }
            _ => {}
        }
        visit::visit_expr_assign(self, assign);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        self.visit_path(&mac.path);
        self.tokens(mac.tokens.clone());
    }

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        if let syn::Meta::List(list) = &attribute.meta {
            self.tokens(list.tokens.clone());
        }
        visit::visit_attribute(self, attribute);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        for leaf in use_leaves(item) {
            let at = usize::from(matches!(leaf.path[0].as_str(), "crate" | "self"));
            self.names.extend(leaf.path.get(at).cloned());
        }
    }

    fn visit_pat_ident(&mut self, ident: &'ast syn::PatIdent) {
        // May name a constant or a unit struct.
        self.names.insert(ident.ident.to_string());
        visit::visit_pat_ident(self, ident);
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        self.visit_path(&item.mac.path);
        self.tokens(item.mac.tokens.clone());
    }
}

/// One name that a `use` line brings in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UseLeaf {
    /// The path's segments, without the rename; never empty.
    pub path: Vec<String>,
    /// The name that it introduces; none for `*` and `_`.
    pub name: Option<String>,
    /// The end of the line: `` for a plain name, `::*`, ` as other`.
    pub suffix: String,
    /// Written `::std::…`.
    pub leading_colon: bool,
}

impl UseLeaf {
    /// `use ::footlight::NAME`.
    pub fn of_footlight(name: &str) -> UseLeaf {
        let path = vec!["footlight".to_owned(), name.to_owned()];
        UseLeaf { path, name: Some(name.to_owned()), suffix: String::new(), leading_colon: true }
    }

    /// The leaf as a `use` declaration of its own.
    pub fn line(&self) -> String {
        format!("use {}{}{};", if self.leading_colon { "::" } else { "" }, self.path.join("::"), self.suffix)
    }
}

/// The single names of a `use` line.
pub fn use_leaves(item: &syn::ItemUse) -> Vec<UseLeaf> {
    let mut leaves = Vec::new();
    walk(&item.tree, &mut Vec::new(), item.leading_colon.is_some(), &mut leaves);
    leaves
}

fn walk(tree: &syn::UseTree, path: &mut Vec<String>, leading_colon: bool, leaves: &mut Vec<UseLeaf>) {
    match tree {
        syn::UseTree::Path(part) => {
            path.push(part.ident.to_string());
            walk(&part.tree, path, leading_colon, leaves);
            path.pop();
        }
        syn::UseTree::Group(group) => group.items.iter().for_each(|tree| walk(tree, path, leading_colon, leaves)),
        syn::UseTree::Name(name) => {
            let own = name.ident.to_string();
            let mut path = path.clone();
            // `use a::b::{self}` brings in `b`.
            if own != "self" || path.is_empty() {
                path.push(own);
            }
            let name = path.last().cloned();
            leaves.push(UseLeaf { path, name, suffix: String::new(), leading_colon });
        }
        syn::UseTree::Rename(rename) => {
            let mut path = path.clone();
            if rename.ident != "self" || path.is_empty() {
                path.push(rename.ident.to_string());
            }
            let new = rename.rename.to_string();
            let suffix = format!(" as {new}");
            leaves.push(UseLeaf { path, name: (new != "_").then_some(new), suffix, leading_colon });
        }
        syn::UseTree::Glob(_) if !path.is_empty() => {
            leaves.push(UseLeaf { path: path.clone(), name: None, suffix: "::*".into(), leading_colon });
        }
        syn::UseTree::Glob(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> String {
        let mentions = Mentions::of_stmt(&syn::parse_str(text).unwrap());
        mentions.names.into_iter().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn sees_through_macros_and_format_strings() {
        assert_eq!(names(r#"println!("{x:>w$} {{no}} {}", a.b.c(d));"#), "a d no println w x");
        assert_eq!(names("let y = x.field + Point::new(q);"), "Point q x y");
        assert_eq!(names("for i in 0..n { total += f(i); }"), "f i n total");
        assert_eq!(names("let p = Point { x, y: z };"), "Point p x z");
        assert_eq!(names("assert!(0..k == s);"), "assert k s");
        assert_eq!(names("crate::helper();"), "helper");
    }

    #[test]
    fn finds_assignments() {
        let mentions = Mentions::of_stmt(&syn::parse_str("while go { (a, b) = f(a, b); c.d = e; *p = 1; }").unwrap());
        assert_eq!(mentions.assigned.into_iter().collect::<Vec<_>>(), ["a", "b", "c"]);
    }

    #[test]
    fn splits_use_lines() {
        let item = syn::parse_str("use std::{collections::{self, HashMap as Map}, io::Write as _, fmt::*};").unwrap();
        let lines: Vec<_> = use_leaves(&item).iter().map(UseLeaf::line).collect();
        assert_eq!(
            lines,
            ["use std::collections;", "use std::collections::HashMap as Map;", "use std::io::Write as _;", "use std::fmt::*;"]
        );
    }
}
