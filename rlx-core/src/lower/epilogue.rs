//! Elementwise regions as the ends of matrix products: put between a product's sums and its result, which
//! then never lies in memory unfinished.
//!
//! The kernel of a product is there as WGSL; what is put in is a function of its own, made of the same
//! `#[device]` functions as a region, around every value that the kernel stores.

use std::borrow::Cow;
use std::fmt::Write as _;

use rlx_kernel_ir::Span;
use rlx_kernel_ir::validate::validate;
use rlx_kernel_ir::wgsl::Text;
use rlx_kernels::kernel::fnv1a;
use rlx_kernels::proof::Code;
use rlx_kernels::{Binding, ElementwiseOp, KernelInfo, Proof, Requirement};

use crate::graph::Region;
use crate::shape::{Broadcast, Shape, ShapeError};

/// Storage bindings that every device grants a kernel.
pub(super) const MAX_BINDINGS: usize = 8;

/// A region over the result of a product.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Epilogue {
    steps: Vec<(&'static ElementwiseOp, Vec<usize>)>,
    reads: Vec<Read>,
}

/// How an input is read at an index of the result.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Read {
    /// It is the product itself.
    Product,
    /// At that index.
    Dense,
    /// At the sum of `index / above % extent * stride`.
    Strided(Vec<Term>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Term {
    above: u64,
    extent: u64,
    stride: u64,
}

impl Epilogue {
    /// `region` over `inputs`, of which number `product` is the product, of the shape of the result.
    pub fn new(
        region: &Region,
        out: &Shape,
        inputs: &[&Shape],
        product: usize,
    ) -> Result<Self, ShapeError> {
        let broadcast = Broadcast::of(out, inputs)?;
        let read = |input: usize| {
            if input == product {
                return Read::Product;
            }
            if broadcast.is_dense(input) {
                return Read::Dense;
            }
            let dims = broadcast.dims.iter().zip(&broadcast.strides[input]);
            let mut above = 1;
            let mut terms = Vec::new();
            for (&extent, &stride) in dims.rev() {
                if stride != 0 {
                    terms.push(Term {
                        above,
                        extent,
                        stride,
                    });
                }
                above *= extent;
            }
            terms.reverse();
            Read::Strided(terms)
        };
        let steps = region.steps.iter();
        Ok(Self {
            steps: steps.map(|step| (step.op, step.operands.clone())).collect(),
            reads: (0..inputs.len()).map(read).collect(),
        })
    }

    /// `kernel`, a product whose only result is its last binding, with the region at its end. It binds the
    /// other inputs of the region after its own.
    ///
    /// # Errors
    /// Why the kernel cannot be made.
    pub fn compose(&self, kernel: &KernelInfo) -> Result<KernelInfo, String> {
        let own = kernel.bindings.len();
        let result = kernel.bindings.last().filter(|binding| binding.writable);
        let result = result.ok_or("the last binding is no result")?;
        let mut requirements = kernel.proof.requirements().to_vec();
        let mut bindings = kernel.bindings.to_vec();
        for (input, read) in self.reads.iter().enumerate() {
            let (code, least) = match read {
                Read::Product => continue,
                Read::Dense => (Code::Length(own - 1), format!("{}.len()", result.name)),
                Read::Strided(terms) => {
                    let last = terms.iter().map(|term| (term.extent - 1) * term.stride);
                    let least = last.sum::<u64>() + 1;
                    (Code::Number(least), least.to_string())
                }
            };
            requirements.push(Requirement {
                text: format!("{}.len() >= {least}", name(input)).into(),
                code: vec![Code::Length(bindings.len()), code, Code::Ge].into(),
            });
            bindings.push(Binding {
                name: name(input).into(),
                variable: name(input).into(),
                element: "f32".into(),
                stride: 4,
                writable: false,
            });
        }
        let wgsl = self.text(kernel, &result.variable)?;
        validate(&Text::new(wgsl.as_str()), Span::NONE).map_err(|problem| problem.message)?;
        let hash = fnv1a(wgsl.as_bytes());
        let names: Vec<&str> = self.steps.iter().map(|(op, _)| op.name).collect();
        let mut cost = kernel.cost.clone();
        // What the region reads and computes comes to it.
        cost.open = true;
        Ok(KernelInfo {
            instance: [&kernel.instance, &*format!("+ {}", names.join(" "))]
                .into_iter()
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join(" ")
                .into(),
            bindings: bindings.into(),
            // The region's indices are the kernel's own, or remainders that its requirements keep in range.
            proof: Proof::of_the_compiler(
                hash,
                kernel.proof.indices().to_vec().into(),
                kernel.proof.loops().to_vec().into(),
                requirements.into(),
            ),
            cost,
            hash,
            wgsl: wgsl.into(),
            twin: Cow::default(),
            traced: None,
            ..kernel.clone()
        })
    }

    /// The kernel's text with the region in it.
    fn text(&self, kernel: &KernelInfo, result: &str) -> Result<String, String> {
        let own = kernel.bindings.len();
        let others = self.reads.iter().filter(|read| **read != Read::Product);
        let added = others.count();
        let (mut text, mut stores) = (String::new(), 0);
        let store = format!("{result}[");
        for line in kernel.wgsl.lines() {
            if let Some((number, rest)) = binding(line) {
                let number = number + if number < own { 0 } else { added };
                let _ = writeln!(text, "@group(0) @binding({number}) {rest}");
                if number + 1 == own {
                    self.declare(own, &mut text);
                }
                continue;
            }
            if line == "@compute" || line.starts_with("@compute ") {
                self.define(kernel, &mut text)?;
            }
            let indent = line.len() - line.trim_start().len();
            match line[indent..].strip_prefix(&store) {
                Some(rest) => {
                    let (index, value) = split_store(rest).ok_or("a store of another form")?;
                    let _ = writeln!(
                        text,
                        "{}{store}{index}] = epilogue({value}, {index});",
                        &line[..indent]
                    );
                    stores += 1;
                }
                None if has_word(line, &store) => return Err("the result is read".into()),
                None => {
                    text.push_str(line);
                    text.push('\n');
                }
            }
        }
        if stores == 0 {
            return Err("the kernel stores nothing".into());
        }
        Ok(text)
    }

    /// The bindings of the other inputs.
    fn declare(&self, first: usize, text: &mut String) {
        let others = self.reads.iter().enumerate();
        let others = others.filter(|(_, read)| **read != Read::Product);
        for (number, (input, _)) in (first..).zip(others) {
            let name = name(input);
            let _ = writeln!(
                text,
                "@group(0) @binding({number}) var<storage, read> {name}: array<f32>;"
            );
        }
    }

    /// The functions of the operators, and the region's own.
    fn define(&self, kernel: &KernelInfo, text: &mut String) -> Result<(), String> {
        let mut defined: Vec<&str> = Vec::new();
        for (op, _) in &self.steps {
            for (name, function) in op.wgsl {
                if defined.contains(name) {
                    continue;
                }
                if kernel.wgsl.contains(&format!("fn {name}(")) {
                    return Err(format!("both have a function `{name}`"));
                }
                defined.push(name);
                let _ = writeln!(text, "{}\n", function.trim_end());
            }
        }
        text.push_str("fn epilogue(product: f32, at: u32) -> f32 {\n");
        let mut values = Vec::new();
        for (input, read) in self.reads.iter().enumerate() {
            let index = match read {
                Read::Product => {
                    values.push("product".to_owned());
                    continue;
                }
                Read::Dense => "at".to_owned(),
                Read::Strided(terms) => index_of(terms),
            };
            let _ = writeln!(text, "    let v{input} = {}[{index}];", name(input));
            values.push(format!("v{input}"));
        }
        for (op, operands) in &self.steps {
            let arguments: Option<Vec<&str>> = operands
                .iter()
                .map(|operand| values.get(*operand).map(String::as_str))
                .collect();
            let arguments = arguments.ok_or("a step names a value that is not there")?;
            let value = format!("{}_{}", op.name, values.len());
            let _ = writeln!(
                text,
                "    let {value} = {}({});",
                op.name,
                arguments.join(", ")
            );
            values.push(value);
        }
        let value = values.last().ok_or("the region has no steps")?;
        let _ = writeln!(text, "    return {value};\n}}\n");
        Ok(())
    }
}

/// The variable of an input of the region.
fn name(input: usize) -> String {
    format!("other{input}")
}

/// The number of a binding, and what it is, where `line` declares one.
fn binding(line: &str) -> Option<(usize, &str)> {
    let rest = line.strip_prefix("@group(0) @binding(")?;
    let (number, rest) = rest.split_once(") ")?;
    Some((number.parse().ok()?, rest))
}

/// Index and value of `index] = value;`.
fn split_store(rest: &str) -> Option<(&str, &str)> {
    let mut depth = 1;
    let close = rest.char_indices().find(|(_, c)| {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    let (index, rest) = rest.split_at(close?.0);
    let value = rest.strip_prefix("] = ")?.strip_suffix(';')?;
    Some((index, value))
}

/// Whether `line` has `store` other than as the end of a longer name.
fn has_word(line: &str, store: &str) -> bool {
    line.match_indices(store).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
    })
}

/// Where the terms point, at index `at`.
fn index_of(terms: &[Term]) -> String {
    let terms = terms.iter().map(|term| {
        let Term {
            above,
            extent,
            stride,
        } = term;
        let above = match above {
            1 => "at".to_owned(),
            _ => format!("at / {above}u"),
        };
        match stride {
            1 => format!("{above} % {extent}u"),
            _ => format!("{above} % {extent}u * {stride}u"),
        }
    });
    let terms: Vec<String> = terms.collect();
    if terms.is_empty() {
        "0".to_owned()
    } else {
        terms.join(" + ")
    }
}
