//! A closure whose argument has no type before its body calls methods of it.
//!
//! ```text
//! let loss = |x| x.square().sum(());
//! grad(loss, &x)
//! ```

use syn::visit::Visit;

use super::Scene;

/// rustc says that it can't infer a type, and of what only sometimes.
pub(super) fn advise(scene: &Scene<'_>) -> Vec<String> {
    let Some(place) = scene.place().filter(|_| scene.error.code() == "E0282") else { return Vec::new() };
    let Ok(block) = syn::parse_str::<Cell>(&place.cell.text) else { return Vec::new() };
    let mut found = Untyped { at: place.range.start, name: None };
    block.0.iter().for_each(|statement| found.visit_stmt(statement));
    found.name.map(|name| format!("say what the closure takes: `|{name}: &Tensor|`, for example")).into_iter().collect()
}

struct Cell(Vec<syn::Stmt>);

impl syn::parse::Parse for Cell {
    fn parse(input: syn::parse::ParseStream<'_>) -> syn::Result<Self> {
        syn::Block::parse_within(input).map(Cell)
    }
}

/// The innermost closure around a place that has an argument without a type.
struct Untyped {
    at: usize,
    name: Option<String>,
}

impl<'ast> Visit<'ast> for Untyped {
    fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
        use syn::spanned::Spanned;
        let bare = closure.inputs.iter().find_map(|input| match input {
            syn::Pat::Ident(name) => Some(name.ident.to_string()),
            _ => None,
        });
        if closure.span().byte_range().contains(&self.at) && bare.is_some() {
            self.name = bare;
        }
        syn::visit::visit_expr_closure(self, closure);
    }
}
