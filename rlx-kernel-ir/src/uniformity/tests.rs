//! Kernels in IR, for what takes more than a glance at the branch.

use super::check;
use crate::expr::{BinaryOp, Expr, ExprKind};
use crate::infer::infer;
use crate::item::{
    Function, Item, ItemId, Kernel, KernelBinding, KernelParam, Local, LocalId, Module, Origin,
    Parameter, WorkgroupVar,
};
use crate::span::Span;
use crate::stmt::{Block, Stmt};
use crate::types::Type;

const AT: Span = Span(1);
const LOCALS: [&str; 4] = ["a", "b", "c", "d"];

fn expr(kind: ExprKind) -> Expr {
    Expr::new(kind, AT)
}

fn int(value: u64) -> Expr {
    expr(ExprKind::Int(value))
}

fn local(index: usize) -> Expr {
    expr(ExprKind::Local(LocalId(index)))
}

fn named(name: &str) -> Expr {
    expr(ExprKind::Named(name.into(), AT, Vec::new()))
}

fn me() -> Expr {
    named("local_index")
}

fn param() -> Expr {
    expr(ExprKind::Param(0))
}

fn element(base: ExprKind, index: Expr) -> Expr {
    expr(ExprKind::Index(Box::new(expr(base)), Box::new(index)))
}

fn call(item: usize, args: Vec<Expr>) -> Expr {
    expr(ExprKind::Call(ItemId(item), args))
}

fn positive(value: Expr) -> Expr {
    let (a, b) = (Box::new(value), Box::new(int(0)));
    expr(ExprKind::Binary(BinaryOp::Gt, a, b))
}

fn barrier() -> Stmt {
    Stmt::Expr(named("workgroup_barrier"))
}

fn block(stmts: Vec<Stmt>) -> Block {
    Block { stmts, tail: None }
}

fn giving(stmts: Vec<Stmt>, tail: Expr) -> Block {
    let tail = Some(Box::new(tail));
    Block { stmts, tail }
}

fn on(value: Expr, then: Vec<Stmt>) -> Stmt {
    let condition = Box::new(positive(value));
    Stmt::Expr(expr(ExprKind::If(condition, block(then), None)))
}

fn either(value: Expr, then: Block, otherwise: Block) -> Expr {
    let otherwise = Some(Box::new(expr(ExprKind::Block(otherwise))));
    expr(ExprKind::If(Box::new(positive(value)), then, otherwise))
}

fn bind(index: usize, value: Expr) -> Stmt {
    Stmt::Let {
        local: LocalId(index),
        init: Some(value),
        span: AT,
    }
}

fn set(place: Expr, value: Expr) -> Stmt {
    Stmt::Assign {
        place,
        op: None,
        value,
        span: AT,
    }
}

fn forever(body: Vec<Stmt>) -> Stmt {
    let body = block(body);
    Stmt::Loop { body, span: AT }
}

fn function(params: Vec<Type>, ret: Type, body: Block) -> Function {
    let locals = LOCALS.iter().enumerate().map(|(index, name)| Local {
        name: (*name).into(),
        ty: params.get(index).cloned().unwrap_or(Type::U32),
        mutable: true,
        span: AT,
    });
    let locals = locals.collect();
    let params = params.into_iter().enumerate().map(|(index, ty)| Parameter {
        local: LocalId(index),
        ty,
    });
    Function {
        name: "f".into(),
        wgsl_name: "f".into(),
        params: params.collect(),
        ret,
        locals,
        body,
        span: AT,
        origin: Origin::default(),
        ..Function::default()
    }
}

