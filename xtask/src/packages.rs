//! Installing Debian packages, where this machine and its user permit it.

use std::env;

use thiserror::Error;

use crate::command::{Call, CommandError};
use crate::progress::Progress;

/// Why packages cannot be installed, or were not.
#[derive(Debug, Error)]
pub enum PackagesError {
    /// The user said `--no-install`.
    #[error("--no-install forbids installing packages")]
    Forbidden,
    /// Not a Debian or Ubuntu machine.
    #[error("there is no apt-get on this machine")]
    NoAptGet,
    /// No right to install.
    #[error("installing packages takes root or sudo without a password")]
    NotRoot,
    /// apt-get failed.
    #[error("{packages} could not be installed: {}", .source.reason())]
    Install {
        /// The packages, separated by spaces.
        packages: String,
        /// apt-get's failure.
        source: CommandError,
    },
}

/// The right to install packages with apt-get.
#[derive(Debug)]
pub struct Installer {
    sudo: bool,
}

impl Installer {
    /// The installer of this machine.
    ///
    /// # Errors
    /// Says why there is none: not `allowed`, no apt-get, or no right to use it.
    pub fn find(allowed: bool) -> Result<Self, PackagesError> {
        if !allowed {
            return Err(PackagesError::Forbidden);
        }
        if !is_on_path("apt-get") {
            return Err(PackagesError::NoAptGet);
        }
        let user = Call::new("id").arg("-u").capture(|| {}).unwrap_or_default();
        if user.trim_ascii() == b"0" {
            Ok(Self { sudo: false })
        } else if Call::new("sudo").args(["-n", "true"]).succeeds() {
            Ok(Self { sudo: true })
        } else {
            Err(PackagesError::NotRoot)
        }
    }

    /// Installs `packages` without their recommendations, after `apt-get update`, and prints both
    /// commands.
    ///
    /// # Errors
    /// When apt-get cannot install them.
    pub fn install(&self, packages: &[&str]) -> Result<(), PackagesError> {
        // One broken source fails the update, yet another may hold the packages.
        if let Err(error) = self.apt_get(&["update"]) {
            println!("  it failed: {}", error.reason());
        }
        let arguments = [&["install", "-y", "--no-install-recommends"], packages].concat();
        self.apt_get(&arguments)
            .map_err(|source| PackagesError::Install {
                packages: packages.join(" "),
                source,
            })
    }

    fn apt_get(&self, arguments: &[&str]) -> Result<(), CommandError> {
        let call = if self.sudo {
            Call::new("sudo").args(["-n", "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"])
        } else {
            Call::new("apt-get").with("DEBIAN_FRONTEND", "noninteractive")
        }
        .args(["-o", "DPkg::Lock::Timeout=120"])
        .args(arguments);
        println!("$ {call}");
        let progress = Progress::spinner();
        call.capture(|| progress.tick()).map(drop)
    }
}

fn is_on_path(program: &str) -> bool {
    env::var_os("PATH")
        .is_some_and(|path| env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_installer_is_found_where_installing_is_forbidden() {
        assert!(matches!(
            Installer::find(false),
            Err(PackagesError::Forbidden)
        ));
    }
}
