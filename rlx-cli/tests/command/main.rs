//! The `rlx` command as its users see it: what it prints and how it exits.

mod bench;
mod doctor;
mod fixture;
mod inspect;
mod kernels;
mod layer;
mod roads;

use fixture::rlx;

#[test]
fn wrong_usage_exits_with_2_and_says_how_to_use_it() {
    for arguments in [
        &[][..],
        &["frobnicate"],
        &["bench", "--op", "mow"],
        &["bench", "--m", "0"],
        &["bench", "--runs", "0"],
        &["doctor", "--frobnicate"],
        &["inspect"],
        &["kernels"],
        &["kernels", "show"],
        &["layer", "file.gguf"],
        &["layer", "file.gguf", "w", "--m", "0"],
        &["layer", "file.gguf", "w", "--m", "-1"],
        &["layer", "file.gguf", "w", "--runs", "0"],
        &["layer", "file.gguf", "w", "--backend", "metal"],
    ] {
        let run = rlx(arguments);
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains("--help"), "{}", run.stderr);
        assert_eq!(run.stdout, "");
    }
}

#[test]
fn help_and_version_exit_with_0() {
    let version = rlx(&["--version"]);
    let expected = format!("rlx {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!((version.code, version.stdout), (0, expected));
    let help = rlx(&["--help"]);
    assert_eq!(help.code, 0);
    for command in ["bench", "doctor", "inspect", "kernels", "layer"] {
        assert!(help.stdout.contains(command), "{}", help.stdout);
    }
}
