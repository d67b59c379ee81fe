//! Matrices that the invocations of a subgroup hold together: each invocation's register has the
//! number of one.

mod pool;

use std::ops::Range;

use super::access::describe;
use super::arithmetic::to_f16;
use super::error::rule;
use super::number::show;
use super::{Machine, NOWHERE, Sink};
use crate::finding::{Check, Note};
use crate::memory::shadow::SUBGROUP;
use crate::program::code::{Binary, Kind};
use crate::program::op::Tile;
use crate::program::{PlaceId, Reg};
pub(super) use pool::Matrices;
use pool::{FIRST, Matrix};

fn round(value: f32, half: bool) -> f32 {
    if half { to_f16(value) } else { value }
}

/// A subgroup that takes part: its invocations, and the first of those that are there.
#[derive(Clone, Debug)]
struct Group {
    lanes: Range<usize>,
    first: usize,
}

impl Machine<'_> {
    /// The subgroups that take part, in the order of the run; reports those that are not whole.
    fn groups(&mut self, at: PlaceId) -> Vec<Group> {
        self.together(at);
        let size = self.run.subgroup_size;
        let wide = self.run.program.workgroup_size[0];
        let check = Check::PartialSubgroup;
        if !wide.is_multiple_of(size)
            && self.looks_for(check)
            && !self.sink.again(check, (at, at), 1)
        {
            let message = format!(
                "a subgroup of {size} invocations holds a matrix, but the workgroup is {wide} wide, which is no whole number of them"
            );
            let help = "make the workgroup a multiple of the subgroup's size along x: 64 is one for nearly all devices; the backend refuses the kernel on others";
            let finding = Sink::finding(self.run, check, at, message, help);
            self.sink.add(finding, (at, at), 1, None);
        }
        let mut groups: Vec<Group> = Vec::new();
        let all: Vec<Range<usize>> = self.subgroups().collect();
        for lane in &self.run.order {
            let lane = *lane as usize;
            let known = groups.iter().any(|group| group.lanes.contains(&lane));
            let lanes = all.iter().find(|lanes| lanes.contains(&lane));
            if let (false, Some(lanes)) = (known, lanes)
                && let Some(first) = lanes.clone().find(|lane| self.is_active(*lane))
            {
                let lanes = lanes.clone();
                groups.push(Group { lanes, first });
            }
        }
        groups
    }

    /// A word that is the same in the whole subgroup; reports where it is not.
    fn shared(&mut self, reg: Reg, group: &Group, what: &str, at: PlaceId) -> u32 {
        let word = self.word(reg, group.first);
        let mut others = group.lanes.clone().filter(|lane| self.is_active(*lane));
        let other = others.find(|lane| self.word(reg, *lane) != word);
        let check = Check::DivergentSubgroup;
        if let Some(other) = other
            && self.looks_for(check)
            && !self.sink.again(check, (at, at), 1)
        {
            let message = format!("the invocations of a subgroup do not agree on {what}");
            let help = "a matrix is of the whole subgroup: go by `subgroup_id()`, `workgroup_id()` and params";
            let mut finding = Sink::finding(self.run, check, at, message, help);
            let other = self.who(other);
            finding.notes.push(Note {
                text: format!("{other} has another"),
                at: None,
            });
            let who = Some(self.who(group.first));
            self.sink.add(finding, (at, at), 1, who);
        }
        word
    }

    /// The matrix that a subgroup holds in a register.
    fn held(&mut self, reg: Reg, group: &Group, at: PlaceId) -> Matrix {
        let number = self.shared(reg, group, "the matrix", at);
        self.matrices.get(number).cloned().unwrap_or_default()
    }

    /// Gives a matrix to the subgroup.
    fn hold(&mut self, reg: Reg, group: &Group, matrix: Matrix) {
        if self.matrices.is_full() {
            let words = self.registers.iter().flatten();
            let held = words.copied().filter(|word| *word >= FIRST).collect();
            self.matrices.sweep(&held);
        }
        let number = self.matrices.add(matrix);
        for lane in group.lanes.clone() {
            self.set(reg, lane, number);
        }
    }

    /// The byte address of each element by rows; none for those that lie outside of the memory, which
    /// are reported.
    fn addresses(
        &mut self,
        tile: &Tile,
        group: &Group,
        (written, at): (bool, PlaceId),
    ) -> Vec<Option<u32>> {
        let what = "where the matrix lies";
        let base = tile
            .address
            .map_or(0, |reg| self.shared(reg, group, what, at));
        let stride = self.shared(tile.stride, group, "the stride", at);
        let count = tile.size as usize;
        if base == NOWHERE {
            return vec![None; count * count];
        }
        let bytes = self.buffer(tile.memory).map_or(0, |buffer| buffer.bytes);
        let first = u64::from(base) + u64::from(tile.offset);
        let mut outside: Option<(u32, u32, u64)> = None;
        let mut missing = 0_u64;
        let mut all = Vec::with_capacity(count * count);
        for row in 0..tile.size {
            for column in 0..tile.size {
                let (long, short) = if tile.rows {
                    (row, column)
                } else {
                    (column, row)
                };
                let step = u64::from(stride) * u64::from(tile.unit);
                let place = first
                    .saturating_add(step.saturating_mul(long.into()))
                    .saturating_add(u64::from(tile.component) * u64::from(short));
                let is_inside = place + u64::from(tile.component) <= u64::from(bytes);
                all.push(u32::try_from(place).ok().filter(|_| is_inside));
                if !is_inside {
                    missing += 1;
                    outside.get_or_insert((row, column, place));
                }
            }
        }
        let check = Check::OutOfBounds;
        if let Some((row, column, place)) = outside
            && let Some(memory) = self.memory(tile.memory)
            && self.looks_for(check)
            && !self.sink.again(check, (at, at), missing)
        {
            let element = match u32::try_from(place) {
                Ok(place) => describe(memory, place),
                Err(_) => format!("byte {place} of `{}`", memory.name),
            };
            let (name, has) = (&memory.name, bytes / tile.unit.max(1));
            let verb = if written { "written" } else { "read" };
            let message = format!(
                "row {row}, column {column} of a matrix is {verb} at `{element}`, but `{name}` has {has} elements"
            );
            let help = "guard it by a condition that the subgroup shares, or move the edge through workgroup memory that is large enough";
            let mut finding = Sink::finding(self.run, check, at, message, help);
            let size = tile.size;
            finding.notes.push(Self::value_note(format!(
                "the matrix is {size}×{size}, and the stride is {stride}"
            )));
            let who = Some(self.who(group.first));
            self.sink.add(finding, (at, at), missing, who);
        }
        all
    }

    pub(super) fn load_matrix(&mut self, to: Reg, tile: &Tile, at: PlaceId) {
        let Some(memory) = self.memory(tile.memory) else {
            return;
        };
        let slot = self.run.slot(tile.memory);
        for group in self.groups(at) {
            let addresses = self.addresses(tile, &group, (false, at));
            let lane = group.lanes.start | SUBGROUP as usize;
            let elements = addresses.iter().map(|address| {
                let Some(address) = *address else {
                    return 0.0;
                };
                let word = self.read(memory, tile.memory, lane, address, at);
                if tile.half {
                    let bits = (word >> (address % 4 * 8)) as u16;
                    half::f16::from_bits(bits).to_f32()
                } else {
                    f32::from_bits(word)
                }
            });
            let elements = elements.collect();
            let errors = self.errors.as_mut().map(|errors| {
                let moved = errors.of_address(tile.address, group.first)
                    + errors.of_address(Some(tile.stride), group.first);
                let cells = addresses.iter().map(|address| {
                    let cell = address.and_then(|address| errors.cell(slot, address).copied());
                    cell.unwrap_or(0.0) + moved
                });
                cells.collect()
            });
            self.hold(to, &group, Matrix { elements, errors });
        }
    }

    pub(super) fn store_matrix(&mut self, from: Reg, tile: &Tile, at: PlaceId) {
        let Some(memory) = self.memory(tile.memory) else {
            return;
        };
        let slot = self.run.slot(tile.memory);
        for group in self.groups(at) {
            let matrix = self.held(from, &group, at);
            let addresses = self.addresses(tile, &group, (true, at));
            let lane = group.lanes.start | SUBGROUP as usize;
            for (index, address) in addresses.into_iter().enumerate() {
                let Some(address) = address else {
                    continue;
                };
                let value = matrix.element(index);
                if tile.half {
                    self.access(memory, tile.memory, lane, (address, value.to_bits()), at);
                    if let Some(buffer) = self.buffer(tile.memory) {
                        buffer.store_half(address, half::f16::from_f32(value).to_bits());
                    }
                } else {
                    self.write(memory, tile.memory, lane, (address, value.to_bits()), at);
                }
                let errors = self.errors.as_mut();
                if let Some(cell) = errors.and_then(|errors| errors.cell(slot, address)) {
                    *cell = matrix.known(index).1;
                }
            }
        }
    }

    /// Σ by rows and columns, from C on, in the order of k: f32, rounded once where the sum is a half.
    pub(super) fn multiply_add(
        &mut self,
        to: Reg,
        factors: [Reg; 3],
        (size, half): (u32, bool),
        at: PlaceId,
    ) {
        let size = size as usize;
        for group in self.groups(at) {
            let [a, b, c] = factors.map(|reg| self.held(reg, &group, at));
            let each = (0..size * size).map(|index| {
                let (row, column) = (index / size * size, index % size);
                let products = (0..size).map(|k| a.element(row + k) * b.element(k * size + column));
                round(products.fold(c.element(index), |sum, x| sum + x), half)
            });
            let elements: Vec<f32> = each.collect();
            let errors = self.errors.is_some().then(|| {
                let each = (0..size * size).map(|index| {
                    let (row, column) = (index / size * size, index % size);
                    let factors = (0..size).map(|k| [a.known(row + k), b.known(k * size + column)]);
                    rule::sum_of_products(c.known(index), factors, half)
                });
                each.collect()
            });
            let matrix = Matrix { elements, errors };
            self.made(&matrix, &[&a, &b, &c], "multiply_add", (size, &group), at);
            self.hold(to, &group, matrix);
        }
    }

    pub(super) fn matrix_binary(
        &mut self,
        op: Binary,
        to: Reg,
        operands: [Reg; 2],
        shape: (u32, bool),
        at: PlaceId,
    ) {
        for group in self.groups(at) {
            let [a, b] = operands.map(|reg| self.held(reg, &group, at));
            let matrix = self.each(op, [&a, &b], shape);
            let size = shape.0 as usize;
            let name = if op == Binary::SubF { "-" } else { "+" };
            self.made(&matrix, &[&a, &b], name, (size, &group), at);
            self.hold(to, &group, matrix);
        }
    }

    pub(super) fn scale_matrix(
        &mut self,
        to: Reg,
        [a, by]: [Reg; 2],
        shape: (u32, bool),
        at: PlaceId,
    ) {
        let count = (shape.0 * shape.0) as usize;
        for group in self.groups(at) {
            let matrix = self.held(a, &group, at);
            let factor = f32::from_bits(self.shared(by, &group, "the factor", at));
            let error = self
                .errors
                .as_ref()
                .map(|errors| errors.get(by, group.first));
            let factors = Matrix {
                elements: vec![factor; count],
                errors: error.map(|error| vec![error; count]),
            };
            let scaled = self.each(Binary::MulF, [&matrix, &factors], shape);
            let size = shape.0 as usize;
            self.made(&scaled, &[&matrix, &factors], "*", (size, &group), at);
            self.hold(to, &group, scaled);
        }
    }

    /// `a op b`, element by element.
    fn each(&self, op: Binary, [a, b]: [&Matrix; 2], (size, half): (u32, bool)) -> Matrix {
        let count = (size * size) as usize;
        let each = (0..count).map(|index| {
            let (a, b) = (a.element(index), b.element(index));
            let exact = match op {
                Binary::MulF => a * b,
                Binary::SubF => a - b,
                _ => a + b,
            };
            round(exact, half)
        });
        let elements: Vec<f32> = each.collect();
        let errors = self.errors.is_some().then(|| {
            let each = elements.iter().enumerate().map(|(index, result)| {
                let result = (f64::from(*result), half);
                rule::elementwise(op, a.known(index), b.known(index), result)
            });
            each.collect()
        });
        Matrix { elements, errors }
    }

    /// Reports a NaN or an infinity that is born in `matrix`.
    fn made(
        &mut self,
        matrix: &Matrix,
        operands: &[&Matrix],
        name: &str,
        (size, group): (usize, &Group),
        at: PlaceId,
    ) {
        let check = Check::NotFinite;
        let mut all = matrix.elements.iter().enumerate();
        let Some((index, value)) = all.find(|(_, element)| !element.is_finite()) else {
            return;
        };
        let is_born = operands.iter().all(|operand| operand.is_finite());
        if !is_born || !self.looks_for(check) || self.sink.again(check, (at, at), 1) {
            return;
        }
        let (row, column) = (index / size, index % size);
        let value = show(Kind::F32, value.to_bits());
        let message = format!(
            "`{name}` of matrices makes {value} out of finite numbers, in row {row}, column {column}"
        );
        let help = "sum in `f32`, `MatrixC<f32, N>`, or scale the factors";
        let finding = Sink::finding(self.run, check, at, message, help);
        let who = Some(self.who(group.first));
        self.sink.add(finding, (at, at), 1, who);
    }
}
