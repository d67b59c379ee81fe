//! Where invocations may run one after another.
//!
//! The twin runs the invocations of a workgroup in lockstep, which is one order of many: between two
//! barriers a device may let some of them run far ahead. For memory that is no atomic that makes no
//! difference, or it is a race, which the shadow finds in lockstep too. Atomics may be what they are
//! in lockstep alone, so a program that has any also runs in turns.

use super::{Block, Op, Program, Step};

impl Program {
    /// The program with everything that lies between two barriers, and has an atomic in it, as one
    /// instruction, [`Op::Turns`]; none where there is no such thing.
    pub fn in_turns(&self) -> Option<Self> {
        let mut any = false;
        let body = block(&self.body, &mut any);
        any.then(|| Self {
            body,
            ..self.clone()
        })
    }
}

/// The blocks within an instruction.
fn inside(op: &Op) -> Vec<&Block> {
    match op {
        Op::If {
            then, otherwise, ..
        } => vec![then, otherwise],
        Op::Loop { body, continuing } => vec![body, continuing],
        Op::Scope { body } | Op::Turns { body } => vec![body],
        _ => Vec::new(),
    }
}

fn has(step: &Step, is: &impl Fn(&Op) -> bool) -> bool {
    let mut blocks = inside(&step.op).into_iter();
    is(&step.op) || blocks.any(|block| block.0.iter().any(|step| has(step, is)))
}

fn block(from: &Block, any: &mut bool) -> Block {
    let mut steps = Vec::new();
    let mut together: Vec<Step> = Vec::new();
    for step in &from.0 {
        if !has(step, &|op| matches!(op, Op::Barrier { .. })) {
            together.push(step.clone());
            continue;
        }
        close(&mut together, &mut steps, any);
        let op = match &step.op {
            Op::If {
                condition,
                then,
                otherwise,
            } => Op::If {
                condition: *condition,
                then: block(then, any),
                otherwise: block(otherwise, any),
            },
            Op::Loop { body, continuing } => Op::Loop {
                body: block(body, any),
                continuing: block(continuing, any),
            },
            Op::Scope { body } => Op::Scope {
                body: block(body, any),
            },
            op => op.clone(),
        };
        steps.push(Step { at: step.at, op });
    }
    close(&mut together, &mut steps, any);
    Block(steps)
}

/// What was together so far, in turns where it has an atomic.
fn close(together: &mut Vec<Step>, steps: &mut Vec<Step>, any: &mut bool) {
    let is_atomic = |op: &Op| matches!(op, Op::Atomic { .. });
    let at = together.iter().find(|step| has(step, &is_atomic));
    let Some(at) = at.map(|step| step.at) else {
        steps.append(together);
        return;
    };
    *any = true;
    let body = Block(std::mem::take(together));
    steps.push(Step {
        at,
        op: Op::Turns { body },
    });
}

#[cfg(test)]
mod tests {
    use super::{Block, Op, Program, Step};
    use crate::program::code::{Fence, Update};
    use crate::program::{MemoryId, PlaceId, Reg};

    fn step(op: Op) -> Step {
        Step { at: PlaceId(0), op }
    }

    fn atomic() -> Step {
        step(Op::Atomic {
            op: Update::Add,
            to: Reg(0),
            memory: MemoryId(0),
            address: None,
            offset: 0,
            a: Reg(1),
            b: Reg(1),
        })
    }

    fn barrier() -> Step {
        step(Op::Barrier {
            fence: Fence::Workgroup,
        })
    }

    fn shape(block: &Block) -> String {
        let each = block.0.iter().map(|step| match &step.op {
            Op::Turns { body } => format!("turns({})", shape(body)),
            Op::Loop { body, .. } => format!("loop({})", shape(body)),
            Op::Barrier { .. } => "barrier".into(),
            Op::Atomic { .. } => "atomic".into(),
            _ => "plain".into(),
        });
        each.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_lies_between_barriers_is_a_turn_where_it_has_an_atomic() {
        let plain = || step(Op::Elect { to: Reg(0) });
        let looped = Op::Loop {
            body: Block(vec![atomic(), barrier(), plain()]),
            continuing: Block::default(),
        };
        let around = Op::Loop {
            body: Block(vec![atomic()]),
            continuing: Block::default(),
        };
        let program = Program {
            body: Block(vec![
                plain(),
                step(around),
                plain(),
                barrier(),
                plain(),
                step(looped),
                plain(),
            ]),
            ..Program::default()
        };
        let split = program.in_turns().expect("it has atomics");
        assert_eq!(
            shape(&split.body),
            "turns(plain loop(atomic) plain) barrier plain loop(turns(atomic) barrier plain) plain"
        );
    }

    #[test]
    fn a_program_without_atomics_has_no_turns() {
        let program = Program {
            body: Block(vec![barrier()]),
            ..Program::default()
        };
        assert_eq!(program.in_turns(), None);
    }
}
