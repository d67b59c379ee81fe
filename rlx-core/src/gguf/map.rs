//! A file's bytes without reading them: the one unsafe call of the crate.

use std::fs::File;
use std::io;
use std::path::Path;

use memmap2::Mmap;

/// Maps the whole of a file for reading.
pub(super) fn map(path: &Path) -> io::Result<Mmap> {
    let file = File::open(path)?;
    // SAFETY: the map is read-only, spans the file's length as of now and owns its pages until it
    // is dropped, so each slice of it borrows live memory. Two things are beyond this process:
    // `GgufFile::open` asks its caller that nobody writes or truncates the file meanwhile, the
    // same condition under which any reader of a mapped file is sound. No code relies on earlier
    // checks of mapped bytes for memory safety: slices are bounded by the map's length, and UTF-8
    // is validated on each access.
    #[allow(unsafe_code)]
    unsafe {
        Mmap::map(&file)
    }
}
