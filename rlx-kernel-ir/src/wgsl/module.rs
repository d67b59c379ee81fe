//! A whole module: bindings, params, consts, helpers, entry point.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use super::extension::enabled;
use super::function::{FunctionPrinter, PrintedFunction};
use super::load::LoadHelper;
use super::name::{Names, unique};
use super::text::{Marks, Text};
use super::trace::Tracing;
use crate::builtin::Input;
use crate::diagnostic::Diagnostic;
use crate::expr::Expr;
use crate::generic::Argument;
use crate::infer::{Instance, Typed};
use crate::item::{Function, Item, ItemId, Kernel, Module, Struct};
use crate::trace::Sites;
use crate::types::{Source, Type};

/// A printed kernel.
#[derive(Clone, Debug)]
pub struct Printed {
    /// The module in its native header and split form.
    pub text: Text,
    /// The variables of the bindings.
    pub variables: Vec<String>,
    /// The tables that are bound after the params, and their variables.
    pub tables: Vec<(usize, String)>,
    /// The types that the params are declared by.
    pub params: Vec<String>,
    /// The entry point.
    pub entry: String,
    /// Values of the invocation that the entry point takes.
    pub inputs: BTreeSet<Input>,
    /// The overrides that are declared, by name.
    pub overrides: BTreeMap<ItemId, String>,
}

/// Module-level facts that function printers share.
pub(super) struct Context<'m> {
    pub module: &'m Module,
    pub typed: &'m Typed,
    pub marks: Marks,
    pub names: Names,
    /// The entry point's name.
    pub entry: String,
    pub bindings: Vec<String>,
    pub workgroup: Vec<String>,
    pub tables: Vec<String>,
    /// The structs that are declared once more for the params, and their names there.
    pub mirrors: Vec<(ItemId, String)>,
    pub instances: Vec<String>,
    pub consts: HashMap<ItemId, String>,
    /// Helpers that have been printed, by their places among the instances.
    printed: Vec<OnceCell<PrintedFunction>>,
    /// How traces are kept, in the traced text of a kernel.
    pub tracing: Option<Tracing>,
}

impl<'m> Context<'m> {
    fn new(module: &'m Module, typed: &'m Typed, (marks, sites): (Marks, Option<&Sites>)) -> Self {
        let mut names = Names::new();
        let mut fresh = |name: &str| {
            let name = unique(name, |candidate| names.contains(candidate));
            names.insert(name.clone());
            name
        };
        let kernel = module.kernel.as_ref();
        // Values of the invocation keep their names for themselves.
        for builtin in crate::builtin::BUILTINS {
            if let crate::builtin::Spelling::Input(input) = builtin.wgsl {
                fresh(input.name());
            }
        }
        for item in &module.items {
            if let Item::Printed(printed) = item {
                for (name, _) in &printed.texts {
                    fresh(name);
                }
            }
        }
        let bindings: Vec<String> = kernel.map_or_else(Vec::new, |kernel| {
            kernel
                .bindings
                .iter()
                .map(|binding| fresh(&binding.name))
                .collect()
        });
        for item in &module.items {
            if let Item::Struct(structure) = item {
                fresh(&structure.name);
            }
        }
        let params = kernel.map_or(&[][..], |kernel| &kernel.params);
        let mirrors = crate::param::mirrored(module, params).into_iter();
        let mirrors = mirrors.map(|id| {
            let name = module.structure(id).map_or("", |structure| &structure.name);
            (id, fresh(&format!("{name}Param")))
        });
        let mirrors = mirrors.collect();
        let entry = kernel.map_or_else(String::new, |kernel| fresh(&kernel.function.wgsl_name));
        let workgroup: Vec<String> = kernel.map_or_else(Vec::new, |kernel| {
            kernel
                .workgroup
                .iter()
                .map(|var| fresh(&var.name))
                .collect()
        });
        let tables = module
            .tables
            .iter()
            .map(|table| fresh(&table.name))
            .collect();
        let consts = typed
            .consts
            .keys()
            .filter_map(|id| match &module.items[id.0] {
                Item::Const(item) => Some((*id, fresh(&item.name))),
                Item::Override(item) => Some((*id, fresh(&item.name))),
                _ => None,
            })
            .collect();
        let mut count: BTreeMap<ItemId, usize> = BTreeMap::new();
        for instance in &typed.instances {
            *count.entry(instance.item).or_default() += 1;
        }
        let instances = typed
            .instances
            .iter()
            .map(|instance| {
                let mut name = instance.function.wgsl_name.clone();
                if count[&instance.item] > 1 {
                    for argument in differing(typed, instance) {
                        let _ = write!(name, "_{}", module.spell(argument).to_lowercase());
                    }
                    let alike = |other: &&Instance| {
                        other.item == instance.item && other.arguments == instance.arguments
                    };
                    let ambiguous = typed.instances.iter().filter(alike).count() > 1;
                    let sources = instance.sources.iter().flatten();
                    for source in sources.filter(|_| ambiguous) {
                        let _ = write!(name, "_{}", source_name(*source, &bindings, &workgroup));
                    }
                }
                fresh(&name)
            })
            .collect();
        // The buffer is the last binding of a traced module.
        let tracing = sites.map(|sites| Tracing {
            sites: sites.clone(),
            buffer: bindings.last().cloned().unwrap_or_default(),
            record: fresh("trace_record"),
        });
        Self {
            module,
            typed,
            marks,
            names,
            entry,
            bindings,
            workgroup,
            tables,
            mirrors,
            instances,
            consts,
            printed: vec![OnceCell::new(); typed.instances.len()],
            tracing,
        }
    }

