//! What a compiled kernel is.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::cost::Cost;
use crate::matrix::MatrixShape;
use crate::overrides::{Override, Workgroup};
use crate::proof::Proof;
use crate::traced::Traced;

/// A compiled kernel instance: one WGSL module with one entry point, and every fact that a host
/// needs to run it. `#[kernel]` makes them as statics; regions fused at graph compile time are made
/// at run time.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelInfo {
    /// The kernel's name: the Rust function's.
    pub name: Cow<'static, str>,
    /// The entry point's name in the WGSL.
    pub entry: Cow<'static, str>,
    /// The instance of a generic kernel, such as `Q4_K`; empty for a kernel that is not generic.
    pub instance: Cow<'static, str>,
    /// The file that holds the spec, as rustc names it.
    pub file: Cow<'static, str>,
    /// The line of the spec's name in that file, from 1.
    pub line: u32,
    /// Storage bindings in order; the params, where there are any, follow as the last binding.
    pub bindings: Cow<'static, [Binding]>,
    /// Fields of the params struct, in order.
    pub params: Cow<'static, [ParamField]>,
    /// Tables that the kernel reads, in order: read-only storage bindings after the params.
    pub tables: Cow<'static, [Table]>,
    /// Bytes of the params struct, padding included; 0 where the kernel has none.
    pub params_size: u32,
    /// Invocations a workgroup, by dimension, with the defaults of overrides.
    pub workgroup_size: [u32; 3],
    /// Bytes of workgroup memory, with the defaults of overrides.
    pub workgroup_bytes: u32,
    /// Const parameters with declared values, and this instance's.
    pub numbers: Cow<'static, [(Cow<'static, str>, i64)]>,
    /// Const parameters that are set when a pipeline is made, in order.
    pub overrides: Cow<'static, [Override]>,
    /// What they change about the workgroup; none where there are none.
    pub workgroup: Option<Workgroup>,
    /// Device features that the kernel cannot do without, derived from its validated module.
    pub features: Features,
    /// Products of matrices that the device must have, derived from the kernel's body.
    pub matrices: Cow<'static, [MatrixShape]>,
    /// Whether the kernel finds its place by `workgroup_index` or `global_index` alone, so that a
    /// long one-dimensional grid may be folded into two dimensions.
    pub linear: bool,
    /// Limits that must be higher than every device has them; derived from what the kernel is.
    pub limits: Cow<'static, [RequiredLimit]>,
    /// What is proved of its indices and loops.
    pub proof: Proof,
    /// What an invocation costs.
    pub cost: Cost,
    /// The WGSL module for naga, in split form; [`KernelInfo::wgsl()`] and
    /// [`KernelInfo::wgsl_for_web()`] give the others.
    pub wgsl: Cow<'static, str>,
    /// FNV-1a hash of the native WGSL: the key of caches and of snapshots.
    pub hash: u64,
    /// The program of the CPU twin, which [`simulate`](crate::simulate) runs.
    pub twin: Cow<'static, [u8]>,
    /// The text that keeps what `trace!` shows, where the kernel says it: for a run that asks for it.
    pub traced: Option<Traced>,
}

/// One storage binding, `@group(0)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The Rust parameter's name.
    pub name: Cow<'static, str>,
    /// The variable's name in the WGSL.
    pub variable: Cow<'static, str>,
    /// Element type in WGSL, such as `f32` or `vec4f`; packed weights are `u32` words.
    pub element: Cow<'static, str>,
    /// Bytes from one element to the next.
    pub stride: u32,
    /// Whether the kernel writes it (`&mut [T]`).
    pub writable: bool,
}

/// A table of a format: a storage binding that the executor fills by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The variable's name in the WGSL.
    pub variable: Cow<'static, str>,
    /// Its words.
    pub words: Cow<'static, [u32]>,
}

/// One field of the params struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamField {
    /// The Rust parameter's name.
    pub name: Cow<'static, str>,
    /// WGSL type.
    pub ty: Cow<'static, str>,
    /// Byte offset in the struct.
    pub offset: u32,
    /// Bytes.
    pub size: u32,
}

