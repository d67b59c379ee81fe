//! What a browser is to do: modules to compile, and runs of them.

use std::collections::{BTreeMap, HashMap};

use rlx_kernels::kernel::BindingSet;
use rlx_kernels::{Dispatch, KernelInfo, NotOnTheWeb};
use serde::Serialize;

/// Bytes that every offset of a storage binding is a multiple of, as WebGPU's default limits have it.
const ALIGNMENT: usize = 256;

/// A NaN: what a result holds where no kernel has written.
const UNWRITTEN: u32 = 0x7fc0_0bad;

/// How the values of a run lie in buffers, and with that how modules declare their bindings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// Every value in a buffer of its own; inputs are `read`.
    Split,
    /// All values in one buffer; all bindings are `read_write`.
    Arena,
}

impl Form {
    /// Both forms.
    pub const ALL: [Self; 2] = [Self::Split, Self::Arena];

    fn shared(self) -> BindingSet {
        match self {
            Self::Split => BindingSet::NONE,
            Self::Arena => BindingSet::ALL,
        }
    }
}

/// A value that dispatches bind.
#[derive(Clone, Debug)]
pub enum Value {
    /// Bytes that are there before the run.
    Given(Vec<u8>),
    /// So many bytes, a multiple of 4, that a dispatch writes.
    Written(usize),
    /// Written in the place of another value, by its index.
    InPlaceOf(usize),
}

/// Modules and runs, for [`check`](super::check()).
#[derive(Debug, Default, Serialize)]
pub struct Job {
    modules: Vec<Module>,
    runs: Vec<Run>,
    /// Modules by their text and the values of their overrides.
    #[serde(skip)]
    known: HashMap<(String, Vec<i64>), usize>,
}

#[derive(Debug, Serialize)]
struct Module {
    label: String,
    code: String,
    entry: String,
    /// The values of overrides, by their names in the text.
    constants: BTreeMap<String, i64>,
    bindings: Vec<Layout>,
    /// Words of the tables, which are the last bindings.
    tables: Vec<Vec<u32>>,
}

#[derive(Debug, Serialize)]
struct Layout {
    #[serde(rename = "type")]
    ty: &'static str,
    /// The smallest binding, in bytes.
    size: u32,
}

#[derive(Debug, Serialize)]
struct Run {
    label: String,
    /// The buffers' first content, in words of four bytes.
    buffers: Vec<Vec<u32>>,
    steps: Vec<Step>,
    result: Window,
}

#[derive(Debug, Serialize)]
struct Step {
    module: usize,
    windows: Vec<Window>,
    params: Vec<u32>,
    grid: [u32; 3],
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Window {
    buffer: usize,
    /// In bytes.
    offset: usize,
    /// In bytes.
    size: usize,
}

impl Job {
    /// Modules in the job.
    pub fn modules(&self) -> usize {
        self.modules.len()
    }

    /// Runs in the job.
    pub fn runs(&self) -> usize {
        self.runs.len()
    }

    /// The name of module `index`.
    pub fn module_label(&self, index: usize) -> &str {
        &self.modules[index].label
    }

    /// The name of run `index`.
    pub fn run_label(&self, index: usize) -> &str {
        &self.runs[index].label
    }

    /// Adds the module of a kernel with its web header and the defaults of its overrides, unless it is
    /// there, and gives its index.
    ///
    /// # Errors
    /// [`NotOnTheWeb`] where no browser runs the kernel.
    pub fn add_module(&mut self, kernel: &KernelInfo, form: Form) -> Result<usize, NotOnTheWeb> {
        self.add_module_with(kernel, &kernel.defaults(), form)
    }

