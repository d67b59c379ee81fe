//! From a module to WGSL that naga has validated.

use crate::bounds::{self, Proof};
use crate::builtin::Input;
use crate::cost::{self, Cost};
use crate::diagnostic::Diagnostic;
use crate::infer::{infer_all, infer_functions};
use crate::item::{ItemId, Kernel, KernelParam, Module};
use crate::layout;
use crate::limits::{self, LIMITS, Required};
use crate::lint::{self, Found};
use crate::matrix;
use crate::overrides::{self, WorkgroupFormulas};
use crate::param;
use crate::poison;
use crate::probe::probe;
use crate::rounds;
use crate::span::Span;
use crate::trace::{self, Traced};
use crate::twin::{self, Lowered};
use crate::types::Type;
use crate::uniformity;
use crate::validate::Validated;
use crate::wgsl::{self, Text};

/// What is allowed beyond WebGPU's defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompileOptions {
    /// Bytes of workgroup memory.
    pub workgroup_bytes: u32,
    /// Invocations of a workgroup.
    pub invocations: u32,
    /// Storage bindings.
    pub bindings: u32,
}

impl Default for CompileOptions {
    /// WebGPU's default limits.
    fn default() -> Self {
        let [workgroup_bytes, invocations, bindings] = LIMITS.map(|limit| limit.default);
        Self {
            workgroup_bytes,
            invocations,
            bindings,
        }
    }
}

/// A kernel's WGSL and the facts of it.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The module: native header, split form.
    pub wgsl: String,
    /// The entry point.
    pub entry: String,
    /// Variable and element type of each binding, with the bytes from one element to the next.
    pub bindings: Vec<CompiledBinding>,
    /// The tables that are bound after the params: their places in [`Module::tables`], and their
    /// variables.
    pub tables: Vec<(usize, String)>,
    /// Name in WGSL, type, offset and size of each param.
    pub params: Vec<CompiledParam>,
    /// What naga found.
    pub validated: Validated,
    /// Whether the grid may be folded.
    pub linear: bool,
    /// What it needs beyond what every device has.
    pub limits: Vec<Required>,
    /// The overrides, in the order of the kernel's parameters.
    pub overrides: Vec<CompiledOverride>,
    /// What they change about the workgroup, where there are any.
    pub workgroup: Option<WorkgroupFormulas>,
    /// The products of matrices that it cannot do without.
    pub matrices: Vec<matrix::Shape>,
    /// What is right and still not what an expert would write.
    pub lints: Vec<Found>,
    /// The program of the CPU twin.
    pub twin: Lowered,
    /// The text that keeps what `trace!` shows, of a kernel that says it.
    pub traced: Option<Traced>,
    /// What is proved of its indices and loops.
    pub proof: Proof,
    /// What an invocation costs.
    pub cost: Cost,
}

/// A binding of a compiled kernel.
#[derive(Clone, Debug)]
pub struct CompiledBinding {
    /// The author's name.
    pub name: String,
    /// The variable in the WGSL.
    pub variable: String,
    /// The element type in WGSL.
    pub element: String,
    /// Bytes from one element to the next.
    pub stride: u32,
    /// Whether it is written.
    pub writable: bool,
}

/// An override of a compiled kernel.
#[derive(Clone, Debug)]
pub struct CompiledOverride {
    /// The author's name.
    pub name: String,
    /// The name in the WGSL; empty where only the host goes by it.
    pub variable: String,
    /// WGSL type.
    pub ty: String,
    /// Its value where nothing else is said.
    pub default: i64,
}

/// A param of a compiled kernel.
#[derive(Clone, Debug)]
pub struct CompiledParam {
    /// The author's name.
    pub name: String,
    /// WGSL type.
    pub ty: String,
    /// Byte offset.
    pub offset: u32,
    /// Bytes.
    pub size: u32,
}