/// A limit that a kernel needs to be higher than every device has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequiredLimit {
    /// Its name in `#[kernel(limits(..))]`: `workgroup_bytes`, `invocations` or `bindings`.
    pub name: Cow<'static, str>,
    /// What the kernel needs.
    pub needed: u32,
    /// What every device has.
    pub default: u32,
}

/// Why a kernel has no text for browsers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no browser runs kernel `{kernel}`: it needs the features {}", needed.describe())]
pub struct NotOnTheWeb {
    /// The kernel.
    pub kernel: String,
    /// What it cannot do without.
    pub needed: Features,
}

/// Device features that a kernel needs beyond WebGPU's core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::struct_excessive_bools, reason = "each is a feature by itself")]
pub struct Features {
    /// Subgroup operations.
    pub subgroup: bool,
    /// The `f16` type.
    pub f16: bool,
    /// Integers of 64 bits.
    pub int64: bool,
    /// Matrices that a subgroup holds.
    pub matrix: bool,
}

impl Features {
    /// No feature at all.
    pub const NONE: Self = Self {
        subgroup: false,
        f16: false,
        int64: false,
        matrix: false,
    };

    /// Whether a device with `available` can run what needs `self`.
    pub fn within(self, available: Self) -> bool {
        let all = self.named().into_iter().zip(available.named());
        all.into_iter()
            .all(|((needed, _), (has, _))| has || !needed)
    }

    /// Whether there are browsers that have them all.
    pub fn on_the_web(self) -> bool {
        !self.int64 && !self.matrix
    }

    fn named(self) -> [(bool, &'static str); 4] {
        [
            (self.subgroup, "subgroups"),
            (self.f16, "f16"),
            (self.int64, "int64"),
            (self.matrix, "cooperative matrices"),
        ]
    }

    /// The names of the features, such as `subgroups, f16`; `none` for none.
    pub fn describe(self) -> String {
        let names: Vec<_> = self
            .named()
            .into_iter()
            .filter_map(|(on, name)| on.then_some(name))
            .collect();
        if names.is_empty() {
            "none".into()
        } else {
            names.join(", ")
        }
    }
}

/// A set of bindings of one kernel, by index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BindingSet(pub u32);

impl BindingSet {
    /// No binding: the `split` form, in which inputs are `read`.
    pub const NONE: Self = Self(0);
    /// Every binding: the `arena` form, in which all storage is `read_write`, so that windows of one
    /// buffer may be bound together.
    pub const ALL: Self = Self(u32::MAX);

    /// Whether binding `index` is in the set.
    pub fn contains(self, index: usize) -> bool {
        index < 32 && self.0 >> index & 1 == 1
    }

    /// The set with binding `index` added.
    #[must_use]
    pub fn with(self, index: usize) -> Self {
        Self(self.0 | 1 << index)
    }
}

impl KernelInfo {
    /// `name` or `name::INSTANCE`, as the command line and the snapshots spell it.
    pub fn label(&self) -> String {
        if self.instance.is_empty() {
            self.name.to_string()
        } else {
            format!("{}::{}", self.name, self.instance)
        }
    }

    /// The value of the const parameter `name` of this instance; 0 where it has none of that name.
    pub fn number(&self, name: &str) -> u32 {
        let number = self.numbers.iter().find(|(number, _)| number == name);
        let value = number.and_then(|(_, value)| u32::try_from(*value).ok());
        value.unwrap_or(0)
    }

    /// The defaults of the overrides, in order.
    pub fn defaults(&self) -> Vec<i64> {
        self.overrides.iter().map(|item| item.default).collect()
    }