    pub fn source(&self, source: Source) -> &str {
        match source {
            Source::Table(index) => self.tables.get(index).map_or("", String::as_str),
            _ => source_name(source, &self.bindings, &self.workgroup),
        }
    }

    /// A helper, printed when it is first asked for.
    pub fn printed(&self, index: usize) -> Result<&PrintedFunction, Vec<Diagnostic>> {
        static NONE: PrintedFunction = PrintedFunction::NONE;
        let (Some(cell), Some(instance)) =
            (self.printed.get(index), self.typed.instances.get(index))
        else {
            return Ok(&NONE);
        };
        if let Some(printed) = cell.get() {
            return Ok(printed);
        }
        let name = self.instances.get(index).map_or("", String::as_str);
        let printed = FunctionPrinter::new(self, &instance.function).helper(name)?;
        Ok(cell.get_or_init(|| printed))
    }

    /// What `roots` reach, in the order of printing.
    fn reachable(&self, roots: &PrintedFunction) -> Vec<&PrintedFunction> {
        let mut seen: BTreeSet<usize> = roots.calls.clone();
        let mut queue: Vec<usize> = roots.calls.iter().copied().collect();
        let printed = |index: usize| self.printed.get(index).and_then(OnceCell::get);
        while let Some(index) = queue.pop() {
            for call in printed(index).iter().flat_map(|printed| &printed.calls) {
                if seen.insert(*call) {
                    queue.push(*call);
                }
            }
        }
        seen.into_iter().filter_map(printed).collect()
    }

    /// The value of a const, and the consts that it names; `None` for what is no const.
    fn constant(&self, id: ItemId) -> Result<Option<(Text, BTreeSet<ItemId>)>, Vec<Diagnostic>> {
        let (Some(Item::Const(item)), Some(value)) =
            (self.module.items.get(id.0), self.typed.consts.get(&id))
        else {
            return Ok(None);
        };
        let function = Function {
            name: item.name.clone(),
            wgsl_name: item.name.clone(),
            ret: item.ty.clone(),
            span: value.span,
            origin: item.origin.clone(),
            ..Function::default()
        };
        FunctionPrinter::new(self, &function)
            .constant(value)
            .map(Some)
    }

    /// Adds the consts that those in `used` name.
    fn add_named(&self, used: &mut BTreeSet<ItemId>) -> Result<(), Vec<Diagnostic>> {
        let mut queue: Vec<ItemId> = used.iter().copied().collect();
        while let Some(id) = queue.pop() {
            if let Some((_, named)) = self.constant(id)? {
                queue.extend(named.into_iter().filter(|id| used.insert(*id)));
            }
        }
        Ok(())
    }