/// The messages for a kernel with `x: &[u32]`, `y: &mut [u32]`, `n: u32` and workgroup memory `t`.
fn messages(helpers: Vec<Function>, body: Vec<Stmt>) -> Vec<String> {
    let binding = |name: &str, writable| KernelBinding {
        name: name.into(),
        elem: Type::U32,
        writable,
        span: AT,
    };
    let kernel = Kernel {
        function: function(Vec::new(), Type::Unit, block(body)),
        bindings: vec![binding("x", false), binding("y", true)],
        params: vec![KernelParam {
            name: "n".into(),
            ty: Type::U32,
            widened: false,
            span: AT,
        }],
        workgroup: vec![WorkgroupVar {
            name: "t".into(),
            ty: Type::Array(Box::new(Type::U32), 64),
            len: None,
            span: AT,
        }],
        workgroup_size: [64, 1, 1],
        workgroup_size_span: AT,
        ..Kernel::default()
    };
    let module = Module {
        tables: Vec::new(),
        items: helpers.into_iter().map(Item::Function).collect(),
        kernel: Some(kernel),
    };
    let typed = infer(&module).expect("the kernel has types");
    let problems = check(&module, &typed);
    problems
        .into_iter()
        .map(|problem| problem.message)
        .collect()
}

fn is_refused(body: Vec<Stmt>) -> bool {
    !messages(Vec::new(), body).is_empty()
}

#[test]
fn params_workgroup_ids_and_read_only_slices_are_uniform() {
    let read = |index| element(ExprKind::Binding(0), index);
    for value in [
        param(),
        named("workgroup_index"),
        named("num_subgroups"),
        named("subgroup_size"),
        read(param()),
    ] {
        assert!(!is_refused(vec![on(value, vec![barrier()])]));
    }
    for value in [
        me(),
        named("global_index"),
        named("subgroup_lane"),
        named("subgroup_id"),
        read(me()),
        element(ExprKind::Binding(1), param()),
        element(ExprKind::Workgroup(0), int(0)),
    ] {
        assert!(is_refused(vec![on(value, vec![barrier()])]));
    }
}

#[test]
fn a_return_that_some_take_divides_what_follows() {
    let leave = || Stmt::Return(None, AT);
    assert!(!is_refused(vec![on(param(), vec![leave()]), barrier()]));
    assert_eq!(
        messages(Vec::new(), vec![on(me(), vec![leave()]), barrier()]),
        [
            "`workgroup_barrier` is not reached by all invocations of the workgroup: some of them may have returned before"
        ]
    );
}

#[test]
fn a_branch_that_ends_divided_divides_what_follows_though_it_returns() {
    // The specification does not ask which branch goes on.
    let leave = || Stmt::Return(None, AT);
    let inner = vec![on(me(), vec![leave()]), leave()];
    assert!(is_refused(vec![on(param(), inner), barrier()]));
}

#[test]
fn a_variable_is_uniform_again_once_it_is_assigned_as_a_whole() {
    let body = |last| vec![bind(0, me()), last, on(local(0), vec![barrier()])];
    assert!(is_refused(body(set(local(0), me()))));
    assert!(!is_refused(body(set(local(0), param()))));
}

#[test]
fn a_variable_carries_what_differs_into_the_next_round() {
    let body = |value| {
        let leave = on(local(1), vec![Stmt::Break(AT)]);
        forever(vec![
            on(local(0), vec![barrier()]),
            set(local(0), local(2)),
            set(local(2), value),
            leave,
        ])
    };
    let start = || vec![bind(0, int(0)), bind(1, param()), bind(2, int(0))];
    let with = |value| start().into_iter().chain([body(value)]).collect();
    assert!(!is_refused(with(param())));
    assert!(is_refused(with(me())));
}

#[test]
fn invocations_meet_after_a_loop_unless_some_return_from_it() {
    let rounds = |exit| {
        vec![
            forever(vec![on(me(), vec![exit]), Stmt::Break(AT)]),
            barrier(),
        ]
    };
    assert!(!is_refused(rounds(Stmt::Break(AT))));
    assert!(is_refused(rounds(Stmt::Return(None, AT))));
}

#[test]
fn a_barrier_before_a_break_that_some_take_is_reached_by_fewer_in_the_next_round() {
    let leave = on(me(), vec![Stmt::Break(AT)]);
    assert!(is_refused(vec![forever(vec![barrier(), leave])]));
}