/// Compiles the kernel of `module`.
///
/// # Errors
/// All problems of all stages: interface, types, limits, uniformity, printing, naga. What is wrong is
/// left out of the stages that follow, and nothing that follows from it is reported. None at all where
/// the module was poisoned before ([`Type::Error`]) and has no more.
pub fn compile(module: &Module, options: CompileOptions) -> Result<Compiled, Vec<Diagnostic>> {
    let Some(kernel) = &module.kernel else {
        return Err(vec![Diagnostic::new(
            Span::NONE,
            "there is no kernel to compile",
        )]);
    };
    let mut problems = interface(module, kernel);
    let is_refused = |span| problems.iter().any(|problem| problem.span == span);
    let refused: Vec<usize> = (0..kernel.bindings.len())
        .filter(|index| {
            let binding = &kernel.bindings[*index];
            is_refused(binding.span) || layout::problem(module, &binding.elem).is_some()
        })
        .collect();
    problems.extend(limits::check(module, kernel, options));
    let (typed, found) = infer_all(module);
    let clean = refused.is_empty() && found.is_empty() && !poison::in_typed(module, &typed);
    problems.extend(found);
    problems.extend(uniformity::check(module, &typed));
    let proof = bounds::prove(module, &typed);
    let run = rounds::run(
        module,
        &typed,
        (&refused, clean),
        kernel.function.span,
        wgsl::print,
        |_, printed| printed.text.clone(),
    );
    let mut workgroup = None;
    let (printed, validated) = match run {
        Ok((printed, mut validated)) => {
            match formulas(module, kernel, &mut validated) {
                Ok(found) => workgroup = found,
                Err(problem) => problems.push(problem),
            }
            if problems.is_empty()
                && places(module, kernel, &validated).as_ref() != Some(&validated.leaves)
            {
                let message =
                    "the params of this kernel lie elsewhere on a GPU than their layout says";
                problems.push(Diagnostic::new(kernel.function.span, message));
            }
            problems.extend(proof.problems.iter().cloned());
            if !problems.is_empty() {
                return Err(once(problems));
            }
            (printed, validated)
        }
        Err(found) => {
            let is_new = |problem: &Diagnostic| {
                // naga stops at such a param without a place of its own.
                let is_refused = |param: &KernelParam| param::problem(module, &param.ty).is_some();
                let of_params = problem.span == kernel.function.span
                    || kernel.params.iter().any(|param| param.span == problem.span);
                problems.iter().all(|p| p.span != problem.span)
                    && !(of_params && kernel.params.iter().any(is_refused))
            };
            let found: Vec<_> = found.into_iter().filter(is_new).collect();
            problems.extend(found);
            return Err(once(problems));
        }
    };
    let traced = trace::traced(module, &typed, &printed, kernel.function.span)?;
    let bound: Vec<usize> = printed.tables.iter().map(|(table, _)| *table).collect();
    let (slices, tables) = (kernel.bindings.len(), printed.tables.len());
    if slices + tables > options.bindings as usize {
        let max = options.bindings;
        let message = format!(
            "this kernel has {slices} slices and its formats {tables} tables, and {max} can be bound"
        );
        let diagnostic = Diagnostic::new(kernel.function.span, message);
        return Err(vec![
            diagnostic.help(format!(
                "put several of the slices into one, and index it, or raise the limit: `limits(bindings = {})`",
                slices + tables
            )),
        ]);
    }
    let bindings = kernel
        .bindings
        .iter()
        .zip(&printed.variables)
        .map(|(binding, variable)| CompiledBinding {
            name: binding.name.clone(),
            variable: variable.clone(),
            element: wgsl::element(&binding.elem),
            stride: stride(module, &binding.elem),
            writable: binding.writable,
        });
    let params = kernel
        .params
        .iter()
        .zip(&printed.params)
        .zip(&validated.params)
        .map(|((param, ty), (offset, size))| CompiledParam {
            name: param.name.clone(),
            ty: ty.clone(),
            offset: *offset,
            size: *size,
        });
    let by_dimension = [Input::WorkgroupId, Input::GlobalId, Input::NumWorkgroups];
    Ok(Compiled {
        wgsl: printed.text.as_str().to_string(),
        entry: printed.entry.clone(),
        bindings: bindings.collect(),
        params: params.collect(),
        tables: printed.tables,
        linear: !by_dimension
            .iter()
            .any(|input| printed.inputs.contains(input)),
        limits: limits::required(module, kernel, tables),
        overrides: module
            .overrides()
            .into_iter()
            .map(|(id, item)| CompiledOverride {
                name: item.name.clone(),
                variable: printed.overrides.get(&id).cloned().unwrap_or_default(),
                ty: item.ty.name().into(),
                default: item.default,
            })
            .collect(),
        workgroup,
        matrices: matrix::shapes(&typed),
        lints: lint::kernel(module, &typed),
        twin: twin::lower(
            module,
            &typed,
            &validated.params,
            validated.params_size,
            &bound,
        ),
        proof,
        cost: cost::of(module, &typed),
        validated,
        traced,
    })
}

/// Checks `roots` and what they reach, and prints them: the WGSL of each function by its name.
/// Functions that take slices or blocks are checked with bindings made up for them, and not printed:
/// their text depends on the kernels that call them.
///
/// # Errors
/// All problems found.
pub fn compile_functions(
    module: &Module,
    roots: &[ItemId],
) -> Result<Vec<(String, String)>, Vec<Diagnostic>> {
    let mut problems = Vec::new();
    let mut clean = true;
    for root in roots {
        if let Some(probe) = probe(module, *root)
            && let Err(found) = check(&probe)
        {
            clean = false;
            problems.extend(found);
        }
    }
    let (typed, found) = infer_functions(module, roots);
    let is_sound = found.is_empty() && !poison::in_typed(module, &typed);
    clean &= is_sound;
    problems.extend(found);
    let fallback = roots
        .first()
        .and_then(|root| module.function(*root))
        .map_or(Span::NONE, |function| function.span);
    let run = rounds::run(
        module,
        &typed,
        (&[], is_sound),
        fallback,
        wgsl::print_functions,
        |module, printed| {
            let mut all = Text::default();
            wgsl::print_all_structs(module, &mut all);
            for (_, text) in printed {
                all.append(text);
            }
            wgsl::enabled(all)
        },
    );
    match run {
        Ok((printed, _)) if clean => Ok(printed
            .into_iter()
            .map(|(name, text)| (name, text.as_str().to_string()))
            .collect()),
        run => {
            let found = run.err().unwrap_or_default();
            let is_new = |problem: &Diagnostic| problems.iter().all(|p| p.span != problem.span);
            let found: Vec<_> = found.into_iter().filter(is_new).collect();
            problems.extend(found);
            Err(once(problems))
        }
    }
}

