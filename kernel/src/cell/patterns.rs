//! The variables that a pattern binds.

use syn::visit::{self, Visit};

/// One variable of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Its name.
    pub name: String,
    /// Declared `mut`.
    pub mutable: bool,
}

/// The variables of a pattern, from left to right.
///
/// A plain name at the top of a `let` binds whatever its case (`let W = …`); inside a pattern a capitalised name is a constant or a
/// variant, as `None` in `let (None, x) = …`. `is_constant` says which names the notebook knows as constants or unit structs.
pub fn bindings(pattern: &syn::Pat, is_constant: &dyn Fn(&str) -> bool) -> Vec<Binding> {
    let mut found = Found { bindings: Vec::new(), is_constant, depth: 0 };
    found.visit_pat(pattern);
    found.bindings
}

struct Found<'a> {
    bindings: Vec<Binding>,
    is_constant: &'a dyn Fn(&str) -> bool,
    depth: usize,
}

impl<'ast> Visit<'ast> for Found<'_> {
    fn visit_pat(&mut self, pattern: &'ast syn::Pat) {
        let wraps = !matches!(pattern, syn::Pat::Ident(_) | syn::Pat::Type(_) | syn::Pat::Paren(_));
        self.depth += usize::from(wraps);
        visit::visit_pat(self, pattern);
        self.depth -= usize::from(wraps);
    }

    fn visit_pat_ident(&mut self, ident: &'ast syn::PatIdent) {
        let name = ident.ident.to_string();
        let plain = ident.by_ref.is_none() && ident.mutability.is_none() && ident.subpat.is_none();
        let capital = name.starts_with(char::is_uppercase) && self.depth > 0 && name.len() > 1;
        if !(plain && ((self.is_constant)(&name) || capital)) {
            self.bindings.push(Binding { name, mutable: ident.mutability.is_some() && ident.by_ref.is_none() });
        }
        visit::visit_pat_ident(self, ident);
    }

    // Types and expressions inside a pattern bind nothing.
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_expr(&mut self, _: &'ast syn::Expr) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let syn::Stmt::Local(local) = syn::parse_str::<syn::Stmt>(text).unwrap() else { panic!("not a let") };
        bindings(&local.pat, &|name| name == "ORIGIN")
            .into_iter()
            .map(|b| if b.mutable { format!("mut {}", b.name) } else { b.name })
            .collect()
    }

    #[test]
    fn finds_every_kind_of_pattern() {
        assert_eq!(names("let x = 1;"), ["x"]);
        assert_eq!(names("let W = 1;"), ["W"]);
        assert_eq!(names("let (a, mut b) = t;"), ["a", "mut b"]);
        assert_eq!(names("let Point { x, y: mut why, .. } = p;"), ["x", "mut why"]);
        assert_eq!(names("let Some(v) = o else { return };"), ["v"]);
        assert_eq!(names("let (None, q @ 1..=3) = o else { return };"), ["q"]);
        assert_eq!(names("let [first, rest @ ..] = s;"), ["first", "rest"]);
        assert_eq!(names("let (ORIGIN, z) = o else { return };"), ["z"]);
        assert_eq!(names("let _: u8 = 3;"), [""; 0]);
    }
}