    fn print_consts(
        &self,
        used: &BTreeSet<ItemId>,
        text: &mut Text,
    ) -> Result<(), Vec<Diagnostic>> {
        for id in used {
            if let Some(item) = self.module.overridden(*id) {
                let (name, ty) = (&self.consts[id], item.ty.name());
                let start = text.len();
                text.push(&format!(
                    "override {name}: {ty} = {};\n",
                    item.wgsl(item.default)
                ));
                text.mark_from(start, item.span);
                continue;
            }
            let (Item::Const(item), Some((value, _))) =
                (&self.module.items[id.0], self.constant(*id)?)
            else {
                continue;
            };
            text.push(&format!(
                "const {}: {} = ",
                self.consts[id],
                item.ty.wgsl().unwrap_or_default()
            ));
            text.append(&value);
            text.push(";\n");
        }
        if !used.is_empty() {
            text.push("\n");
        }
        Ok(())
    }
}

/// The size of a workgroup, as its attribute and in arithmetic.
pub(super) struct WorkgroupSize {
    /// `8, 8`
    pub dimensions: String,
    /// `64u`
    pub product: String,
}

impl Context<'_> {
    /// A size that may name overrides, and the consts that it names.
    fn size(
        &self,
        body: &Function,
        size: &Expr,
        consts: &mut BTreeSet<ItemId>,
    ) -> Result<Text, Vec<Diagnostic>> {
        let mut printer = FunctionPrinter::new(self, body);
        let text = printer.expr(size);
        if !printer.diagnostics.is_empty() {
            return Err(printer.diagnostics);
        }
        consts.extend(&printer.printed.consts);
        Ok(text)
    }

    fn workgroup_size(
        &self,
        kernel: &Kernel,
        body: &Function,
    ) -> Result<WorkgroupSize, Vec<Diagnostic>> {
        let mut dimensions = Vec::new();
        let (mut known, mut factors) = (1_u64, Vec::new());
        for (size, expr) in kernel.workgroup_size.iter().zip(&kernel.workgroup_exprs) {
            if let Some(expr) = expr {
                let text = self.size(body, expr, &mut BTreeSet::new())?;
                let text = text.as_str().to_string();
                factors.push(if text.contains(' ') {
                    format!("({text})")
                } else {
                    text.clone()
                });
                dimensions.push(text);
            } else {
                known *= u64::from(*size);
                dimensions.push(size.to_string());
            }
        }
        while dimensions.len() > 1 && dimensions.last().is_some_and(|size| size == "1") {
            dimensions.pop();
        }
        if known != 1 || factors.is_empty() {
            factors.push(format!("{known}u"));
        }
        Ok(WorkgroupSize {
            dimensions: dimensions.join(", "),
            product: factors.join(" * "),
        })
    }
}

/// The generic arguments of an instance that tell it from others of the same function.
fn differing<'t>(typed: &'t Typed, instance: &'t Instance) -> Vec<&'t Argument> {
    let others = typed
        .instances
        .iter()
        .filter(|other| other.item == instance.item);
    let others: Vec<_> = others.collect();
    let arguments = instance.arguments.iter().enumerate();
    let differs = |index: usize, argument: &Argument| {
        let mut same = others.iter().map(|other| other.arguments.get(index));
        same.any(|other| other != Some(argument))
    };
    arguments
        .filter(|(index, argument)| differs(*index, argument))
        .map(|(_, argument)| argument)
        .collect()
}

fn source_name<'a>(source: Source, bindings: &'a [String], workgroup: &'a [String]) -> &'a str {
    match source {
        Source::Binding(index) => bindings.get(index).map_or("", String::as_str),
        Source::Workgroup(index) => workgroup.get(index).map_or("", String::as_str),
        // No function takes a table.
        Source::Table(_) => "",
    }
}

/// Prints the kernel of `module`.
///
/// # Errors
/// What can only be seen while printing, such as an `#[unroll]` over bounds that are no constants.
pub fn print(module: &Module, typed: &Typed, marks: Marks) -> Result<Printed, Vec<Diagnostic>> {
    print_with(module, typed, (marks, None))
}

/// Prints the kernel of `module`, whose last binding keeps what the traces at `sites` show.
pub(crate) fn print_traced(
    module: &Module,
    typed: &Typed,
    sites: &Sites,
) -> Result<Printed, Vec<Diagnostic>> {
    print_with(module, typed, (Marks::Statements, Some(sites)))
}

