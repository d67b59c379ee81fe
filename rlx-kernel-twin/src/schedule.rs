//! In which order the invocations of a run take part.

use std::fmt;

use crate::options::Order;
use crate::program::Program;

/// How one run goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Schedule {
    /// The order of invocations, and of their parts.
    pub order: Order,
    /// Whether parts of a workgroup run one after another between barriers.
    pub in_turns: bool,
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = if self.in_turns { ", in turns" } else { "" };
        write!(f, "{}{how}", self.order)
    }
}

/// The runs for `orders`, of a program that has turns or not.
pub(crate) fn schedules(orders: &[Order], has_turns: bool) -> Vec<Schedule> {
    let runs = orders.iter().map(|order| Schedule {
        order: *order,
        in_turns: has_turns && *order != Order::Forward,
    });
    let mut runs: Vec<Schedule> = runs.collect();
    let forward = Schedule {
        order: Order::Forward,
        in_turns: true,
    };
    if has_turns && runs.len() > 1 {
        runs.push(forward);
    }
    runs
}

/// The parts of a workgroup that run one after another: a half, a quarter, and so on to the last
/// invocation of the order, which runs when all others have. Subgroups stay together where they make
/// a difference.
pub(crate) fn parts(program: &Program, subgroup_size: u32, order: Order) -> Vec<Box<[u32]>> {
    let lanes = program.lanes();
    let each = if program.uses_subgroups() {
        subgroup_size.max(1)
    } else {
        1
    };
    let units = order.of(lanes.div_ceil(each));
    let mut parts = Vec::new();
    let mut left = &units[..];
    while !left.is_empty() {
        let (these, rest) = left.split_at(left.len().div_ceil(2));
        let mut part = vec![0; lanes as usize].into_boxed_slice();
        for unit in these {
            let first = (unit * each) as usize;
            for mask in part.iter_mut().skip(first).take(each as usize) {
                *mask = u32::MAX;
            }
        }
        parts.push(part);
        left = rest;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::parts;
    use crate::options::Order;
    use crate::program::{Preload, Program, code::Input};

    fn members(parts: &[Box<[u32]>]) -> Vec<Vec<usize>> {
        let lanes = |part: &[u32]| {
            let lanes = part.iter().enumerate().filter(|(_, mask)| **mask != 0);
            lanes.map(|(lane, _)| lane).collect()
        };
        parts.iter().map(|part| lanes(part)).collect()
    }

    #[test]
    fn the_last_of_an_order_runs_alone_when_all_others_have() {
        let program = Program {
            workgroup_size: [8, 1, 1],
            ..Program::default()
        };
        let backward = members(&parts(&program, 4, Order::Backward));
        assert_eq!(backward, [vec![4, 5, 6, 7], vec![2, 3], vec![1], vec![0]]);
        let forward = members(&parts(&program, 4, Order::Forward));
        assert_eq!(forward, [vec![0, 1, 2, 3], vec![4, 5], vec![6], vec![7]]);
    }

    #[test]
    fn subgroups_stay_together_where_they_make_a_difference() {
        let program = Program {
            workgroup_size: [8, 1, 1],
            preloads: vec![Preload::Input(Input::SubgroupLane)],
            ..Program::default()
        };
        let backward = members(&parts(&program, 4, Order::Backward));
        assert_eq!(backward, [vec![4, 5, 6, 7], vec![0, 1, 2, 3]]);
    }
}
