//! Kernels with what lints find in them, and kernels that come near to it.

use std::collections::HashMap;

use quote::ToTokens;
use rlx_kernel_ir::lint::{LINTS, Level};
use rlx_kernel_ir::{CompileOptions, Origin, compile};

use crate::chain::{Entry, Kind};
use crate::parse::Sink;
use crate::parse::kernel::kernel;
use crate::parse::module::Items;
use crate::parse::requires::requirements;
use crate::paths;

/// What is found in the kernel that `file` ends with, which may call the functions before it, in a
/// workgroup of 64: names and messages of what is not allowed.
fn found(file: &str) -> Vec<(&'static str, String)> {
    found_in("workgroup_size(64)", file)
}

fn found_in(arguments: &str, file: &str) -> Vec<(&'static str, String)> {
    let file: syn::File = syn::parse_str(file).expect("it is Rust");
    let mut functions: Vec<syn::ItemFn> = file
        .items
        .into_iter()
        .map(|item| match item {
            syn::Item::Fn(function) => function,
            other => panic!("{} is no function", other.to_token_stream()),
        })
        .collect();
    let function = functions.pop().expect("there is a kernel");
    let entries = functions.iter().enumerate().map(|(index, function)| Entry {
        id: index as u64,
        name: paths::name(&function.sig.ident),
        krate: crate::chain::crate_name(),
        file: String::new(),
        line: 1,
        kind: Kind::Function,
        paths: Vec::new(),
        tokens: function.to_token_stream(),
    });
    let entries: Vec<Entry> = entries.collect();
    let named = functions.iter().enumerate();
    let named: Vec<(String, u64)> = named
        .map(|(index, function)| (paths::name(&function.sig.ident), index as u64))
        .collect();
    let mut sink = Sink::default();
    let mut items = Items::new(&mut sink, &entries).expect("helpers are functions");
    let args = syn::parse_str(arguments).expect("they are arguments");
    let resolver = items.resolver(&named);
    let requirements = requirements(&function).expect("they are conditions");
    let kernel = kernel(
        (&mut sink, Vec::new()),
        &args,
        &function,
        &requirements,
        &resolver,
        &HashMap::new(),
        Origin::default(),
    );
    assert!(sink.diagnostics.is_empty(), "{:?}", sink.diagnostics);
    items.module.kernel = Some(kernel);
    let compiled = compile(&items.module, CompileOptions::default()).expect("it compiles");
    let lints = super::of_kernel(
        &compiled.lints,
        &sink,
        &super::read_by_host(&args, &requirements),
        &function,
    );
    let lints = lints
        .into_iter()
        .filter(|found| sink.levels.of(found).0 != Level::Allow);
    lints
        .map(|found| (found.lint.name, found.diagnostic.message))
        .collect()
}

/// The messages of one lint.
fn of(lint: &str, file: &str) -> Vec<String> {
    let found = found(file).into_iter();
    found
        .filter(|(name, _)| *name == lint)
        .map(|(_, message)| message)
        .collect()
}

#[test]
fn lints_have_one_name_each() {
    for (index, lint) in LINTS.iter().enumerate() {
        assert!(
            LINTS[..index].iter().all(|other| other.name != lint.name),
            "{}",
            lint.name
        );
    }
}

mod uncoalesced_access {
    use super::{found_in, of};

    fn strides(body: &str) -> Vec<String> {
        let file =
            format!("fn k(x: &[f32], y: &mut [f32], v: &[Vec4<f32>], n: u32, k: u32) {{ {body} }}");
        let found = of("uncoalesced_access", &file).into_iter();
        let stride = |message: String| {
            let rest = message
                .split("at a stride of ")
                .nth(1)
                .unwrap_or_default()
                .to_string();
            rest.split(" elements")
                .next()
                .unwrap_or_default()
                .to_string()
        };
        found.map(stride).collect()
    }

