//! Is there a Vulkan driver? Asked as the Vulkan loader asks it ("Driver Discovery" in Khronos's
//! Vulkan-Loader, `docs/LoaderDriverInterface.md`): a driver is a JSON manifest that names a library.

use std::env;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use thiserror::Error;

use crate::command::Call;
use crate::packages::{Installer, PackagesError};

/// The library that finds the drivers.
const LOADER: &str = "libvulkan.so.1";

/// What gives a Debian or Ubuntu machine a Vulkan driver that needs no GPU.
pub const PACKAGES: [&str; 2] = ["mesa-vulkan-drivers", "libvulkan1"];

/// Why there is no usable Vulkan driver.
#[derive(Debug, Error)]
pub enum DriverError {
    /// The Vulkan loader is not installed.
    #[error("the Vulkan loader {LOADER} is not installed")]
    NoLoader,
    /// No driver is registered.
    #[error("there is no Vulkan driver manifest (*.json) in {}", list(.searched))]
    NoManifest {
        /// The folders and files that may hold or be one.
        searched: Vec<PathBuf>,
    },
    /// A driver is registered, but is not a driver.
    #[error("the Vulkan driver manifest {} names no library in ICD.library_path", .manifest.display())]
    NoLibraryNamed {
        /// The manifest.
        manifest: PathBuf,
    },
    /// A driver is registered, but its library is not there.
    #[error("the Vulkan driver manifest {} names {library}, which is not on this machine", .manifest.display())]
    NoLibrary {
        /// The manifest.
        manifest: PathBuf,
        /// What it names.
        library: String,
    },
    /// It could not be installed.
    #[error(transparent)]
    Packages(#[from] PackagesError),
}

/// The Vulkan drivers of a machine, at least one. Some may be for hardware that is not there.
#[derive(Debug, PartialEq, Eq)]
pub struct Drivers {
    manifests: Vec<PathBuf>,
    loader: PathBuf,
}

impl fmt::Display for Drivers {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.manifests.iter().filter_map(|path| path.file_name());
        let names: Vec<PathBuf> = names.map(PathBuf::from).collect();
        write!(out, "{} for {}", list(&names), self.loader.display())
    }
}

/// Whether a Vulkan driver is what rlx needs here: elsewhere the system brings its GPU interface.
pub fn is_needed() -> bool {
    cfg!(target_os = "linux")
}

/// Finds a Vulkan driver of this machine.
///
/// # Errors
/// When there is none.
pub fn find() -> Result<Drivers, DriverError> {
    Search::of_this_machine().run()
}

/// Installs Mesa's software driver and the loader.
///
/// # Errors
/// When that fails, or there is still no driver after it.
pub fn install(installer: &Installer) -> Result<Drivers, DriverError> {
    installer.install(&PACKAGES)?;
    find()
}

/// Where drivers, their libraries and the loader may be.
#[derive(Debug)]
struct Search {
    /// Manifests and folders of manifests, in the loader's order.
    manifests: Vec<PathBuf>,
    /// Folders of shared libraries.
    library_folders: Vec<PathBuf>,
    /// The shared libraries that the dynamic linker's cache knows.
    linker_cache: Vec<PathBuf>,
}

impl Search {
    fn of_this_machine() -> Self {
        // Users other than root rarely have /sbin on their PATH.
        let listing = ["ldconfig", "/sbin/ldconfig", "/usr/sbin/ldconfig"]
            .into_iter()
            .find_map(|program| Call::new(program).arg("-p").capture(|| {}).ok())
            .unwrap_or_default();
        Self::new(
            Path::new("/"),
            |name| env::var_os(name).filter(|value| !value.is_empty()),
            libraries(&String::from_utf8_lossy(&listing)),
        )
    }

    /// `root` is what stands before the system's own folders, `variable` the environment.
    fn new(
        root: &Path,
        variable: impl Fn(&str) -> Option<OsString>,
        linker_cache: Vec<PathBuf>,
    ) -> Self {
        let paths = |name: &str| -> Vec<PathBuf> {
            variable(name)
                .map(|value| env::split_paths(&value).collect())
                .unwrap_or_default()
        };
        let home = |name: &str, below: &str| {
            variable(name)
                .map(PathBuf::from)
                .or_else(|| Some(Path::new(&variable("HOME")?).join(below)))
        };
        let or_system = |folders: Vec<PathBuf>, system: &[&str]| {
            if folders.is_empty() {
                system.iter().map(|folder| root.join(folder)).collect()
            } else {
                folders
            }
        };

        let only = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"]
            .into_iter()
            .map(&paths)
            .find(|files| !files.is_empty());
        let manifests = only.unwrap_or_else(|| {
            let folders = [
                home("XDG_CONFIG_HOME", ".config").into_iter().collect(),
                or_system(paths("XDG_CONFIG_DIRS"), &["etc/xdg"]),
                vec![root.join("etc"), root.join("usr/local/etc")],
                home("XDG_DATA_HOME", ".local/share").into_iter().collect(),
                or_system(paths("XDG_DATA_DIRS"), &["usr/local/share", "usr/share"]),
            ]
            .concat();
            let mut manifests = paths("VK_ADD_DRIVER_FILES");
            for folder in folders {
                let folder = folder.join("vulkan/icd.d");
                if !manifests.contains(&folder) {
                    manifests.push(folder);
                }
            }
            manifests
        });

        let mut library_folders = paths("LD_LIBRARY_PATH");
        for below in ["lib", "lib64", "usr/lib", "usr/lib64", "usr/local/lib"] {
            library_folders.push(root.join(below));
            library_folders.push(root.join(format!("{below}/{}-linux-gnu", env::consts::ARCH)));
        }
        Self {
            manifests,
            library_folders,
            linker_cache,
        }
    }

