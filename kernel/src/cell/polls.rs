//! Interrupt polls: every loop written in a cell looks at the interrupt flag once a turn.

use syn::visit::{self, Visit};

use super::edits::Edits;

/// What is inserted at the start of a loop's body.
const POLL: &str = " ::footlight::cell::poll();";

/// Inserts a poll into every loop of a statement.
pub fn poll_stmt(stmt: &syn::Stmt, edits: &mut Edits) {
    Polls { edits }.visit_stmt(stmt);
}

/// Inserts a poll into every loop of an item.
pub fn poll_item(item: &syn::Item, edits: &mut Edits) {
    Polls { edits }.visit_item(item);
}

struct Polls<'a> {
    edits: &'a mut Edits,
}

impl Polls<'_> {
    fn body(&mut self, block: &syn::Block) {
        self.edits.insert(block.brace_token.span.open().byte_range().end, POLL);
    }
}

impl<'ast> Visit<'ast> for Polls<'_> {
    fn visit_expr_for_loop(&mut self, expr: &'ast syn::ExprForLoop) {
        self.body(&expr.body);
        visit::visit_expr_for_loop(self, expr);
    }

    fn visit_expr_while(&mut self, expr: &'ast syn::ExprWhile) {
        self.body(&expr.body);
        visit::visit_expr_while(self, expr);
    }

    fn visit_expr_loop(&mut self, expr: &'ast syn::ExprLoop) {
        self.body(&expr.body);
        visit::visit_expr_loop(self, expr);
    }

    // Constant code runs inside the compiler and may not call the poll.
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if item.sig.constness.is_none() {
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if item.sig.constness.is_none() {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
}