    #[test]
    fn a_stride_of_a_number_is_told() {
        assert_eq!(
            of(
                "uncoalesced_access",
                "fn k(x: &[f32], y: &mut [f32]) { y[global_index()] = x[global_index() * 16]; }"
            ),
            [
                "consecutive invocations read `x` at a stride of 16 elements: of what memory moves, 1 byte in 8 is used"
            ]
        );
        assert_eq!(strides("y[2 * local_index() + 1] = 1.0;"), ["2"]);
        assert_eq!(strides("y[subgroup_lane() << 5] = 1.0;"), ["32"]);
    }

    #[test]
    fn a_stride_of_a_param_is_told_by_its_name() {
        assert_eq!(
            strides("let i = global_id().x; y[i] = x[i * k + 1];"),
            ["`k`"]
        );
        let body = "let row = global_index(); let mut sum = 0.0;
            for i in 0..k { sum += x[row * k + i]; } y[row] = sum;";
        assert_eq!(strides(body), ["`k`"]);
        assert_eq!(
            strides("y[local_index() * (2 * k + 1)] = 1.0;"),
            ["`2 * k + 1`"]
        );
    }

    #[test]
    fn neighbours_that_take_neighbours_are_right() {
        for body in [
            "y[global_index()] = x[global_index() + 1];",
            "y[local_index() + 64 * workgroup_id().x * k] = x[63 - local_index()];",
            "for i in (local_index()..n).step_by(64) { y[i] = x[i]; }",
            "y[local_index() / 8 * k + local_index() % 8] = 1.0;",
            "y[global_index()] = x[workgroup_id().x * k];",
            "let mut at = local_index(); while at < n { y[at] = x[at]; at += k; }",
        ] {
            assert_eq!(strides(body), [""; 0], "{body}");
        }
    }

    #[test]
    fn a_run_that_an_invocation_reads_whole_is_right() {
        for body in [
            "let at = 4 * global_index(); y[global_index()] = x[at] + x[at + 1] + x[at + 2] + x[at + 3];",
            "let at = 8 * global_index(); for i in 0..8 { y[at + i] = 1.0; }",
            "let at = 8 * global_index(); for i in at..(at + 8).min(n) { y[i] = 1.0; }",
        ] {
            assert_eq!(strides(body), [""; 0], "{body}");
        }
        // Too long for a cache, and with a gap.
        let body = "let at = 64 * global_index(); for i in 0..64 { y[at + i] = 1.0; }";
        assert_eq!(strides(body), ["64"]);
        let body =
            "let at = 4 * global_index(); y[global_index()] = x[at] + x[at + 1] + x[at + 3];";
        assert_eq!(strides(body), ["4"]);
    }

    #[test]
    fn what_depends_on_data_is_not_spoken_of() {
        for body in [
            "y[global_index()] = x[x[global_index()] as u32 * 4];",
            "y[global_index() / n * 8] = 1.0;",
            "let mut at = local_index(); while at < n { at = at * 3 + 1; } y[at * 4] = 1.0;",
        ] {
            assert_eq!(strides(body), [""; 0], "{body}");
        }
    }

    #[test]
    fn an_access_of_one_invocation_has_no_stride() {
        assert_eq!(
            strides("let i = local_index(); if i == 0 { y[i * 8] = 1.0; }"),
            [""; 0]
        );
        assert_eq!(
            strides("if subgroup_lane() == 3 { y[subgroup_lane() * 8] = 1.0; }"),
            [""; 0]
        );
        assert_eq!(
            strides("let i = local_index(); if i < 4 { y[i * 8] = 1.0; }"),
            ["8"]
        );
    }

    #[test]
    fn elements_as_wide_as_memory_moves_need_no_neighbours() {
        assert_eq!(strides("y[local_index()] = v[2 * local_index()].x;"), ["2"]);
        let file = "fn k(y: &mut [f32]) { y[local_id().x * 8 + local_id().y] = 1.0; }";
        assert_eq!(found_in("workgroup_size(8, 8)", file).len(), 1);
        let file = "fn k(y: &mut [f32]) { y[local_id().y * 8 + local_id().x] = 1.0; }";
        assert_eq!(found_in("workgroup_size(8, 8)", file).len(), 0);
    }

