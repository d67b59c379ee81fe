//! `trace!`: nothing in the plain text of a kernel, a record of its buffer in the traced one.

use std::fmt::Write as _;

use super::function::FunctionPrinter;
use super::stmt::Target;
use super::text::Text;
use crate::builtin::Input;
use crate::expr::Expr;
use crate::trace::{HEAD, Site, Sites};
use crate::types::{Scalar, Type};

/// What a traced module declares for its records.
#[derive(Clone, Debug)]
pub(super) struct Tracing {
    pub sites: Sites,
    /// The buffer's variable.
    pub buffer: String,
    /// The function that adds a record to it.
    pub record: String,
}

impl Tracing {
    /// The function that adds a record. The count goes on where the buffer is full, so that the host
    /// knows what is missing; it stops long before it would begin anew.
    pub fn print(&self) -> String {
        let Self { buffer, record, .. } = self;
        let words = self.sites.words();
        let size = HEAD + words;
        let params: Vec<String> = (0..words)
            .map(|word| format!("value_{word}: u32"))
            .collect();
        let mut text = format!(
            "fn {record}(site: u32, workgroup: vec3u, invocation: u32, {}) {{\n    \
             if atomicLoad(&{buffer}[0]) >= 0x80000000u {{\n        return;\n    }}\n    \
             let index = atomicAdd(&{buffer}[0], 1u);\n    \
             if index >= (arrayLength(&{buffer}) - 1u) / {size}u {{\n        return;\n    }}\n    \
             let at = 1u + index * {size}u;\n",
            params.join(", ")
        );
        let head = [
            "site",
            "workgroup.x",
            "workgroup.y",
            "workgroup.z",
            "invocation",
        ];
        let values = (0..words).map(|word| format!("value_{word}"));
        for (offset, word) in head.into_iter().map(String::from).chain(values).enumerate() {
            let at = if offset == 0 {
                "at".into()
            } else {
                format!("at + {offset}u")
            };
            let _ = writeln!(text, "    atomicStore(&{buffer}[{at}], {word});");
        }
        text.push_str("}\n");
        text
    }
}

impl FunctionPrinter<'_, '_> {
    /// `trace!(value)` as a statement.
    pub fn trace(&mut self, trace: &Expr, args: &[Expr]) {
        let context = self.context;
        let site = Site::of(context.module, context.typed, self.function, trace);
        let place = context.tracing.as_ref().and_then(|tracing| {
            let site = site?;
            let index = tracing.sites.all.iter().position(|known| *known == site)?;
            Some((tracing, index, site))
        });
        let Some((tracing, index, site)) = place else {
            // What it shows is computed where that does something.
            for arg in args {
                if self.has_effects(arg) {
                    self.value(arg, Target::Discard);
                }
            }
            return;
        };
        let Some(value) = args.first() else { return };
        let (text, name) = (self.expr(value), self.fresh("traced"));
        let mut line = Text::new(format!("let {name}: {} = ", Self::type_name(&value.ty)));
        line.append(&text);
        line.push(";");
        self.line(&line.marked(trace.span));
        let components: Vec<String> = match value.ty {
            Type::Vector(..) => ["x", "y", "z", "w"]
                .iter()
                .take(site.components as usize)
                .map(|component| format!("{name}.{component}"))
                .collect(),
            _ => vec![name],
        };
        let mut words: Vec<String> = components
            .iter()
            .flat_map(|component| bits(site.scalar, component))
            .collect();
        words.resize(tracing.sites.words() as usize, "0u".into());
        let inputs = [Input::WorkgroupId, Input::LocalIndex];
        self.printed.inputs.extend(inputs);
        let [workgroup, invocation] = inputs.map(Input::name);
        let call = format!(
            "{}({index}u, {workgroup}, {invocation}, {});",
            tracing.record,
            words.join(", ")
        );
        self.line(&Text::new(call).marked(trace.span));
    }
}

/// The words of a scalar. A half is kept as the float of its value.
fn bits(scalar: Scalar, value: &str) -> Vec<String> {
    match scalar {
        Scalar::U32 => vec![value.to_string()],
        Scalar::F32 | Scalar::I32 => vec![format!("bitcast<u32>({value})")],
        Scalar::F16 => vec![format!("bitcast<u32>(f32({value}))")],
        Scalar::Bool => vec![format!("u32({value})")],
        Scalar::I64 | Scalar::U64 => {
            vec![format!("u32({value})"), format!("u32({value} >> 32u)")]
        }
    }
}
