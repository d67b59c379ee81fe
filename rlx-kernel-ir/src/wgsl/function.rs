//! One function.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::load::LoadHelper;
use super::module::{Context, WorkgroupSize};
use super::name::unique;
use super::text::Text;
use crate::builtin::Input;
use crate::consteval::Env;
use crate::diagnostic::Diagnostic;
use crate::expr::Expr;
use crate::item::{Function, ItemId, LocalId};
use crate::types::Type;

/// A function's text and what it refers to.
#[derive(Clone, Debug, Default)]
pub(super) struct PrintedFunction {
    pub text: Text,
    pub calls: BTreeSet<usize>,
    pub inputs: BTreeSet<Input>,
    pub loads: BTreeSet<LoadHelper>,
    pub consts: BTreeSet<ItemId>,
    pub tables: BTreeSet<usize>,
    /// Functions in printed form.
    pub texts: BTreeSet<ItemId>,
}

impl PrintedFunction {
    /// Nothing.
    pub const NONE: Self = Self {
        text: Text::NONE,
        calls: BTreeSet::new(),
        inputs: BTreeSet::new(),
        loads: BTreeSet::new(),
        consts: BTreeSet::new(),
        tables: BTreeSet::new(),
        texts: BTreeSet::new(),
    };
}

/// Prints one function.
pub(super) struct FunctionPrinter<'c, 'm> {
    pub context: &'c Context<'m>,
    pub function: &'c Function,
    pub out: Text,
    pub indent: usize,
    /// Names of the open scopes, innermost last.
    pub scopes: Vec<Vec<String>>,
    /// The names of the function's variables, by their numbers.
    pub locals: Vec<String>,
    /// Values of unrolled loop variables.
    pub env: Env,
    pub printed: PrintedFunction,
    pub diagnostics: Vec<Diagnostic>,
    /// Loops around the statement at hand that exist in WGSL, innermost last; `false` for an
    /// unrolled one.
    pub loops: Vec<bool>,
}

impl<'c, 'm> FunctionPrinter<'c, 'm> {
    pub fn new(context: &'c Context<'m>, function: &'c Function) -> Self {
        Self {
            context,
            function,
            out: Text::default(),
            indent: 1,
            scopes: vec![Vec::new()],
            locals: vec![String::new(); function.locals.len()],
            env: Env::new(),
            printed: PrintedFunction::default(),
            diagnostics: Vec::new(),
            loops: Vec::new(),
        }
    }

    /// A name for a new variable in the innermost scope.
    pub fn fresh(&mut self, name: &str) -> String {
        let names = &self.context.names;
        let scopes = &self.scopes;
        let name = unique(name, |candidate| {
            names.contains(candidate) || scopes.iter().flatten().any(|name| name == candidate)
        });
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(name.clone());
        }
        name
    }

    pub fn declare(&mut self, local: LocalId) -> String {
        let name = self
            .function
            .locals
            .get(local.0)
            .map_or("value", |local| local.name.as_str());
        let name = self.fresh(name);
        if let Some(known) = self.locals.get_mut(local.0) {
            known.clone_from(&name);
        }
        name
    }

    /// The WGSL of a type; empty for what has none, which inference has reported.
    pub fn type_name(ty: &Type) -> String {
        ty.wgsl().unwrap_or_default()
    }

    fn finish(mut self, head: &Text) -> Result<PrintedFunction, Vec<Diagnostic>> {
        if !self.diagnostics.is_empty() {
            return Err(self.diagnostics);
        }
        let start = self.printed.text.len();
        let mut text = std::mem::take(&mut self.printed.text);
        text.append(head);
        text.append(&self.out);
        text.push("}\n");
        text.mark_from(start, self.function.span);
        self.printed.text = text;
        Ok(self.printed)
    }

    /// A helper of the given name.
    pub fn helper(mut self, name: &str) -> Result<PrintedFunction, Vec<Diagnostic>> {
        let function = self.function;
        let mut params: Vec<String> = function
            .params
            .iter()
            .map(|param| {
                format!(
                    "{}: {}",
                    self.declare(param.local),
                    Self::type_name(&param.ty)
                )
            })
            .collect();
        self.body(&function.body, &function.ret);
        for input in &self.printed.inputs {
            let ty = if input.is_vector() { "vec3u" } else { "u32" };
            params.push(format!("{}: {ty}", input.name()));
        }
        let ret = match &function.ret {
            Type::Unit => String::new(),
            ret => format!(" -> {}", Self::type_name(ret)),
        };
        let head = Text::new(format!("fn {name}({}){ret} {{\n", params.join(", ")));
        self.finish(&head)
    }

    /// The entry point.
    pub fn entry(
        mut self,
        name: &str,
        size: &WorkgroupSize,
    ) -> Result<PrintedFunction, Vec<Diagnostic>> {
        let function = self.function;
        self.body(&function.body, &Type::Unit);
        let mut taken: BTreeSet<Input> = BTreeSet::new();
        for input in &self.printed.inputs {
            match input.made_from() {
                [] => {
                    taken.insert(*input);
                }
                parts => taken.extend(parts),
            }
        }
        let params: Vec<String> = taken
            .iter()
            .map(|input| {
                let ty = if input.is_vector() { "vec3u" } else { "u32" };
                format!(
                    "@builtin({}) {}: {ty}",
                    input.attribute().unwrap_or_default(),
                    input.name()
                )
            })
            .collect();
        let WorkgroupSize {
            dimensions,
            product,
        } = size;
        let mut head = format!("@compute @workgroup_size({dimensions})\nfn {name}(");
        if params.len() < 2 {
            head.push_str(&params.join(""));
        } else {
            for param in &params {
                head.push_str("\n    ");
                head.push_str(param);
                head.push(',');
            }
            head.push('\n');
        }
        head.push_str(") {\n");
        let made = "workgroup_id.x + workgroup_id.y * num_workgroups.x";
        if self.printed.inputs.contains(&Input::WorkgroupIndex) {
            let _ = writeln!(head, "    let workgroup_index = {made};");
        }
        if self.printed.inputs.contains(&Input::GlobalIndex) {
            let _ = writeln!(
                head,
                "    let global_index = ({made}) * {product} + local_index;"
            );
        }
        self.finish(&Text::new(head))
    }

    /// The value of a const, and the consts that it names.
    pub fn constant(mut self, value: &Expr) -> Result<(Text, BTreeSet<ItemId>), Vec<Diagnostic>> {
        let text = self.expr(value);
        if self.diagnostics.is_empty() && self.out.is_empty() {
            return Ok((text, self.printed.consts));
        }
        self.diagnostics.push(Diagnostic::new(
            value.span,
            "a const is a plain expression, without `if` or blocks",
        ));
        Err(self.diagnostics)
    }
}