    #[test]
    fn an_access_in_a_helper_is_told_at_its_call() {
        let helper = "fn put(y: &mut [f32], at: u32) { y[3 * at] = 1.0; }";
        let kernel = "fn k(y: &mut [f32]) { put(y, global_index()); put(y, workgroup_id().x); }";
        let found = of("uncoalesced_access", &format!("{helper} {kernel}"));
        assert_eq!(found.len(), 1, "{found:?}");
        let allowed = format!("#[allow(uncoalesced_access)] {helper} {kernel}");
        assert_eq!(of("uncoalesced_access", &allowed), [""; 0]);
    }
}

mod bank_conflict {
    use super::of;

    fn turns(memory: &str, body: &str) -> Vec<String> {
        let file = format!(
            "fn k(y: &mut [f32], n: u32) {{ #[workgroup] let t: {memory}; let me = local_index(); {body} y[n] = 1.0; }}"
        );
        let found = of("bank_conflict", &file).into_iter();
        let turns = |message: String| {
            let rest = message
                .split("takes ")
                .nth(1)
                .unwrap_or_default()
                .to_string();
            rest.split(" turns").next().unwrap_or_default().to_string()
        };
        found.map(turns).collect()
    }

    #[test]
    fn words_of_one_bank_are_counted() {
        assert_eq!(turns("[f32; 2048]", "t[32 * me] = 1.0;"), ["32"]);
        assert_eq!(turns("[f32; 2048]", "t[2 * me] = 1.0;"), ["2"]);
        assert_eq!(
            turns("[[f32; 16]; 16]", "t[me % 16][me / 16] = 1.0;"),
            ["8"]
        );
        assert_eq!(
            turns("[Vec4<f32>; 512]", "t[8 * me] = Vec4::splat(1.0);"),
            ["8"]
        );
    }

    #[test]
    fn rows_that_are_one_longer_have_none() {
        assert_eq!(turns("[f32; 2112]", "t[33 * me] = 1.0;"), [""; 0]);
        assert_eq!(
            turns("[[f32; 33]; 32]", "t[me % 32][me / 32] = 1.0;"),
            [""; 0]
        );
        assert_eq!(
            turns("[Vec4<f32>; 576]", "t[9 * me] = Vec4::splat(1.0);"),
            [""; 0]
        );
    }

    #[test]
    fn one_word_for_all_and_neighbours_have_none() {
        for body in [
            "t[me] = 1.0;",
            "t[n] = 1.0;",
            "t[me / 32] = 1.0;",
            "t[63 - me] = 1.0;",
            "t[me ^ 1] = 1.0;",
        ] {
            assert_eq!(turns("[f32; 64]", body), [""; 0], "{body}");
        }
    }

    #[test]
    fn a_stride_that_only_its_evenness_is_known_of_counts_as_two() {
        let body = "let mut s = 1; while s < n { t[2 * me * s] = 1.0; s *= 2; }";
        assert_eq!(turns("[f32; 2048]", body), ["at least 2"]);
        let body = "let mut s = 1; while s < n { t[me * s] = 1.0; s *= 2; }";
        assert_eq!(turns("[f32; 2048]", body), [""; 0]);
    }

    #[test]
    fn invocations_that_have_no_part_do_not_count() {
        assert_eq!(
            turns("[f32; 2048]", "if me < 4 { t[32 * me] = 1.0; }"),
            ["4"]
        );
        assert_eq!(
            turns("[f32; 2048]", "if me == 1 { t[32 * me] = 1.0; }"),
            [""; 0]
        );
    }
}

mod loop_invariant_index {
    use super::of;

    fn count(body: &str) -> usize {
        let file = format!(
            "fn k(x: &[f32], y: &mut [f32], n: u32, w: u32, h: u32) {{ let me = global_index(); {body} }}"
        );
        of("loop_invariant_index", &file).len()
    }