    /// The manifests whose library is there; if there are none, the first reason why one is no driver.
    fn run(&self) -> Result<Drivers, DriverError> {
        let loader = self.library(LOADER).ok_or(DriverError::NoLoader)?;
        let mut manifests = Vec::new();
        let mut first_error = None;
        for manifest in self.manifests.iter().flat_map(|path| manifests_at(path)) {
            match self.check(&manifest) {
                Ok(()) => manifests.push(manifest),
                Err(error) => {
                    first_error.get_or_insert(error);
                }
            }
        }
        if !manifests.is_empty() {
            return Ok(Drivers { manifests, loader });
        }
        Err(first_error.unwrap_or_else(|| DriverError::NoManifest {
            searched: self.manifests.clone(),
        }))
    }

    fn check(&self, manifest: &Path) -> Result<(), DriverError> {
        let text = fs::read(manifest).unwrap_or_default();
        let json: Value = serde_json::from_slice(&text).unwrap_or_default();
        let Some(library) = json["ICD"]["library_path"].as_str() else {
            return Err(DriverError::NoLibraryNamed {
                manifest: manifest.to_owned(),
            });
        };
        let there = if library.contains('/') {
            let beside = manifest.parent().unwrap_or(Path::new(""));
            beside.join(library).is_file()
        } else {
            self.library(library).is_some()
        };
        if there {
            return Ok(());
        }
        Err(DriverError::NoLibrary {
            manifest: manifest.to_owned(),
            library: library.to_owned(),
        })
    }

    fn library(&self, name: &str) -> Option<PathBuf> {
        let cached = self
            .linker_cache
            .iter()
            .find(|path| path.file_name().is_some_and(|file| file == name));
        cached.cloned().or_else(|| {
            self.library_folders
                .iter()
                .map(|folder| folder.join(name))
                .find(|path| path.is_file())
        })
    }
}

/// The manifests in a folder by name, or the manifest itself.
fn manifests_at(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let mut manifests: Vec<PathBuf> = fs::read_dir(path)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .collect();
    manifests.sort();
    manifests
}

/// The paths in the output of `ldconfig -p`, whose lines read `name (kind) => path`.
fn libraries(listing: &str) -> Vec<PathBuf> {
    listing
        .lines()
        .filter_map(|line| Some(PathBuf::from(line.split_once(" => ")?.1)))
        .collect()
}

fn list(paths: &[PathBuf]) -> String {
    let paths: Vec<String> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    paths.join(", ")
}

