//! Cases on the CPU twin: its answers, and how far any device may lie from them.

use rlx_kernels::{Check, SimOptions, simulate};

use crate::browser::Value;
use crate::cases::Case;
use crate::product::{F32_BOUND, nmse};

/// What the twin gives for a case.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The words of the result.
    pub words: Vec<u32>,
    /// How far each may lie on a device, by the operations that made it; none for several dispatches in
    /// a row, whose bounds do not go from one to the next.
    pub distances: Option<Vec<f64>>,
    /// Comparisons that a device may decide otherwise.
    pub undecided: Vec<simulate::Undecided>,
}

impl Answer {
    /// Runs a case on the twin.
    ///
    /// # Errors
    /// What the twin finds wrong, or why it cannot run it.
    pub fn of(case: &Case, options: &SimOptions) -> Result<Self, String> {
        // Values that share memory are one buffer.
        let mut buffers: Vec<Vec<u8>> = Vec::new();
        let mut places = Vec::new();
        for value in &case.values {
            places.push(match value {
                Value::Given(bytes) => {
                    let mut bytes = bytes.clone();
                    bytes.resize(bytes.len().next_multiple_of(4), 0);
                    buffers.push(bytes);
                    buffers.len() - 1
                }
                Value::Written(bytes) => {
                    buffers.push(vec![0; *bytes]);
                    buffers.len() - 1
                }
                Value::InPlaceOf(other) => places[*other],
            });
        }
        let result = places[case.result];
        let (mut distances, mut undecided) = (None, Vec::new());
        for dispatch in &case.dispatches {
            let dispatch = dispatch.clone().map(|value| places[value]);
            let report = simulate::dispatch(&dispatch, &mut buffers, options);
            let report = report.map_err(|error| error.to_string())?;
            if !report.findings.is_empty() {
                return Err(format!("{}: {report}", dispatch.kernel.label()));
            }
            let mut bindings = dispatch.kernel.bindings.iter().zip(&dispatch.bindings);
            let written = bindings.find(|(binding, at)| binding.writable && **at == result);
            let bounds = written.and_then(|(written, _)| {
                let mut bounds = report.bounds.iter();
                bounds.find(|bounds| bounds.binding == written.name)
            });
            distances = bounds.map(|bounds| bounds.distances.clone());
            undecided.extend(report.undecided);
        }
        let words = buffers[result].chunks_exact(4);
        Ok(Self {
            words: words
                .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
                .collect(),
            distances: distances.filter(|_| case.dispatches.len() == 1),
            undecided,
        })
    }

    /// What is wrong with a device's floats beside the twin's, if anything. A device may flush a
    /// subnormal number, and one NaN is as good as another.
    pub fn fault(&self, words: &[u32]) -> Option<String> {
        let floats =
            |words: &[u32]| -> Vec<f32> { words.iter().copied().map(f32::from_bits).collect() };
        let (wanted, found) = (floats(&self.words), floats(words));
        if wanted.len() != found.len() {
            return Some(format!(
                "{} values, {} on the twin",
                found.len(),
                wanted.len()
            ));
        }
        let Some(distances) = &self.distances else {
            let error = nmse(found.into_iter(), wanted.into_iter().map(f64::from));
            // A NaN is no pass either.
            let is_near = error <= F32_BOUND;
            return (!is_near).then(|| format!("NMSE {error:e} from the twin"));
        };
        let mut all = wanted.iter().zip(&found).zip(distances).enumerate();
        let (at, ((wanted, found), distance)) = all.find(|(_, ((wanted, found), distance))| {
            let is_same = wanted == found || wanted.is_nan() && found.is_nan();
            let is_flushed = wanted.is_subnormal() && **found == 0.0;
            let is_near = (f64::from(**wanted) - f64::from(**found)).abs() <= **distance;
            !(is_same || is_flushed || is_near)
        })?;
        let first = self.undecided.first();
        let first = first.map_or_else(String::new, |first| format!("; {first}"));
        Some(format!(
            "value {at} is {found:e}, and {wanted:e} on the twin, where {distance:e} is allowed{first}"
        ))
    }
}

/// What is wrong with each result of a device whose subgroups may have any of `sizes`: that it agrees
/// with the twin at none of them.
///
/// # Errors
/// What the twin finds wrong with the case itself.
pub fn faults(
    case: &Case,
    results: &[&[u32]],
    sizes: &[u32],
) -> Result<Vec<Option<String>>, String> {
    let mut kernels = case.dispatches.iter().map(|dispatch| &dispatch.kernel);
    let sizes = if kernels.any(|kernel| kernel.features.subgroup) {
        sizes
    } else {
        sizes.get(..1).unwrap_or_default()
    };
    let mut faults: Vec<Option<String>> = Vec::new();
    for size in sizes {
        // A format's scales may be NaN or huge: that is the data's affair.
        let options = SimOptions::default()
            .subgroup_size(*size)
            .bounds()
            .allow(Check::NotFinite);
        let answer = Answer::of(case, &options)?;
        let found = results.iter().map(|words| answer.fault(words));
        if faults.is_empty() {
            faults = found.collect();
        } else {
            for (known, found) in faults.iter_mut().zip(found) {
                *known = known.take().filter(|_| found.is_some());
            }
        }
        if faults.iter().all(Option::is_none) {
            break;
        }
    }
    Ok(faults)
}