#[test]
fn a_function_is_looked_at_for_each_combination_of_arguments() {
    let waits = || {
        let body = block(vec![on(local(0), vec![barrier()])]);
        function(vec![Type::U32], Type::Unit, body)
    };
    let calls = |value| Stmt::Expr(call(0, vec![value]));
    assert!(messages(vec![waits()], vec![calls(param()), calls(int(1))]).is_empty());
    assert_eq!(
        messages(vec![waits()], vec![calls(param()), calls(me())]),
        [
            "`workgroup_barrier` is not reached by all invocations of the workgroup: it is under a condition that differs between them"
        ]
    );
}

#[test]
fn a_result_differs_with_the_arguments_that_it_is_made_of() {
    // fn f(a, b) { if a > 0 { return 1; } 2 }: `b` has no part in it.
    let picks = || {
        let leave = Stmt::Return(Some(int(1)), AT);
        let body = giving(vec![on(local(0), vec![leave])], int(2));
        function(vec![Type::U32, Type::U32], Type::U32, body)
    };
    let with = |a, b| {
        let body = vec![on(call(0, vec![a, b]), vec![barrier()])];
        messages(vec![picks()], body)
    };
    assert!(with(param(), me()).is_empty());
    assert!(!with(me(), param()).is_empty());
}

#[test]
fn invocations_meet_after_a_call_from_which_some_return_early() {
    let body = giving(vec![on(me(), vec![Stmt::Return(Some(int(1)), AT)])], int(2));
    let early = function(Vec::new(), Type::U32, body);
    let body = vec![bind(0, call(0, Vec::new())), barrier()];
    assert!(messages(vec![early], body).is_empty());
}

#[test]
fn what_a_function_leaves_behind_a_pointer_is_followed() {
    let pointer = Type::Pointer(Box::new(Type::U32));
    let target = || {
        let inner = Box::new(Expr::typed(
            ExprKind::Local(LocalId(0)),
            AT,
            Type::Pointer(Box::new(Type::U32)),
        ));
        expr(ExprKind::Deref(inner))
    };
    let stores = || {
        let body = block(vec![set(target(), local(1))]);
        function(vec![pointer.clone(), Type::U32], Type::Unit, body)
    };
    let with = |value| {
        let borrow = expr(ExprKind::Ref(true, Box::new(local(0))));
        let stored = Stmt::Expr(call(0, vec![borrow, value]));
        let body = vec![bind(0, me()), stored, on(local(0), vec![barrier()])];
        messages(vec![stores()], body)
    };
    assert!(with(param()).is_empty());
    assert!(!with(me()).is_empty());
}

#[test]
fn branches_that_return_values_are_followed_as_they_are_printed() {
    // `if n { if me { 1 } else { 2 } } else { barrier; 3 }` is printed with returns, after which
    // the last branch is no longer apart from the first.
    let inner = |value| {
        let then = giving(Vec::new(), int(1));
        giving(Vec::new(), either(value, then, giving(Vec::new(), int(2))))
    };
    let with = |value| {
        let last = giving(vec![barrier()], int(3));
        let body = giving(Vec::new(), either(param(), inner(value), last));
        let helper = function(Vec::new(), Type::U32, body);
        messages(vec![helper], vec![bind(0, call(0, Vec::new()))])
    };
    assert!(with(param()).is_empty());
    assert!(!with(me()).is_empty());
}

#[test]
fn a_call_that_only_some_make_is_refused_for_the_barrier_in_it() {
    let waits = function(Vec::new(), Type::Unit, block(vec![barrier()]));
    let body = vec![on(me(), vec![Stmt::Expr(call(0, Vec::new()))])];
    assert_eq!(
        messages(vec![waits], body),
        [
            "`workgroup_barrier` in `f` is not reached by all invocations of the workgroup: it is under a condition that differs between them"
        ]
    );
}

#[test]
fn a_uniform_load_gives_a_uniform_value_of_one_place() {
    let load = |index| {
        let place = element(ExprKind::Workgroup(0), index);
        expr(ExprKind::Named(
            "workgroup_uniform_load".into(),
            AT,
            vec![place],
        ))
    };
    assert!(!is_refused(vec![on(load(param()), vec![barrier()])]));
    assert!(is_refused(vec![bind(0, load(me()))]));
    assert!(is_refused(vec![on(me(), vec![bind(0, load(int(0)))])]));
}
