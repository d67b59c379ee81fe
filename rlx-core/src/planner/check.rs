//! Checks that a program can run as it is: that its numbers name values, that aliases end, and that
//! whatever is read has been written and is still there.

use rlx_kernels::Dispatch;

use super::PlanError;
use crate::graph::ValueId;
use crate::program::{Program, ProgramValue, ValueKind};

/// A value, named for an error.
pub(super) fn describe(program: &Program, id: ValueId) -> String {
    let named = |list: &[(String, ValueId)]| {
        list.iter()
            .find(|(_, value)| *value == id)
            .map(|(name, _)| name.clone())
    };
    if let Some(ValueKind::Weight { name, from }) =
        program.values.get(id.index()).map(|value| &value.kind)
    {
        return match from {
            0 => format!("weight `{name}`"),
            _ => format!("weight `{name}` from byte {from}"),
        };
    }
    if let Some(name) = named(&program.inputs) {
        return format!("input `{name}`");
    }
    if let Some(name) = named(&program.outputs) {
        return format!("output `{name}`");
    }
    let writes = |dispatch: &Dispatch<ValueId>| {
        let mut bindings = dispatch
            .bindings
            .iter()
            .zip(dispatch.kernel.bindings.iter());
        bindings.any(|(value, info)| *value == id && info.writable)
    };
    match program.dispatches.iter().position(writes) {
        Some(writer) => format!("{id}, which {} writes", describe_dispatch(program, writer)),
        None => format!("{id}"),
    }
}

fn describe_dispatch(program: &Program, dispatch: usize) -> String {
    let kernel = program
        .dispatches
        .get(dispatch)
        .map(|dispatch| dispatch.kernel.label())
        .unwrap_or_default();
    format!("dispatch {dispatch} (`{kernel}`)")
}

/// Checks that every number names a value and every dispatch has its kernel's bindings.
pub(super) fn check_ids(program: &Program) -> Result<(), PlanError> {
    let values = program.values.len();
    let exists = |value: ValueId, place: &dyn Fn() -> String| {
        let missing = || PlanError::NoSuchValue {
            place: place(),
            value,
            values,
        };
        program.values.get(value.index()).ok_or_else(missing)
    };
    for (i, dispatch) in program.dispatches.iter().enumerate() {
        let (expected, found) = (dispatch.kernel.bindings.len(), dispatch.bindings.len());
        if expected != found {
            return Err(PlanError::Bindings {
                dispatch: i,
                kernel: dispatch.kernel.label(),
                expected,
                found,
            });
        }
        if found > 32 {
            return Err(PlanError::TooManyBindings {
                dispatch: i,
                kernel: dispatch.kernel.label(),
                bindings: found,
            });
        }
        for &value in &dispatch.bindings {
            exists(value, &|| describe_dispatch(program, i))?;
        }
    }
    for (name, value) in &program.inputs {
        if exists(*value, &|| format!("input `{name}`"))?.kind != ValueKind::Input {
            return Err(PlanError::NotAnInput {
                name: name.clone(),
                value: value.to_string(),
            });
        }
    }
    for (name, value) in &program.outputs {
        exists(*value, &|| format!("output `{name}`"))?;
    }
    Ok(())
}

/// Follows every value's aliases to the value that owns the window.
pub(super) fn roots(program: &Program) -> Result<Vec<ValueId>, PlanError> {
    let values = &program.values;
    let root = |(i, value): (usize, &ProgramValue)| {
        let mut root = ValueId(i as u32);
        let mut steps = 0;
        while let Some(target) = values.get(root.index()).and_then(|value| value.alias_of) {
            let fault = |reason| PlanError::Alias {
                value: describe(program, ValueId(i as u32)),
                target,
                reason,
            };
            let Some(owner) = values.get(target.index()) else {
                return Err(fault("there is no such value"));
            };
            steps += 1;
            if steps > values.len() {
                return Err(fault("the aliases run in a circle"));
            }
            if value.kind != ValueKind::Temporary {
                return Err(fault("it is an input or a weight"));
            }
            if value.bytes > owner.bytes {
                return Err(fault("it is larger"));
            }
            root = target;
        }
        Ok(root)
    };
    values.iter().enumerate().map(root).collect()
}

/// Checks that what a dispatch or an output reads is in the window when it is read.
pub(super) fn check_contents(program: &Program, roots: &[ValueId]) -> Result<(), PlanError> {
    let values = &program.values;
    let is_weight = |id: ValueId| matches!(values[id.index()].kind, ValueKind::Weight { .. });
    let mut written: Vec<bool> = values
        .iter()
        .map(|value| value.kind != ValueKind::Temporary)
        .collect();
    for dispatch in &program.dispatches {
        for (value, info) in dispatch
            .bindings
            .iter()
            .zip(dispatch.kernel.bindings.iter())
        {
            written[value.index()] |= info.writable;
        }
    }
    // A value that no dispatch writes is a view of the one it is an alias of.
    let viewed = |mut id: ValueId| {
        while let (false, Some(target)) = (written[id.index()], values[id.index()].alias_of) {
            id = target;
        }
        id
    };
    let mut contents: Vec<Option<ValueId>> = (0..)
        .map(ValueId)
        .zip(values)
        .map(|(id, value)| {
            // Of what is empty, there is nothing to write.
            let is_there = value.kind != ValueKind::Temporary || value.bytes == 0;
            is_there.then_some(id)
        })
        .collect();
    let read = |contents: &[Option<ValueId>], id: ValueId, reader: &dyn Fn() -> String| {
        let value = || describe(program, id);
        match contents[roots[id.index()].index()] {
            Some(found) if found == viewed(id) => Ok(()),
            Some(by) => Err(PlanError::Overwritten {
                reader: reader(),
                value: value(),
                by: describe(program, by),
            }),
            None => Err(PlanError::NotWritten {
                reader: reader(),
                value: value(),
            }),
        }
    };
    for (i, dispatch) in program.dispatches.iter().enumerate() {
        let kernel = || dispatch.kernel.label();
        let bindings = || {
            dispatch
                .bindings
                .iter()
                .copied()
                .zip(dispatch.kernel.bindings.iter())
                .enumerate()
        };
        for (_, (id, _)) in bindings().filter(|(_, (_, info))| !info.writable) {
            read(&contents, id, &|| describe_dispatch(program, i))?;
        }
        for (at, (id, _)) in bindings().filter(|(_, (_, info))| info.writable) {
            let root = roots[id.index()];
            if is_weight(root) {
                return Err(PlanError::WeightWritten {
                    dispatch: i,
                    kernel: kernel(),
                    value: describe(program, id),
                });
            }
            let same = bindings()
                .find(|&(other_at, (other, _))| other_at != at && roots[other.index()] == root);
            if let Some((_, (other, _))) = same {
                let (written, other) = (describe(program, id), describe(program, other));
                return Err(PlanError::SameWindow {
                    dispatch: i,
                    kernel: kernel(),
                    written,
                    other,
                });
            }
            contents[root.index()] = Some(id);
        }
    }
    for (name, id) in &program.outputs {
        read(&contents, *id, &|| format!("output `{name}`"))?;
    }
    Ok(())
}