    #[test]
    fn divisions_and_chains_of_products_are_told() {
        for body in [
            "for i in 0..n { y[me / w * n + i] = 1.0; }",
            "for i in 0..n { y[i] = x[i + me % w]; }",
            "let mut i = 0; while i < n { y[me / w + i] = 1.0; i += 1; }",
            "for i in 0..n { y[((me * n + 1) * w + 2) * h + i] = 1.0; }",
            "for i in 0..n { for j in 0..w { y[i / h + j] = 1.0; } }",
        ] {
            assert_eq!(count(body), 1, "{body}");
        }
    }

    #[test]
    fn what_changes_or_costs_little_is_not() {
        for body in [
            "for i in 0..n { y[i / w] = 1.0; }",
            "for i in 0..n { let row = i / w; y[row / h] = 1.0; }",
            "let mut at = me; for i in 0..n { y[at / w + i] = 1.0; at += 1; }",
            "for i in 0..n { y[me / 16 * w + me % 16 + i] = 1.0; }",
            "for i in 0..n { y[(me * w + 1) * h + i] = 1.0; }",
            "let row = me / w; for i in 0..n { y[row * n + i] = 1.0; }",
            "y[me / w] = 1.0;",
            "#[unroll] for i in 0..4 { y[me / w + i] = 1.0; }",
        ] {
            assert_eq!(count(body), 0, "{body}");
        }
    }
}

mod f16_accumulation {
    use super::of;

    fn count(body: &str) -> usize {
        let file = format!(
            "fn k(x: &[f16], y: &mut [f16], n: u32) {{ let mut sum = f16::ZERO; let mut sums = [f16::ZERO; 2]; let mut wide = 0.0; {body} y[0] = sum + sums[0] + f16::from_f32(wide); }}"
        );
        of("f16_accumulation", &file).len()
    }

    #[test]
    fn sums_over_a_loop_are_told() {
        for body in [
            "for i in 0..n { sum += x[i]; }",
            "for i in 0..n { sum = sum + x[i]; }",
            "for i in 0..n { sums[1] -= x[i]; }",
            "for i in 0..n { sum = x[i].mul_add(x[i], sum); }",
            "let mut i = 0; while i < n { for j in 0..2 { sum += x[i + j]; } i += 2; }",
        ] {
            assert_eq!(count(body), 1, "{body}");
        }
    }

    #[test]
    fn sums_in_f32_and_of_one_round_are_not() {
        for body in [
            "for i in 0..n { wide += x[i].to_f32(); }",
            "for i in 0..n { sum = sum.max(x[i]); }",
            "for i in 0..n { let mut two = x[i]; two += x[i + 1]; y[i] = two; }",
            "for i in 0..n { y[i] += x[i]; }",
            "sum += x[0];",
        ] {
            assert_eq!(count(body), 0, "{body}");
        }
    }
}

mod unused {
    use super::{found, of};

    #[test]
    fn slices_and_params_that_nothing_names_are_told() {
        assert_eq!(
            found("fn k(x: &[f32], _z: &[f32], y: &mut [f32], n: u32, _m: u32) { y[0] = 1.0; }"),
            [
                (
                    "unused_binding",
                    "the kernel never reads or writes `x`, and still takes one of the 8 slices that every device binds".to_string()
                ),
                (
                    "unused_param",
                    "the kernel never reads `n`, and still asks every launch for it".to_string()
                ),
            ]
        );
    }

    #[test]
    fn a_param_that_the_host_reads_is_used() {
        let required = "#[requires(y.len() >= n)] fn k(y: &mut [f32], n: u32) { y[0] = 1.0; }";
        assert_eq!(found(required), []);
        let counted = "fn k(y: &mut [f32], n: u32) { y[0] = 1.0; }";
        assert_eq!(super::found_in("threads(n.div_ceil(2))", counted), []);
    }