fn print_with(
    module: &Module,
    typed: &Typed,
    how: (Marks, Option<&Sites>),
) -> Result<Printed, Vec<Diagnostic>> {
    let (Some(kernel), Some(body)) = (&module.kernel, &typed.kernel) else {
        return Err(vec![Diagnostic::new(
            crate::span::Span::NONE,
            "there is no kernel to print",
        )]);
    };
    let context = Context::new(module, typed, how);
    let entry = context.entry.clone();
    let size = context.workgroup_size(kernel, body)?;
    let main = FunctionPrinter::new(&context, body).entry(&entry, &size)?;
    let reached = context.reachable(&main);

    let mut consts = main.consts.clone();
    let mut sizes = Vec::new();
    for var in &kernel.workgroup {
        sizes.push(match &var.len {
            Some(len) => Some(context.size(body, len, &mut consts)?),
            None => None,
        });
    }
    for size in kernel.workgroup_exprs.iter().flatten() {
        context.size(body, size, &mut consts)?;
    }
    let mut texts: BTreeMap<&str, &str> = BTreeMap::new();
    let mut order = Vec::new();
    for id in &main.texts {
        if let Item::Printed(printed) = &module.items[id.0] {
            for (name, text) in &printed.texts {
                if texts.insert(name, text).is_none() {
                    order.push(text);
                }
            }
        }
    }
    let mut loads: BTreeSet<LoadHelper> = main.loads.clone();
    let mut tables = main.tables.clone();
    for function in &reached {
        consts.extend(&function.consts);
        loads.extend(function.loads.iter().cloned());
        tables.extend(&function.tables);
    }
    let mut text = Text::default();
    let tables: Vec<usize> = tables.into_iter().collect();
    let variables: Vec<&str> = tables
        .iter()
        .map(|table| context.tables[*table].as_str())
        .collect();
    print_bindings(kernel, &context.bindings, &variables, &mut text);
    context.print_params(kernel, &mut text);
    let mut body = Text::default();
    context.add_named(&mut consts)?;
    context.print_consts(&consts, &mut body)?;
    for ((var, name), len) in kernel.workgroup.iter().zip(&context.workgroup).zip(sizes) {
        let start = body.len();
        let ty = match (&var.ty, len) {
            (Type::Array(elem, _), Some(len)) => {
                format!(
                    "array<{}, {}>",
                    elem.wgsl().unwrap_or_default(),
                    len.as_str()
                )
            }
            (ty, _) => ty.wgsl().unwrap_or_default(),
        };
        body.push(&format!("var<workgroup> {name}: {ty};\n"));
        body.mark_from(start, var.span);
    }
    if !kernel.workgroup.is_empty() {
        body.push("\n");
    }
    if let Some(tracing) = &context.tracing {
        body.push(&tracing.print());
        body.push("\n");
    }
    for load in &loads {
        body.push(&load.print());
        body.push("\n");
    }
    for printed in order {
        body.push(printed);
        body.push("\n");
    }
    for function in &reached {
        body.append(&function.text);
        body.push("\n");
    }
    body.append(&main.text);
    print_structs(module, &used_structs(module, &[&text, &body]), &mut text);
    text.append(&body);
    let declared = consts.iter().filter(|id| module.overridden(**id).is_some());
    let overrides = declared
        .map(|id| (*id, context.consts[id].clone()))
        .collect();
    Ok(Printed {
        text: enabled(text),
        tables: tables
            .iter()
            .map(|table| (*table, context.tables[*table].clone()))
            .collect(),
        params: kernel
            .params
            .iter()
            .map(|param| context.declared(&param.held(), false))
            .collect(),
        variables: context.bindings,
        entry,
        inputs: main.inputs,
        overrides,
    })
}