/// Problems in source order, each once: an unrolled body is printed many times.
fn once(mut problems: Vec<Diagnostic>) -> Vec<Diagnostic> {
    problems.sort_by_key(|problem| problem.span);
    problems.dedup();
    problems
}

/// Everything but the checks of the interface, which the author did not write.
fn check(probe: &Module) -> Result<(), Vec<Diagnostic>> {
    let (typed, mut problems) = infer_all(probe);
    let fallback = probe
        .kernel
        .as_ref()
        .map_or(Span::NONE, |kernel| kernel.function.span);
    let clean = problems.is_empty() && !poison::in_typed(probe, &typed);
    let run = rounds::run(
        probe,
        &typed,
        (&[], clean),
        fallback,
        wgsl::print,
        |_, printed| printed.text.clone(),
    );
    match run {
        Ok(_) if problems.is_empty() => Ok(()),
        run => {
            problems.extend(run.err().unwrap_or_default());
            Err(problems)
        }
    }
}

fn stride(module: &Module, elem: &Type) -> u32 {
    match elem {
        Type::Packed(_) => 4,
        other => {
            layout::on_device(module, other).map_or(0, |(size, align)| size.next_multiple_of(align))
        }
    }
}

/// What overrides change about the workgroup; adds the bytes that they take by default.
fn formulas(
    module: &Module,
    kernel: &Kernel,
    validated: &mut Validated,
) -> Result<Option<WorkgroupFormulas>, Diagnostic> {
    let all = module.overrides();
    if all.is_empty() {
        return Ok(None);
    }
    let formulas = overrides::workgroup(module, kernel, validated.workgroup_bytes)?;
    let defaults: Vec<_> = all.iter().map(|(_, item)| item.default).collect();
    let bytes = overrides::value(&formulas.bytes, &defaults).unwrap_or(u64::MAX);
    validated.workgroup_bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
    Ok(Some(formulas))
}

/// Where the scalars and vectors of the params lie, by the layout that the host goes by.
fn places(module: &Module, kernel: &Kernel, validated: &Validated) -> Option<Vec<u32>> {
    let mut all = Vec::new();
    for (param, (offset, _)) in kernel.params.iter().zip(&validated.params) {
        param::leaves(module, &param.held(), *offset, &mut all)?;
    }
    Some(all)
}

/// Checks of the signature and the attributes.
fn interface(module: &Module, kernel: &Kernel) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    for binding in &kernel.bindings {
        match &binding.elem {
            Type::Scalar(crate::types::Scalar::Bool) => {
                let diagnostic = Diagnostic::new(
                    binding.span,
                    "`bool` has no place in memory that a GPU shares with its host",
                );
                problems.push(diagnostic.help("use `u32`: 0 and 1"));
            }
            Type::Vector(elem, 3) => {
                let message = format!(
                    "a slice of `Vec3<{elem}>` would have a gap of one component after each element"
                );
                problems.push(Diagnostic::new(binding.span, message).help(format!(
                    "use `&[{elem}]` and index `3 * i`, or `&[Vec4<{elem}>]`"
                )));
            }
            Type::Atomic(_) if !binding.writable => {
                let help = format!("take it as `{}: &mut [{}]`", binding.name, binding.elem);
                problems
                    .push(Diagnostic::new(binding.span, "atomics are read and written").help(help));
            }
            Type::Struct(..) | Type::Array(..) => {
                if let Some(mut problem) = layout::problem(module, &binding.elem) {
                    if problem.span == Span::NONE {
                        problem.span = binding.span;
                    }
                    problems.push(problem);
                }
            }
            Type::Packed(_) if binding.writable => {
                problems.push(
                    Diagnostic::new(binding.span, "packed weights are read-only")
                        .help("take them as `&[Packed<F>]`"),
                );
            }
            _ => {}
        }
    }
    for param in &kernel.params {
        if let Some(mut problem) = param::problem(module, &param.ty) {
            if problem.span == Span::NONE {
                problem.span = param.span;
            }
            problems.push(problem);
        }
    }
    // A parameter that was refused may be the output.
    let is_whole = kernel
        .function
        .locals
        .iter()
        .all(|local| local.ty != Type::Error);
    if is_whole && !kernel.bindings.iter().any(|binding| binding.writable) {
        let diagnostic = Diagnostic::new(
            kernel.function.span,
            "this kernel writes nothing: it has no `&mut [T]` parameter",
        );
        problems.push(diagnostic.help("take the output as `y: &mut [f32]`"));
    }
    problems
}