/// The call with what Mesa's drivers grumble about on stderr where it is not set.
pub fn quieted(call: Call) -> Call {
    if env::var_os("XDG_RUNTIME_DIR").is_some() {
        return call;
    }
    call.with("XDG_RUNTIME_DIR", env::temp_dir())
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    const LISTING: &str = "1 libs found in cache `/etc/ld.so.cache'\n\
        \tlibvulkan.so.1 (libc6,x86-64) => /lib/x86_64-linux-gnu/libvulkan.so.1\n";

    fn write(root: &TempDir, path: &str, text: &str) -> PathBuf {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn manifest(root: &TempDir, path: &str, library: &str) -> PathBuf {
        let text = format!(r#"{{"ICD": {{"library_path": "{library}"}}}}"#);
        write(root, path, &text)
    }

    fn search(root: &TempDir, variables: &[(&str, &Path)]) -> Result<Drivers, DriverError> {
        let variable = |name: &str| {
            let (_, value) = variables.iter().find(|(key, _)| *key == name)?;
            Some(value.as_os_str().to_owned())
        };
        Search::new(root.path(), variable, Vec::new()).run()
    }

    fn drivers(manifest: PathBuf, loader: PathBuf) -> Drivers {
        Drivers {
            manifests: vec![manifest],
            loader,
        }
    }

    /// A machine with the loader and a driver's library, which no manifest names yet.
    fn machine() -> (TempDir, PathBuf) {
        let root = TempDir::new().unwrap();
        let loader = write(&root, "usr/lib64/libvulkan.so.1", "");
        write(&root, "usr/lib64/libvulkan_lvp.so", "");
        (root, loader)
    }

    #[test]
    fn a_machine_without_the_loader_is_told_so() {
        let root = TempDir::new().unwrap();
        manifest(&root, "usr/share/vulkan/icd.d/lvp.json", "libvulkan_lvp.so");
        assert!(matches!(search(&root, &[]), Err(DriverError::NoLoader)));
    }

    #[test]
    fn a_machine_without_a_manifest_is_told_the_folders_searched() {
        let (root, _) = machine();
        let message = search(&root, &[]).unwrap_err().to_string();
        assert!(message.contains("usr/share/vulkan/icd.d"), "{message}");
        assert!(message.contains("etc/vulkan/icd.d"), "{message}");
    }

    #[test]
    fn a_driver_is_found_in_each_system_folder() {
        for folder in ["usr/share", "usr/local/share", "etc", "etc/xdg"] {
            let (root, loader) = machine();
            let path = format!("{folder}/vulkan/icd.d/lvp.json");
            let manifest = manifest(&root, &path, "libvulkan_lvp.so");
            assert_eq!(search(&root, &[]).unwrap(), drivers(manifest, loader));
        }
    }

    #[test]
    fn a_driver_is_found_in_each_folder_that_the_environment_names() {
        for name in [
            "XDG_CONFIG_HOME",
            "XDG_CONFIG_DIRS",
            "XDG_DATA_HOME",
            "XDG_DATA_DIRS",
        ] {
            let (root, loader) = machine();
            let manifest = manifest(&root, "own/vulkan/icd.d/lvp.json", "libvulkan_lvp.so");
            let found = search(&root, &[(name, &root.path().join("own"))]).unwrap();
            assert_eq!(found, drivers(manifest, loader));
        }
    }

    #[test]
    fn a_driver_is_found_below_the_home_folder() {
        let (root, loader) = machine();
        let path = "home/.local/share/vulkan/icd.d/lvp.json";
        let manifest = manifest(&root, path, "libvulkan_lvp.so");
        let found = search(&root, &[("HOME", &root.path().join("home"))]).unwrap();
        assert_eq!(found, drivers(manifest, loader));
    }

    #[test]
    fn named_manifests_replace_the_system_folders() {
        let (root, loader) = machine();
        manifest(&root, "usr/share/vulkan/icd.d/a.json", "libvulkan_lvp.so");
        let named = manifest(&root, "own.json", "libvulkan_lvp.so");
        for name in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
            let found = search(&root, &[(name, &named)]).unwrap();
            assert_eq!(found, drivers(named.clone(), loader.clone()));
            let absent = root.path().join("absent.json");
            let error = search(&root, &[(name, &absent)]).unwrap_err().to_string();
            assert!(error.contains("absent.json"), "{error}");
        }
    }

    #[test]
    fn a_manifest_whose_library_is_absent_is_no_driver() {
        let (root, _) = machine();
        manifest(
            &root,
            "usr/share/vulkan/icd.d/nv.json",
            "libGLX_nvidia.so.0",
        );
        let message = search(&root, &[]).unwrap_err().to_string();
        assert!(
            message.ends_with("nv.json names libGLX_nvidia.so.0, which is not on this machine"),
            "{message}"
        );
    }

    #[test]
    fn a_manifest_that_names_no_library_does_not_hide_the_next() {
        let (root, loader) = machine();
        write(&root, "usr/share/vulkan/icd.d/a.json", "{");
        let manifest = manifest(&root, "usr/share/vulkan/icd.d/b.json", "libvulkan_lvp.so");
        assert_eq!(search(&root, &[]).unwrap(), drivers(manifest, loader));
    }

    #[test]
    fn all_drivers_are_told_by_name() {
        let (root, loader) = machine();
        manifest(&root, "etc/vulkan/icd.d/a.json", "libvulkan_lvp.so");
        manifest(&root, "usr/share/vulkan/icd.d/b.json", "libvulkan_lvp.so");
        assert_eq!(
            search(&root, &[]).unwrap().to_string(),
            format!("a.json, b.json for {}", loader.display())
        );
    }

    #[test]
    fn a_relative_library_is_looked_for_beside_its_manifest() {
        let (root, loader) = machine();
        write(&root, "opt/driver/libown.so", "");
        let named = manifest(&root, "opt/driver/own.json", "./libown.so");
        let found = search(&root, &[("VK_DRIVER_FILES", &named)]).unwrap();
        assert_eq!(found, drivers(named, loader));
    }

    #[test]
    fn the_loader_is_found_in_the_dynamic_linkers_cache() {
        let root = TempDir::new().unwrap();
        let manifest = manifest(&root, "etc/vulkan/icd.d/own.json", "libown.so");
        let listing = format!("{LISTING}\tlibown.so (libc6,x86-64) => /opt/libown.so\n");
        let found = Search::new(root.path(), |_| None, libraries(&listing)).run();
        let loader = PathBuf::from("/lib/x86_64-linux-gnu/libvulkan.so.1");
        assert_eq!(found.unwrap(), drivers(manifest, loader));
    }
}