    /// Invocations a workgroup with these values of the overrides; none where a dimension is empty or
    /// past 32 bits.
    pub fn workgroup_size_with(&self, overrides: &[i64]) -> Option<[u32; 3]> {
        let Some(workgroup) = &self.workgroup else {
            return Some(self.workgroup_size);
        };
        let mut out = [1; 3];
        for (out, formula) in out.iter_mut().zip(&workgroup.size) {
            let size = formula.value(overrides).filter(|size| *size > 0)?;
            *out = u32::try_from(size).ok()?;
        }
        Some(out)
    }

    /// Bytes of workgroup memory with these values of the overrides; none where a
    /// length is no number.
    pub fn workgroup_bytes_with(&self, overrides: &[i64]) -> Option<u64> {
        match &self.workgroup {
            None => Some(u64::from(self.workgroup_bytes)),
            Some(workgroup) => workgroup.bytes.value(overrides),
        }
    }

    /// The overrides in words: `ROWS = 4, WIDE = 1`.
    pub fn describe_overrides(&self, values: &[i64]) -> String {
        let pairs = self.overrides.iter().zip(values);
        let pairs = pairs.map(|(item, value)| format!("{} = {value}", item.name));
        pairs.collect::<Vec<_>>().join(", ")
    }

    /// The `@binding` of the first table: after the params, also where those are immediates.
    pub fn first_table(&self) -> usize {
        self.bindings.len() + usize::from(self.params_size > 0)
    }

    /// The whole WGSL module, as naga reads it.
    ///
    /// Inputs in `shared` are declared `read_write` although the kernel only reads them: WebGPU lets
    /// one dispatch bind windows of one buffer together only if all of them are.
    pub fn wgsl(&self, shared: BindingSet) -> String {
        let mut text = self.wgsl.to_string();
        for (index, binding) in self.bindings.iter().enumerate() {
            if !binding.writable && shared.contains(index) {
                let declaration = format!("@binding({index}) var<storage, read>");
                text = text.replacen(
                    &declaration,
                    &format!("@binding({index}) var<storage, read_write>"),
                    1,
                );
            }
        }
        text
    }

    /// The whole WGSL module for browsers, which demand that subgroup operations be enabled.
    ///
    /// # Errors
    /// [`NotOnTheWeb`] where no browser has a feature that the kernel needs.
    pub fn wgsl_for_web(&self, shared: BindingSet) -> Result<String, NotOnTheWeb> {
        if !self.features.on_the_web() {
            return Err(NotOnTheWeb {
                kernel: self.label(),
                needed: self.features,
            });
        }
        let text = self.wgsl(shared);
        Ok(if self.features.subgroup {
            format!("enable subgroups;\n{text}")
        } else {
            text
        })
    }

    /// The native module with the params in immediates (push constants) instead of a uniform buffer: the
    /// same struct, which a dispatch hands over with its commands. `None` where there are no params, and
    /// where they hold an `f16`, which immediates cannot.
    pub fn wgsl_with_immediates(&self, shared: BindingSet) -> Option<String> {
        let has_halves = self.params.iter().any(|field| {
            field.ty == "f16" || field.ty.starts_with("vec") && field.ty.ends_with('h')
        });
        if self.params_size == 0 || has_halves {
            return None;
        }
        let index = self.bindings.len();
        let uniform = format!("@group(0) @binding({index}) var<uniform> params");
        let text = self.wgsl(shared);
        text.contains(&uniform)
            .then(|| text.replacen(&uniform, "var<immediate> params", 1))
    }

    /// The limits that the kernel raises, such as `workgroup_bytes 32768 (every device has 16384)`;
    /// empty for a kernel that runs on every device.
    pub fn describe_limits(&self) -> String {
        let limits = self.limits.iter().map(|limit| {
            let RequiredLimit {
                name,
                needed,
                default,
            } = limit;
            format!("{name} {needed} (every device has {default})")
        });
        limits.collect::<Vec<_>>().join(", ")
    }