    #[test]
    fn variables_that_nothing_reads_are_told() {
        let kernel = |body: &str| format!("fn k(y: &mut [f32]) {{ y[0] = 1.0; {body} }}");
        for (body, message) in [
            ("let a = 1;", "unused variable: `a`"),
            ("for i in 0..3 { y[1] = 1.0; }", "unused variable: `i`"),
            ("#[workgroup] let t: [f32; 4];", "unused variable: `t`"),
            (
                "let mut a = 1; a += 2;",
                "variable `a` is assigned to, but never used",
            ),
            (
                "let a; a = 2;",
                "variable `a` is assigned to, but never used",
            ),
        ] {
            assert_eq!(of("unused_variables", &kernel(body)), [message], "{body}");
        }
        for body in [
            "let _a = 1;",
            "let a = 1; y[a] = 1.0;",
            "let mut a = [0; 2]; a[0] = 1;",
        ] {
            assert_eq!(of("unused_variables", &kernel(body)), [""; 0], "{body}");
        }
    }

    #[test]
    fn mut_that_nothing_needs_is_told() {
        let kernel = |body: &str| {
            format!(
                "fn set(a: &mut u32) {{ *a = 1; }} fn k(y: &mut [f32]) {{ {body} y[a] = 1.0; }}"
            )
        };
        assert_eq!(of("unused_mut", &kernel("let mut a = 1;")).len(), 1);
        for body in [
            "let a = 1;",
            "let mut a = 1; a += 1;",
            "let mut a = 1; set(&mut a);",
            "let a; a = 1;",
        ] {
            assert_eq!(of("unused_mut", &kernel(body)), [""; 0], "{body}");
        }
    }

    #[test]
    fn statements_after_a_return_are_told() {
        let kernel = |body: &str| format!("fn k(y: &mut [f32], n: u32) {{ y[n] = 1.0; {body} }}");
        for body in [
            "if n > 1 { return; y[1] = 1.0; }",
            "for i in 0..n { continue; y[i] = 1.0; }",
            "if n > 1 { return; } else { return; } y[1] = 1.0;",
        ] {
            assert_eq!(of("unreachable_code", &kernel(body)).len(), 1, "{body}");
        }
        for body in [
            "if n > 1 { return; } y[1] = 1.0;",
            "loop { if n > 1 { break; } } y[1] = 1.0;",
        ] {
            assert_eq!(of("unreachable_code", &kernel(body)), [""; 0], "{body}");
        }
    }
}

mod levels {
    use super::found;

    #[test]
    fn an_allow_holds_where_it_is_written() {
        let uncoalesced = "y[local_index() * 4] = 1.0;";
        let allow = "#[allow(uncoalesced_access)]";
        for (file, count) in [
            (format!("fn k(y: &mut [f32]) {{ {uncoalesced} }}"), 1),
            (
                format!("{allow} fn k(y: &mut [f32]) {{ {uncoalesced} }}"),
                0,
            ),
            (
                format!("fn k(y: &mut [f32]) {{ {allow} {uncoalesced} }}"),
                0,
            ),
            (
                format!("fn k(y: &mut [f32]) {{ {allow} {uncoalesced} {uncoalesced} }}"),
                1,
            ),
            (
                format!("fn k(y: &mut [f32], n: u32) {{ {allow} if n > 1 {{ {uncoalesced} }} }}"),
                0,
            ),
            (
                format!("fn k(y: &mut [f32]) {{ {allow} for _ in 0..2 {{ {uncoalesced} }} }}"),
                0,
            ),
            (
                format!(
                    "{allow} fn k(y: &mut [f32]) {{ #[warn(uncoalesced_access)] {uncoalesced} }}"
                ),
                1,
            ),
            (
                "#[allow(unused)] fn k(x: &[f32], y: &mut [f32]) { let a = 1; y[0] = 1.0; }".into(),
                0,
            ),
        ] {
            assert_eq!(found(&file).len(), count, "{file}");
        }
    }
}