    /// The same with these values of its overrides.
    fn add_module_with(
        &mut self,
        kernel: &KernelInfo,
        overrides: &[i64],
        form: Form,
    ) -> Result<usize, NotOnTheWeb> {
        let code = kernel.wgsl_for_web(form.shared())?;
        let key = (code, overrides.to_vec());
        if let Some(index) = self.known.get(&key) {
            return Ok(*index);
        }
        let constants = kernel.overrides.iter().zip(overrides);
        let constants = constants.filter(|(item, _)| !item.variable.is_empty());
        let storage = kernel.bindings.iter().enumerate().map(|(index, binding)| {
            let is_written = binding.writable || form.shared().contains(index);
            Layout {
                ty: if is_written {
                    "storage"
                } else {
                    "read-only-storage"
                },
                size: binding.stride,
            }
        });
        let params = (kernel.params_size > 0).then_some(Layout {
            ty: "uniform",
            size: kernel.params_size,
        });
        let tables = kernel.tables.iter().map(|table| Layout {
            ty: "read-only-storage",
            size: 4 * table.words.len() as u32,
        });
        let index = self.modules.len();
        self.modules.push(Module {
            label: format!("{} ({form:?})", kernel.label()),
            code: key.0.clone(),
            entry: kernel.entry.to_string(),
            constants: constants
                .map(|(item, value)| (item.variable.to_string(), *value))
                .collect(),
            bindings: storage.chain(params).chain(tables).collect(),
            tables: kernel
                .tables
                .iter()
                .map(|table| table.words.to_vec())
                .collect(),
        });
        self.known.insert(key, index);
        Ok(index)
    }

    /// Adds a run of dispatches, in order, over `values` by their indices; value `result` is what it
    /// gives. A dispatch with a 0 in its grid is no step.
    ///
    /// # Errors
    /// [`NotOnTheWeb`] where no browser runs one of the kernels.
    pub fn add_run(
        &mut self,
        label: &str,
        form: Form,
        values: &[Value],
        dispatches: &[Dispatch<usize>],
        result: usize,
    ) -> Result<(), NotOnTheWeb> {
        let mut buffers: Vec<Vec<u32>> = Vec::new();
        let mut windows: Vec<Window> = Vec::new();
        for value in values {
            let content = match value {
                Value::InPlaceOf(other) => {
                    windows.push(windows[*other]);
                    continue;
                }
                Value::Given(bytes) => words(bytes),
                Value::Written(bytes) => vec![UNWRITTEN; bytes / 4],
            };
            if form == Form::Split || buffers.is_empty() {
                buffers.push(Vec::new());
            }
            let buffer = buffers.len() - 1;
            let words = &mut buffers[buffer];
            words.resize(words.len().next_multiple_of(ALIGNMENT / 4), 0);
            let (offset, size) = (4 * words.len(), 4 * content.len());
            words.extend(content);
            windows.push(Window {
                buffer,
                offset,
                size,
            });
        }
        let mut steps = Vec::new();
        for dispatch in dispatches.iter().filter(|step| !step.grid.contains(&0)) {
            let module = self.add_module_with(&dispatch.kernel, &dispatch.overrides, form)?;
            let windows = dispatch.bindings.iter().map(|value| windows[*value]);
            steps.push(Step {
                module,
                windows: windows.collect(),
                params: words(&dispatch.params),
                grid: dispatch.grid,
            });
        }
        self.runs.push(Run {
            label: format!("{label} ({form:?})"),
            buffers,
            steps,
            result: windows[result],
        });
        Ok(())
    }
}

/// Little-endian words of four bytes, the last filled up with zeros.
fn words(bytes: &[u8]) -> Vec<u32> {
    let word = |chunk: &[u8]| {
        let mut word = [0; 4];
        word[..chunk.len()].copy_from_slice(chunk);
        u32::from_le_bytes(word)
    };
    bytes.chunks(4).map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arena_holds_all_values_at_aligned_offsets_and_split_values_have_a_buffer_each() {
        let values = [
            Value::Given(vec![1, 0, 0, 0, 2]),
            Value::Written(4),
            Value::InPlaceOf(1),
        ];
        let mut job = Job::default();
        for form in Form::ALL {
            job.add_run("run", form, &values, &[], 2).unwrap();
        }
        let [split, arena] = &job.runs[..] else {
            panic!("{job:?}");
        };
        assert_eq!(split.buffers, [vec![1, 2], vec![UNWRITTEN]]);
        let [buffer] = &arena.buffers[..] else {
            panic!("{arena:?}");
        };
        assert_eq!(buffer.len(), 65);
        assert_eq!(
            (arena.result.offset, arena.result.size, buffer[64]),
            (256, 4, UNWRITTEN)
        );
    }

    #[test]
    fn a_module_is_added_once_in_each_form() {
        let kernel = kernel_specs::kernels().next().unwrap();
        let mut job = Job::default();
        let indices =
            [Form::Split, Form::Arena, Form::Split].map(|form| job.add_module(kernel, form));
        assert_eq!(indices, [Ok(0), Ok(1), Ok(0)]);
    }
}
