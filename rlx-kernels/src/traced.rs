//! What `trace!` shows on a GPU.

use std::borrow::Cow;

use rlx_kernel_twin::program::Kind;
use rlx_kernel_twin::report::{self, Trace};
use rlx_kernel_twin::{Invocation, finding::Source};

use crate::kernel::{Binding, KernelInfo, fnv1a};

/// The second text of a kernel that says `trace!`: it keeps the values in a buffer.
///
/// The buffer is the storage binding after the kernel's own: a word that counts the values, and a
/// record for each, while there is room. A record is the number of its site, its workgroup's three
/// numbers, its invocation's, and the words of the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traced {
    /// The WGSL module in its native header and split form.
    pub wgsl: Cow<'static, str>,
    /// The buffer's variable in it.
    pub variable: Cow<'static, str>,
    /// Words of a record.
    pub record: u32,
    /// What is shown, by the numbers in the records.
    pub sites: Cow<'static, [TraceSite]>,
}

/// A `trace!` of a kernel or of one of its helpers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceSite {
    /// The author's expression.
    pub what: Cow<'static, str>,
    /// How to show the value, or each of its components.
    pub kind: Kind,
    /// Components.
    pub components: u32,
    /// The file, as rustc names it.
    pub file: Cow<'static, str>,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

impl KernelInfo {
    /// The kernel that keeps what `trace!` shows, with a storage binding `trace` after its own; none
    /// for a kernel that does not say it. It has no twin.
    pub fn with_traces(&self) -> Option<Self> {
        let traced = self.traced.as_ref()?;
        let mut bindings = self.bindings.to_vec();
        bindings.push(Binding {
            name: "trace".into(),
            variable: traced.variable.clone(),
            element: "atomic<u32>".into(),
            stride: 4,
            writable: true,
        });
        Some(Self {
            bindings: bindings.into(),
            hash: fnv1a(traced.wgsl.as_bytes()),
            wgsl: traced.wgsl.clone(),
            twin: Cow::Borrowed(&[]),
            traced: None,
            ..self.clone()
        })
    }
}

impl Traced {
    /// Words of a buffer for so many values.
    pub fn words_for(&self, values: u32) -> u64 {
        1 + u64::from(values) * u64::from(self.record)
    }

    /// The values of a buffer, in the order in which they came, and how many found no room in it.
    /// `workgroup_size` tells the invocations' places.
    pub fn read(&self, buffer: &[u32], workgroup_size: [u32; 3]) -> (Vec<Trace>, u64) {
        let Some((count, words)) = buffer.split_first() else {
            return (Vec::new(), 0);
        };
        let records = words.chunks_exact(self.record.max(1) as usize);
        let kept = records.len().min(*count as usize);
        let traces = records.take(kept);
        let traces = traces.filter_map(|record| self.trace(record, workgroup_size));
        (traces.collect(), u64::from(*count) - kept as u64)
    }

    fn trace(&self, record: &[u32], [wide, high, _]: [u32; 3]) -> Option<Trace> {
        let [site, x, y, z, lane, value @ ..] = record else {
            return None;
        };
        let site = self.sites.get(*site as usize)?;
        let words = site.components * site.kind.words();
        let (wide, high) = (wide.max(1), high.max(1));
        Some(Trace {
            what: site.what.to_string(),
            value: report::shown(site.kind, value.get(..words as usize)?),
            who: Invocation {
                workgroup: [*x, *y, *z],
                local: [lane % wide, lane / wide % high, lane / wide / high],
                local_index: *lane,
            },
            at: Source {
                file: site.file.to_string(),
                line: site.line,
                column: site.column,
            },
        })
    }
}
