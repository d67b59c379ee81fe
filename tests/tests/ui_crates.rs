//! What a kernel's author is told of a helper in another crate.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Helpers that are right by themselves.
const HELPERS: &str = "//! Helpers.

use rlx_kernels::prelude::*;

/// out[at] = value
#[device]
pub fn store(out: &mut [f32], at: u32, value: f32) {
    out[at] = value;
}

/// The element after the first 64.
#[device]
pub fn after_64(x: &[f32]) -> f32 {
    let first = x[0];
    first + x[64]
}
";

/// Kernels that use them wrongly.
const KERNELS: &str = "//! Kernels.

use helpers::{after_64, store as put};
use rlx_kernels::prelude::*;

/// Writes to what it only reads.
#[kernel(workgroup_size(64), threads(n))]
pub fn writes_its_input(x: &[f32], y: &mut [f32], n: u32) {
    put(x, 0, 1.0);
    put(y, n);
}

/// Has no element 64.
#[kernel(workgroup_size(64), threads(n))]
pub fn reads_past_its_tile(y: &mut [f32], n: u32) {
    #[workgroup]
    let tile: [f32; 64];
    tile[local_index()] = n as f32;
    workgroup_barrier();
    y[global_index()] = after_64(&tile);
}
";

/// The errors of the crate `kernels`, as cargo prints them.
fn errors() -> Result<String, Box<dyn Error>> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()?;
    let root = tempfile::tempdir()?;
    let write = |path: &str, text: &str| -> Result<(), Box<dyn Error>> {
        let path = root.path().join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        Ok(fs::write(path, text)?)
    };
    let manifest = |name: &str, dependency: &str| {
        let rlx_kernels = workspace.join("rlx-kernels");
        format!(
            "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
             [dependencies]\nrlx-kernels = {{ path = \"{}\" }}\n{dependency}",
            rlx_kernels.display()
        )
    };
    write(
        "Cargo.toml",
        "[workspace]\nresolver = \"3\"\nmembers = [\"helpers\", \"kernels\"]\n",
    )?;
    write("helpers/Cargo.toml", &manifest("helpers", ""))?;
    write("helpers/src/lib.rs", HELPERS)?;
    let on_helpers = "helpers = { path = \"../helpers\" }\n";
    write("kernels/Cargo.toml", &manifest("kernels", on_helpers))?;
    write("kernels/src/lib.rs", KERNELS)?;
    fs::copy(workspace.join("Cargo.lock"), root.path().join("Cargo.lock"))?;

    let output = Command::new(env!("CARGO"))
        .args(["check", "--offline", "--quiet", "--package", "kernels"])
        .arg("--target-dir")
        .arg(workspace.join("target/tests/trybuild"))
        .env("CARGO_TERM_COLOR", "never")
        .current_dir(root.path())
        .output()?;
    if output.status.success() {
        return Err("the wrong kernels compile".into());
    }
    Ok(String::from_utf8(output.stderr)?)
}

#[test]
fn errors_that_a_helper_of_another_crate_causes_name_its_file_and_line()
-> Result<(), Box<dyn Error>> {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../ui/crates");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let errors = errors()?;
    settings.bind(|| insta::assert_snapshot!("helper_of_another_crate", errors));
    Ok(())
}
