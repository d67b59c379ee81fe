//! Packs weights into read-only buffers of their own.

use super::liveness::Values;
use super::{Place, PlanLimits, WeightBuffer};

/// Places by value; `None` for what is no weight.
type Places = Vec<Option<(Place, u64)>>;

/// Puts each weight into the first buffer that has room for it at its end.
pub(super) fn place(values: &Values<'_>, limits: &PlanLimits) -> (Vec<WeightBuffer>, Places) {
    let mut buffers: Vec<WeightBuffer> = Vec::new();
    let mut places = vec![None; values.len()];
    for (id, size) in values.weights() {
        let room = |buffer: &WeightBuffer| {
            let offset = buffer.size.checked_next_multiple_of(values.alignment())?;
            offset
                .checked_add(size)
                .filter(|&end| end <= limits.max_buffer)
                .map(|_| offset)
        };
        let found = buffers
            .iter()
            .enumerate()
            .find_map(|(n, buffer)| Some((n, room(buffer)?)));
        let (n, offset) = found.unwrap_or((buffers.len(), 0));
        if n == buffers.len() {
            buffers.push(WeightBuffer::default());
        }
        buffers[n].size = offset + size;
        buffers[n].values.push(id);
        places[id.index()] = Some((Place::Weights(n), offset));
    }
    (buffers, places)
}
