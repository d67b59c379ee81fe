//! What `trace!` shows.

use super::{MAX_TRACES, Machine, shown};
use crate::program::{Kind, NameId, PlaceId, Regs};
use crate::report::Trace;

impl Machine<'_> {
    pub(super) fn trace(&mut self, what: NameId, kind: Kind, a: Regs, at: PlaceId) {
        for lane in 0..self.active.len() {
            if !self.is_active(lane) || self.traces.len() == MAX_TRACES {
                continue;
            }
            let words = (0..a.count).map(|index| self.word(a.at(index), lane));
            let value = shown(kind, &words.collect::<Vec<_>>());
            self.traces.push(Trace {
                what: self.name(what).into(),
                value,
                who: self.who(lane),
                at: self.run.source(at),
            });
        }
    }
}
