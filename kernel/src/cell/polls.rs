//! Interrupt polls: code written in a cell looks at the interrupt flag once a turn of a loop and at each call of a function or closure, so
//! that recursion and iterator chains end too.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::edits::Edits;

/// What is inserted at the start of a body.
const POLL: &str = " ::footlight::cell::poll();";

/// Inserts the polls of a statement.
pub fn poll_stmt(stmt: &syn::Stmt, edits: &mut Edits) {
    Polls { edits }.visit_stmt(stmt);
}

/// Inserts the polls of an item.
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

    /// A poll at the start of a function; whether its insides may poll.
    fn function(&mut self, signature: &syn::Signature, block: &syn::Block) -> bool {
        // Constant code runs inside the compiler and may not call the poll; a panic may not leave a function of another ABI.
        let polls = signature.constness.is_none() && signature.abi.is_none();
        if polls {
            self.body(block);
        }
        polls
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

    fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
        match &*closure.body {
            syn::Expr::Block(block) if block.label.is_none() && block.attrs.is_empty() => self.body(&block.block),
            body => {
                let range = body.span().byte_range();
                self.edits.insert(range.start, format!("{{{POLL} "));
                self.edits.insert(range.end, " }");
            }
        }
        visit::visit_expr_closure(self, closure);
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if self.function(&item.sig, &item.block) {
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if self.function(&item.sig, &item.block) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if item.default.as_ref().is_none_or(|block| self.function(&item.sig, block)) {
            visit::visit_trait_item_fn(self, item);
        }
    }

    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
}
