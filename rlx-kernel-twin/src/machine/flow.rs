//! Control flow: which invocations take part.

use super::{Machine, Sink};
use crate::finding::{Check, Note};
use crate::program::code::Fence;
use crate::program::{Block, Op, PlaceId, Reg, Step};

/// Where an invocation stopped to take part, until its loop or function ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Left {
    at: PlaceId,
    how: &'static str,
}

/// A branch around the instruction at hand: who is in it.
pub(super) struct Frame {
    at: PlaceId,
    inside: Box<[u32]>,
}

/// Who left the loop at hand, and who goes on with its next iteration.
pub(super) struct LoopMasks {
    broken: Box<[u32]>,
    continued: Box<[u32]>,
}

impl Machine<'_> {
    fn mask(&mut self) -> Box<[u32]> {
        let mut mask = self.spare.pop().unwrap_or_default();
        if mask.len() != self.active.len() {
            mask = vec![0; self.active.len()].into_boxed_slice();
        }
        mask
    }

    fn copy_of_active(&mut self) -> Box<[u32]> {
        let mut mask = self.mask();
        mask.copy_from_slice(&self.active);
        mask
    }

    fn count(&mut self) {
        self.taking_part = self.active.iter().map(|mask| u64::from(mask & 1)).sum();
    }

    pub(super) fn block(&mut self, block: &Block) {
        for step in &block.0 {
            if self.taking_part == 0 {
                return;
            }
            self.steps += self.taking_part;
            self.step(step);
        }
    }

    fn step(&mut self, step: &Step) {
        match &step.op {
            Op::If {
                condition,
                then,
                otherwise,
            } => self.branch(*condition, then, otherwise, step.at),
            Op::Loop { body, continuing } => self.repeat(body, continuing, step.at),
            Op::Scope { body } => {
                let before = self.copy_of_active();
                self.block(body);
                self.active.copy_from_slice(&before);
                self.count();
                self.spare.push(before);
                self.rejoin();
            }
            Op::Turns { body } => self.in_turns(body),
            Op::BreakIf { condition, when } => {
                let mut leaving = self.mask();
                let flip = if *when { 0 } else { u32::MAX };
                let words = self.reg(*condition).iter().zip(&self.active);
                for (mask, (word, active)) in leaving.iter_mut().zip(words) {
                    *mask = (word.wrapping_neg() ^ flip) & active;
                }
                self.leave_loop(&leaving, true, step.at);
                self.spare.push(leaving);
            }
            Op::Break {} => {
                let leaving = self.copy_of_active();
                self.leave_loop(&leaving, true, step.at);
                self.spare.push(leaving);
            }
            Op::Continue {} => {
                let leaving = self.copy_of_active();
                self.leave_loop(&leaving, false, step.at);
                self.spare.push(leaving);
            }
            Op::Return {} => {
                let leaving = self.copy_of_active();
                self.leave(&leaving, "returned", step.at);
                self.spare.push(leaving);
            }
            _ => {
                self.plain(step);
                self.carry(step);
            }
        }
    }

    /// Lets the parts of the workgroup run `body` one after another.
    fn in_turns(&mut self, body: &Block) {
        let run = self.run;
        let before = self.copy_of_active();
        let mut after = self.mask();
        after.fill(0);
        for part in &run.parts {
            for ((active, before), part) in self.active.iter_mut().zip(&before).zip(part) {
                *active = before & part;
            }
            self.count();
            self.block(body);
            for (mask, active) in after.iter_mut().zip(&self.active) {
                *mask |= active;
            }
        }
        self.active.copy_from_slice(&after);
        self.count();
        self.spare.extend([before, after]);
    }

    /// Takes `leaving` out.
    fn leave(&mut self, leaving: &[u32], how: &'static str, at: PlaceId) {
        let lanes = self.left.iter_mut().zip(self.active.iter_mut());
        for ((left, active), mask) in lanes.zip(leaving) {
            if *mask != 0 {
                *left = Some(Left { at, how });
                *active = 0;
            }
        }
        self.count();
    }

    fn leave_loop(&mut self, leaving: &[u32], ends: bool, at: PlaceId) {
        let Some(masks) = self.loops.last_mut() else {
            return;
        };
        let into = if ends {
            &mut masks.broken
        } else {
            &mut masks.continued
        };
        for (into, mask) in into.iter_mut().zip(leaving) {
            *into |= mask;
        }
        let how = if ends {
            "left the loop"
        } else {
            "went on with the loop"
        };
        self.leave(leaving, how, at);
    }

    fn branch(&mut self, condition: Reg, then: &Block, otherwise: &Block, at: PlaceId) {
        let before = self.copy_of_active();
        let mut inside = self.mask();
        let words = self.reg(condition).iter().zip(&before);
        for (mask, (word, active)) in inside.iter_mut().zip(words) {
            *mask = word.wrapping_neg() & active;
        }
        let mut after = self.mask();
        after.fill(0);
        for (is_then, block) in [(true, then), (false, otherwise)] {
            if !is_then {
                for (mask, active) in inside.iter_mut().zip(&before) {
                    *mask = !*mask & active;
                }
            }
            self.active.copy_from_slice(&inside);
            self.count();
            if self.taking_part != 0 && !block.0.is_empty() {
                let mut kept = self.mask();
                kept.copy_from_slice(&inside);
                self.frames.push(Frame { at, inside: kept });
                self.block(block);
                if let Some(frame) = self.frames.pop() {
                    self.spare.push(frame.inside);
                }
            }
            for (mask, active) in after.iter_mut().zip(&self.active) {
                *mask |= active;
            }
        }
        self.active.copy_from_slice(&after);
        self.count();
        self.spare.extend([before, inside, after]);
    }

    fn repeat(&mut self, body: &Block, continuing: &Block, at: PlaceId) {
        let (mut broken, mut continued) = (self.mask(), self.mask());
        broken.fill(0);
        continued.fill(0);
        self.loops.push(LoopMasks { broken, continued });
        let bound = self.run.options.loop_bound;
        let mut iterations = 0_u64;
        while self.taking_part != 0 {
            if iterations == bound {
                self.endless(bound, at);
                let leaving = self.copy_of_active();
                self.leave_loop(&leaving, true, at);
                self.spare.push(leaving);
                break;
            }
            iterations += 1;
            self.block(body);
            if let Some(masks) = self.loops.last_mut() {
                for (active, mask) in self.active.iter_mut().zip(masks.continued.iter_mut()) {
                    *active |= *mask;
                    *mask = 0;
                }
            }
            self.count();
            self.rejoin();
            self.block(continuing);
        }
        if let Some(masks) = self.loops.pop() {
            self.active.copy_from_slice(&masks.broken);
            self.count();
            self.rejoin();
            self.spare.extend([masks.broken, masks.continued]);
        }
    }

    /// Who takes part again has left nothing.
    fn rejoin(&mut self) {
        for (left, active) in self.left.iter_mut().zip(&self.active) {
            if *active != 0 {
                *left = None;
            }
        }
    }

    fn endless(&mut self, bound: u64, at: PlaceId) {
        if !self.looks_for(Check::LoopBound) {
            return;
        }
        let lane = self.first_active();
        let count = self.taking_part;
        let finding = Sink::finding(
            self.run,
            Check::LoopBound,
            at,
            format!("this loop has not ended after {bound} iterations"),
            "a GPU cannot be stopped: make the condition end, or raise `loop_bound` of the run's options",
        );
        self.sink
            .add(finding, (at, at), count, Some(self.who(lane)));
    }

    pub(super) fn first_active(&self) -> usize {
        self.active.iter().position(|mask| *mask != 0).unwrap_or(0)
    }

    /// Waits for the workgroup; a finding where some of it does not come.
    pub(super) fn barrier(&mut self, fence: Fence, at: PlaceId) {
        if !self.is_full() && self.looks_for(Check::DivergentBarrier) {
            let missing = self.active.iter().position(|mask| *mask == 0).unwrap_or(0);
            let (all, here) = (self.active.len(), self.taking_part);
            let message = format!("this barrier is reached by {here} of {all} invocations");
            let help = "all invocations of a workgroup must reach a barrier: take it out of the branch, and put what \
                        only some of them do under an `if`";
            let mut finding = Sink::finding(self.run, Check::DivergentBarrier, at, message, help);
            finding.notes.push(self.whereabouts(missing));
            let who = self.who(self.first_active());
            let count = self.active.len() as u64 - here;
            self.sink.add(finding, (at, at), count, Some(who));
        }
        self.epochs[fence as usize] += 1;
    }

    /// Where an invocation is that takes no part.
    pub(super) fn whereabouts(&self, lane: usize) -> Note {
        let who = self.who(lane).local_index;
        if let Some(Some(left)) = self.left.get(lane) {
            return Note {
                text: format!("invocation {who} {} here", left.how),
                at: Some(self.run.source(left.at)),
            };
        }
        let branch = self.frames.iter().find(|frame| {
            let mask = frame.inside.get(lane);
            mask.is_some_and(|mask| *mask == 0)
        });
        Note {
            text: format!("invocation {who} takes the other side of this branch"),
            at: branch.map(|frame| self.run.source(frame.at)),
        }
    }
}
