//! Builtins that give an invocation its place, with what is known of them.

use super::Walker;
use super::poly::Poly;
use crate::builtin::{Input, Spelling};
use crate::expr::ExprKind;
use crate::types::Type;
use crate::walk;

impl Walker<'_> {
    /// Makes the values of builtins, with what is known of them.
    pub(super) fn inputs(&mut self) {
        let typed = self.typed;
        let helpers = typed.instances.iter().map(|instance| &instance.function);
        for function in typed.kernel.iter().chain(helpers) {
            walk::block(&function.body, &mut |expr| {
                if let ExprKind::Builtin(builtin, _) = &expr.kind
                    && let Spelling::Input(input) = builtin.wgsl
                {
                    for part in 0..if input.is_vector() { 3 } else { 1 } {
                        self.input(input, part);
                    }
                }
            });
        }
    }

    /// A builtin's value.
    pub(super) fn input(&mut self, input: Input, part: usize) -> Poly {
        if let Some(value) = self.inputs.get(&(input, part)) {
            return value.clone();
        }
        let size = self.workgroup_size();
        let all = size
            .iter()
            .try_fold(Poly::constant(1), |all, along| all.times(along))
            .unwrap_or_else(|| Poly::constant(1 << 32));
        let most = self.facts.most(&all).unwrap_or(1 << 32).clamp(1, 1 << 32);
        let groups = i128::from(super::MAX_WORKGROUPS);
        let less = |poly: &Poly, by: &Poly| by.plus(-1, poly).and_then(|d| d.offset(-1));
        let value = match input {
            Input::LocalId | Input::LocalIndex => {
                let bound = match input {
                    Input::LocalId => size.get(part).cloned().unwrap_or_default(),
                    _ => all,
                };
                let value = self.fresh(self.facts.most(&bound).unwrap_or(1 << 32) - 1);
                self.facts.add(less(&value, &bound));
                value
            }
            Input::WorkgroupId => self.fresh(groups - 1),
            Input::NumWorkgroups => self.fresh(groups),
            Input::GlobalId => {
                let (group, local) = (
                    self.input(Input::WorkgroupId, part),
                    self.input(Input::LocalId, part),
                );
                let along = size.get(part).and_then(|along| along.times(&group));
                let value = along.and_then(|along| local.plus(1, &along));
                value
                    .filter(|value| self.at_most(value, u32::MAX.into()))
                    .unwrap_or_else(|| self.any(&Type::U32))
            }
            Input::SubgroupSize => {
                let value = self.fresh(128);
                self.facts.add(value.offset(-1));
                value
            }
            Input::SubgroupLane => {
                let size = self.input(Input::SubgroupSize, 0);
                let lane = self.fresh(127.min(most - 1));
                self.facts.add(less(&lane, &size));
                lane
            }
            Input::NumSubgroups => {
                let value = self.fresh(most);
                self.facts.add(value.offset(-1));
                value
            }
            Input::SubgroupId => {
                let count = self.input(Input::NumSubgroups, 0);
                let id = self.fresh(most - 1);
                self.facts.add(less(&id, &count));
                id
            }
            Input::WorkgroupIndex | Input::GlobalIndex => self.any(&Type::U32),
        };
        self.inputs.insert((input, part), value.clone());
        value
    }

    /// Invocations of a workgroup along each dimension.
    pub(super) fn workgroup_size(&mut self) -> [Poly; 3] {
        let kernel = self.kernel;
        let mut size = kernel
            .workgroup_size
            .map(|along| Poly::constant(along.into()));
        for (along, expr) in size.iter_mut().zip(&kernel.workgroup_exprs) {
            if let Some(expr) = expr {
                *along = self.int(expr);
            }
        }
        size
    }
}