    /// What a kernel that did not compile leaves behind, so that its users are not reported too.
    #[doc(hidden)]
    pub const BROKEN: Self = Self {
        name: Cow::Borrowed(""),
        entry: Cow::Borrowed(""),
        instance: Cow::Borrowed(""),
        file: Cow::Borrowed(""),
        line: 0,
        bindings: Cow::Borrowed(&[]),
        params: Cow::Borrowed(&[]),
        tables: Cow::Borrowed(&[]),
        params_size: 0,
        workgroup_size: [1, 1, 1],
        workgroup_bytes: 0,
        numbers: Cow::Borrowed(&[]),
        overrides: Cow::Borrowed(&[]),
        workgroup: None,
        features: Features::NONE,
        matrices: Cow::Borrowed(&[]),
        linear: false,
        limits: Cow::Borrowed(&[]),
        proof: Proof::NONE,
        cost: Cost::UNKNOWN,
        wgsl: Cow::Borrowed(""),
        hash: 0,
        twin: Cow::Borrowed(&[]),
        traced: None,
    };

    /// The facts of the kernel as WGSL comments: what a reviewer wants to see above the code.
    pub fn facts(&self) -> String {
        let mut text = String::new();
        let [x, y, z] = self.workgroup_size;
        let _ = writeln!(text, "// kernel      {}", self.label());
        let _ = writeln!(text, "// source      {}:{}", self.file, self.line);
        let _ = writeln!(
            text,
            "// workgroup   {x} x {y} x {z} invocations, {} bytes of memory",
            self.workgroup_bytes
        );
        for item in self.overrides.iter() {
            let _ = writeln!(
                text,
                "// override    {}: {} = {}",
                item.name, item.ty, item.default
            );
        }
        let _ = writeln!(text, "// features    {}", self.features.describe());
        if !self.matrices.is_empty() {
            let shapes = MatrixShape::list(&self.matrices);
            let _ = writeln!(text, "// matrices    {shapes}");
        }
        if !self.limits.is_empty() {
            let _ = writeln!(text, "// limits      {}", self.describe_limits());
        }
        for (index, binding) in self.bindings.iter().enumerate() {
            let access = if binding.writable {
                "read_write"
            } else {
                "read"
            };
            let _ = writeln!(
                text,
                "// binding {index}   {}: {} x {} bytes, {access}",
                binding.name, binding.element, binding.stride
            );
        }
        for field in self.params.iter() {
            let _ = writeln!(
                text,
                "// param       {}: {} at byte {}",
                field.name, field.ty, field.offset
            );
        }
        for table in self.tables.iter() {
            let _ = writeln!(
                text,
                "// table       {}: {} words",
                table.variable,
                table.words.len()
            );
        }
        let _ = writeln!(
            text,
            "// grid        {}",
            if self.linear {
                "linear, folded past 65535 workgroups"
            } else {
                "by dimension"
            }
        );
        let least = if self.cost.open { " at least" } else { "" };
        for (what, amount) in [
            ("flops", &self.cost.flops),
            ("bytes read", &self.cost.read),
            ("bytes written", &self.cost.written),
        ] {
            let amount = amount.describe(self);
            let _ = writeln!(text, "// cost        an invocation{least}: {amount} {what}");
        }
        let proved = |holds, yes, no| if holds { yes } else { no };
        let _ = writeln!(
            text,
            "// proof       {}, {}",
            proved(
                self.proof.holds_for_indices(),
                "every index is in range",
                "not every index is in range for certain"
            ),
            proved(
                self.proof.holds_for_loops(),
                "every loop ends",
                "not every loop ends for certain"
            )
        );
        for (what, list) in [
            ("index", self.proof.indices()),
            ("loop ", self.proof.loops()),
        ] {
            for open in list {
                let _ = writeln!(
                    text,
                    "// open {what}  {}:{}:{} {}",
                    open.file, open.line, open.column, open.reason
                );
            }
        }
        let _ = writeln!(text, "// hash        {:016x}", self.hash);
        text
    }
}

/// FNV-1a over `bytes`, 64 bits: stable across builds and machines, and `const`.
pub const fn fnv1a(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut i = 0;
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u64).wrapping_mul(0x0100_0000_01b3);
        i += 1;
    }
    hash
}