/// Prints helpers alone, each with the name it is called by: what a region is composed of.
///
/// # Errors
/// As [`print()`].
pub fn print_functions(
    module: &Module,
    typed: &Typed,
    marks: Marks,
) -> Result<Vec<(String, Text)>, Vec<Diagnostic>> {
    let context = Context::new(module, typed, (marks, None));
    let mut all = Vec::new();
    let mut consts = BTreeSet::new();
    let printed = (0..typed.instances.len()).map(|index| context.printed(index));
    let printed: Vec<_> = printed.collect::<Result<_, _>>()?;
    for printed in &printed {
        consts.extend(printed.consts.iter().copied());
    }
    context.add_named(&mut consts)?;
    for id in &consts {
        let mut text = Text::default();
        context.print_consts(&BTreeSet::from([*id]), &mut text)?;
        all.push((context.consts[id].clone(), text));
    }
    for (name, printed) in context.instances.iter().zip(&printed) {
        all.push((name.clone(), printed.text.clone()));
    }
    Ok(all)
}

fn print_bindings(kernel: &Kernel, variables: &[String], tables: &[&str], text: &mut Text) {
    for (index, (binding, variable)) in kernel.bindings.iter().zip(variables).enumerate() {
        let access = if binding.writable {
            "read_write"
        } else {
            "read"
        };
        let element = element(&binding.elem);
        let start = text.len();
        text.push(&format!(
            "@group(0) @binding({index}) var<storage, {access}> {variable}: array<{element}>;\n"
        ));
        text.mark_from(start, binding.span);
    }
    if !kernel.params.is_empty() {
        text.push(&format!(
            "@group(0) @binding({}) var<uniform> params: Params;\n",
            kernel.bindings.len()
        ));
    }
    let first = kernel.bindings.len() + usize::from(!kernel.params.is_empty());
    for (index, table) in (first..).zip(tables) {
        text.push(&format!(
            "@group(0) @binding({index}) var<storage, read> {table}: array<u32>;\n"
        ));
    }
    text.push("\n");
}

/// The element of a binding in WGSL; packed weights are words.
pub(crate) fn element(elem: &Type) -> String {
    match elem {
        Type::Packed(_) => "u32".into(),
        other => other.wgsl().unwrap_or_default(),
    }
}

/// The structs of a module that `texts` name, or others of them.
fn used_structs(module: &Module, texts: &[&Text]) -> Vec<ItemId> {
    let structs = module.items.iter().enumerate();
    let mut left: Vec<_> = structs
        .filter_map(|(index, item)| match item {
            Item::Struct(structure) => Some((ItemId(index), structure)),
            _ => None,
        })
        .collect();
    let mut used: Vec<(ItemId, &Struct)> = Vec::new();
    loop {
        let is_used = |(id, structure): &(ItemId, &Struct)| {
            let mut fields = used.iter().flat_map(|(_, known)| &known.fields);
            texts
                .iter()
                .any(|text| has_word(text.as_str(), &structure.name))
                || fields.any(|(_, ty)| names(ty, *id))
        };
        let (found, rest): (Vec<_>, Vec<_>) = left.into_iter().partition(is_used);
        if found.is_empty() {
            break;
        }
        used.extend(found);
        left = rest;
    }
    let mut used: Vec<_> = used.into_iter().map(|(id, _)| id).collect();
    used.sort_unstable();
    used
}

/// Whether a type is a struct, or an array of it.
fn names(ty: &Type, structure: ItemId) -> bool {
    match ty {
        Type::Struct(id, _) => *id == structure,
        Type::Array(elem, _) => names(elem, structure),
        _ => false,
    }
}

/// Whether `word` stands in `text` by itself.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |char: char| char.is_alphanumeric() || char == '_';
    text.match_indices(word).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        !before.ends_with(is_part) && !after.starts_with(is_part)
    })
}

/// Every struct of a module.
pub(crate) fn print_all_structs(module: &Module, text: &mut Text) {
    let all: Vec<_> = (0..module.items.len()).map(ItemId).collect();
    print_structs(module, &all, text);
}

fn print_structs(module: &Module, structs: &[ItemId], text: &mut Text) {
    for id in structs {
        if let Some(structure) = module.structure(*id)
            && !structure.fields.is_empty()
        {
            text.push(&format!("struct {} {{\n", structure.name));
            for (field, ty) in &structure.fields {
                let field = super::name::spell(field);
                text.push(&format!(
                    "    {field}: {},\n",
                    ty.wgsl().unwrap_or_default()
                ));
            }
            text.push("}\n\n");
        }
    }
}
