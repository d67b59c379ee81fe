//! Bytes that no lowering made: decoding them is an error or a program that runs to its end.

use rlx_kernel_twin::program::{
    Binary, Block, Decoded, Dim, Kind, Memory, MemoryId, Op, Place, PlaceId, Preload, Program, Reg,
    Regs, Space, Step, code::Input,
};
use rlx_kernel_twin::{DecodeError, Launch, SimOptions, Window, run};

fn step(op: Op) -> Step {
    Step { at: PlaceId(0), op }
}

/// y[i] = i + 1 in a loop of one round, under a branch.
fn program() -> Program {
    let index = Op::Index {
        to: Reg(5),
        add: None,
        index: Reg(0),
        stride: 4,
        len: Reg(2),
        signed: false,
        written: true,
        what: rlx_kernel_twin::program::NameId(0),
    };
    let body = vec![
        step(Op::Binary {
            op: Binary::AddU,
            to: Reg(4),
            a: Reg(0),
            b: Reg(1),
        }),
        step(index),
        step(Op::Store {
            from: Regs::new(Reg(4), 1),
            memory: MemoryId(0),
            address: Some(Reg(5)),
            offset: 0,
        }),
        step(Op::Break {}),
    ];
    let round = Op::Loop {
        body: Block(body),
        continuing: Block::default(),
    };
    let branch = Op::If {
        condition: Reg(1),
        then: Block(vec![step(round)]),
        otherwise: Block::default(),
    };
    Program {
        workgroup_size: [4, 1, 1],
        params_size: 0,
        registers: 6,
        preloads: vec![
            Preload::Input(Input::LocalIndex),
            Preload::Const(1),
            Preload::Length(MemoryId(0)),
        ],
        memories: vec![Memory {
            name: "y".into(),
            space: Space::Storage { writable: true },
            stride: 4,
            dims: vec![Dim { len: 0, stride: 4 }],
            len: Vec::new(),
            components: 1,
            kind: Kind::U32,
            atomic: false,
            granule: 4,
        }],
        names: vec!["y".into()],
        files: vec!["here.rs".into()],
        places: vec![Place {
            file: 0,
            line: 1,
            column: 1,
        }],
        body: Block(vec![step(branch)]),
    }
}

fn simulate(twin: &[u8]) -> Option<[u8; 16]> {
    let mut y = [0; 16];
    let launch = Launch {
        kernel: "k",
        twin,
        params: &[],
        overrides: &[],
        workgroup_size: None,
        grid: [1; 3],
    };
    let options = SimOptions::default().loop_bound(3);
    run(&launch, &mut [Window::Write(&mut y)], &options).ok()?;
    Some(y)
}

#[test]
fn a_program_comes_back_as_it_was_and_runs() {
    let decoded = Decoded::Program(program());
    let bytes = decoded.encode();
    assert_eq!(Decoded::decode(&bytes), Ok(decoded));
    let y = simulate(&bytes).expect("it runs");
    assert_eq!(y, [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0]);
}

#[test]
fn a_part_of_a_program_is_an_error() {
    let bytes = Decoded::Program(program()).encode();
    assert_eq!(Decoded::decode(&[]), Err(DecodeError::Empty));
    for end in 1..bytes.len() {
        assert!(Decoded::decode(&bytes[..end]).is_err(), "{end} bytes");
    }
}

#[test]
fn bytes_of_another_version_are_told_apart() {
    let error = Decoded::decode(&[200, 0]).expect_err("no such version");
    assert_eq!(error, DecodeError::Version { found: 200 });
}

#[test]
fn changed_bytes_are_an_error_or_a_program_that_ends() {
    let bytes = Decoded::Program(program()).encode();
    let mut random = fastrand::Rng::with_seed(7);
    let mut ran = 0;
    for _ in 0..20_000 {
        let mut changed = bytes.clone();
        for _ in 0..random.usize(1..4) {
            let at = random.usize(..changed.len());
            changed[at] = random.u8(..);
        }
        ran += u32::from(simulate(&changed).is_some());
    }
    assert!(ran > 100, "{ran} of them are programs");
}
