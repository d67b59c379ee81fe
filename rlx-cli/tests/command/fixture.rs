//! Runs of the command, and small model files for it.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use rlx_core::gguf::{GgufWriter, TensorType};
use tempfile::TempDir;

/// What a run left behind.
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    /// The standard output as the one JSON document that it must be.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}\n{}", self.stdout, self.stderr))
    }

    /// The line of the standard error that begins with `error: `.
    pub fn error(&self) -> &str {
        let mut lines = self.stderr.lines().filter(|line| {
            // Vulkan drivers complain on the standard error, too.
            line.starts_with("error: ") && !line.contains("XDG_RUNTIME_DIR")
        });
        lines
            .next()
            .unwrap_or_else(|| panic!("no error in: {}", self.stderr))
    }
}

/// The command, not yet run.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rlx"));
    command.args(arguments).stdin(Stdio::null());
    command
}

/// Runs the command.
pub fn rlx(arguments: &[&str]) -> Run {
    finish(command(arguments))
}

/// Runs the command where no Vulkan driver is found.
pub fn rlx_without_adapter(arguments: &[&str]) -> Run {
    let mut command = command(arguments);
    for variable in ["VK_ICD_FILENAMES", "VK_DRIVER_FILES"] {
        command.env(variable, "/nonexistent");
    }
    finish(command)
}

fn finish(mut command: Command) -> Run {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let run = Run {
        code: output.status.code().unwrap(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    };
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
    run
}

/// A model file in a folder that goes with it.
pub struct Model {
    folder: TempDir,
}

impl Model {
    /// A vector in F32, matrices in Q4_0, F16 and I32 and a stack of two in Q4_0; text and lists in
    /// the metadata.
    pub fn new() -> Self {
        let mut writer = GgufWriter::new();
        writer
            .metadata("general.architecture", "test")
            .unwrap()
            .metadata("general.description", "x".repeat(1000))
            .unwrap()
            .metadata("tokens", (0..1000_u32).collect::<Vec<_>>())
            .unwrap()
            .metadata("eps", 1e-5_f32)
            .unwrap();
        let ty = |name| TensorType::from_name(name).unwrap();
        let blocks = |count: u8| -> Vec<u8> {
            // d is 1/16 in f16, then 16 bytes of quants.
            (0..count)
                .flat_map(|block| {
                    let quants =
                        (0..16_u8).map(move |i| block.wrapping_mul(37) ^ i.wrapping_mul(29));
                    [0x00, 0x2c].into_iter().chain(quants)
                })
                .collect()
        };
        writer
            .tensor("norm.weight", &[64], ty("F32"), [0; 256])
            .unwrap()
            .tensor("ffn.weight", &[64, 48], ty("Q4_0"), blocks(96))
            .unwrap()
            .tensor("half.weight", &[5, 3], ty("F16"), [0x3c; 30])
            .unwrap()
            .tensor("ids", &[4, 2], ty("I32"), [0; 32])
            .unwrap()
            .tensor("experts.weight", &[32, 4, 2], ty("Q4_0"), blocks(8))
            .unwrap();
        let folder = tempfile::tempdir().unwrap();
        let model = Self { folder };
        writer
            .write_to(std::fs::File::create(model.file()).unwrap())
            .unwrap();
        model
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("model.gguf")
    }

    /// The file's path.
    pub fn path(&self) -> String {
        self.file().to_str().unwrap().to_owned()
    }

    /// Cuts the file after `bytes`.
    pub fn truncate(self, bytes: u64) -> Self {
        let file = std::fs::File::options()
            .write(true)
            .open(self.file())
            .unwrap();
        file.set_len(bytes).unwrap();
        self
    }
}
