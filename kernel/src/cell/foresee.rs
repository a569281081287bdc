//! Moves that need no compiler to be seen: `a + 1.0` and `let b = a;` move the tensor `a`. Each one foreseen spares the cell a second
//! compile run, which would learn it from rustc.

use std::collections::{BTreeMap, BTreeSet};

use super::source::Fixes;
use super::{Definition, Plan};

/// The type whose moves are foreseen. Others move too, but may be `Copy`, or have operators that only borrow.
const TENSOR: &str = "::footlight::Tensor";

/// What to start from: the moves of taken tensors that stand plainly in a statement.
pub fn foresee(plan: &Plan) -> Fixes {
    let mut moved: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    let tensors = plan.variables.iter().enumerate().filter_map(|(id, variable)| match &variable.definition {
        Definition::Taken { ty, .. } if ty == TENSOR => Some((id, variable)),
        _ => None,
    });
    for (id, variable) in tensors {
        let end = variable.shadowed_at.map_or(plan.statements.len(), |at| at + 1).min(plan.statements.len());
        // The first move only: what stands behind it is an error, or a variable that was assigned anew.
        let first = plan.statements[..end].iter().position(|statement| gives(&statement.syntax, &variable.name));
        moved.extend(first.map(|index| (id, BTreeSet::from([index]))));
    }
    Fixes { moved, ..Fixes::default() }
}

/// Whether a statement gives `name` away in a way that always runs.
fn gives(statement: &syn::Stmt, name: &str) -> bool {
    match statement {
        syn::Stmt::Expr(expr, _) => given_in(expr, name),
        syn::Stmt::Local(local) => local.init.as_ref().is_some_and(|init| is(&init.expr, name) || given_in(&init.expr, name)),
        _ => false,
    }
}

/// Looks into operators, calls and brackets; blocks, branches and closures may not run, or have a variable of the name of their own.
fn given_in(expr: &syn::Expr, name: &str) -> bool {
    use syn::Expr as E;
    match expr {
        E::Binary(binary) if is_arithmetic(&binary.op) => {
            [&binary.left, &binary.right].into_iter().any(|operand| is(operand, name) || given_in(operand, name))
        }
        E::Unary(unary) => matches!(unary.op, syn::UnOp::Neg(_)) && is(&unary.expr, name) || given_in(&unary.expr, name),
        E::Paren(paren) => given_in(&paren.expr, name),
        E::Reference(reference) => given_in(&reference.expr, name),
        E::MethodCall(call) => given_in(&call.receiver, name) || call.args.iter().any(|argument| given_in(argument, name)),
        E::Call(call) => call.args.iter().any(|argument| given_in(argument, name)),
        _ => false,
    }
}

fn is(expr: &syn::Expr, name: &str) -> bool {
    match expr {
        syn::Expr::Paren(paren) => is(&paren.expr, name),
        syn::Expr::Path(path) => path.path.is_ident(name),
        _ => false,
    }
}

fn is_arithmetic(op: &syn::BinOp) -> bool {
    use syn::BinOp as B;
    matches!(op, B::Add(_) | B::Sub(_) | B::Mul(_) | B::Div(_) | B::Rem(_))
}

#[cfg(test)]
mod tests {
    use super::gives;

    #[test]
    fn plain_moves_are_seen_and_borrows_are_not() {
        let gives = |text: &str| gives(&syn::parse_str::<Statement>(text).expect("a statement").0, "a");
        for moves in
            ["a + 1.0;", "let b = 2.0 * a;", "let b = (a) - &c;", "f(-a);", "let b = a;", "(a / 2.0).sum(());", "&(a + 1.0);"]
        {
            assert!(gives(moves), "{moves}");
        }
        for keeps in
            ["&a + 1.0;", "a.sum(());", "f(&a);", "if c { a + 1.0 };", "(|a| a + 1.0)(b);", "let b = &a;", "a == b;", "a += 1.0;"]
        {
            assert!(!gives(keeps), "{keeps}");
        }
    }

    struct Statement(syn::Stmt);

    impl syn::parse::Parse for Statement {
        fn parse(input: syn::parse::ParseStream<'_>) -> syn::Result<Self> {
            let mut statements = syn::Block::parse_within(input)?;
            Ok(Self(statements.remove(0)))
        }
    }
}
