//! Reads little-endian fields off a byte slice, each with its name and its place.

use super::error::{Fault, Field, Malformed};

/// Bytes that a key or a tensor name may take (GGUF specification, "File Structure": keys are at
/// most 2¹⁶ − 1 bytes long).
pub(super) const NAME_LIMIT: u64 = 65_535;

/// The bytes that are still to be read. No read copies and none allocates, whatever length it is
/// asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    rest: &'a [u8],
    at: u64,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, at: 0 }
    }

    /// Where the next field begins, in bytes from the first.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(super) fn left(&self) -> u64 {
        self.rest.len() as u64
    }

    pub(super) fn take(&mut self, needed: u64, field: Field<'_>) -> Result<&'a [u8], Malformed> {
        let split = usize::try_from(needed)
            .ok()
            .and_then(|n| self.rest.split_at_checked(n));
        let Some((taken, rest)) = split else {
            return Err(field.fault(
                self.at,
                Fault::Truncated {
                    needed,
                    left: self.left(),
                },
            ));
        };
        self.rest = rest;
        self.at += needed;
        Ok(taken)
    }

    pub(super) fn array<const N: usize>(&mut self, field: Field<'_>) -> Result<[u8; N], Malformed> {
        let Some((taken, rest)) = self.rest.split_first_chunk::<N>() else {
            let fault = Fault::Truncated {
                needed: N as u64,
                left: self.left(),
            };
            return Err(field.fault(self.at, fault));
        };
        self.rest = rest;
        self.at += N as u64;
        Ok(*taken)
    }

    pub(super) fn u32(&mut self, field: Field<'_>) -> Result<u32, Malformed> {
        self.array(field).map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self, field: Field<'_>) -> Result<u64, Malformed> {
        self.array(field).map(u64::from_le_bytes)
    }

    /// A number of items that follow, each at least `least` bytes, so that a count which passes
    /// bounds what reading the items can take.
    pub(super) fn count(&mut self, least: u64, field: Field<'_>) -> Result<usize, Malformed> {
        let at = self.at;
        let count = self.u64(field)?;
        self.check_count(count, least, at, field)
    }

    /// [`Self::count`] of a count that was read at `at` and whose items begin here.
    pub(super) fn check_count(
        &self,
        count: u64,
        least: u64,
        at: u64,
        field: Field<'_>,
    ) -> Result<usize, Malformed> {
        let left = self.left();
        match usize::try_from(count) {
            Ok(items) if count <= left / least => Ok(items),
            _ => Err(field.fault(at, Fault::Count { count, least, left })),
        }
    }

    /// A length in 64 bits and as many bytes of UTF-8.
    pub(super) fn string(&mut self, field: Field<'_>) -> Result<&'a str, Malformed> {
        let length = self.u64(field)?;
        let at = self.at;
        let bytes = self.take(length, field)?;
        std::str::from_utf8(bytes).map_err(|error| {
            field.fault(
                at,
                Fault::Utf8 {
                    valid: error.valid_up_to() as u64,
                },
            )
        })
    }

    /// A string that names something: [`NAME_LIMIT`] bytes at most.
    pub(super) fn name(&mut self, field: Field<'_>) -> Result<&'a str, Malformed> {
        let at = self.at;
        let name = self.string(field)?;
        let length = name.len() as u64;
        if length > NAME_LIMIT {
            return Err(field.fault(
                at,
                Fault::NameLength {
                    length,
                    limit: NAME_LIMIT,
                },
            ));
        }
        Ok(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_past_the_end_is_named_with_its_byte_and_leaves_the_cursor_alone() {
        let mut cursor = Cursor::new(&[1, 0, 0, 0, 2, 0]);
        assert_eq!(cursor.u32(Field::Version), Ok(1));
        let error = cursor.u32(Field::Magic).unwrap_err();
        assert_eq!(
            error.to_string(),
            "magic at byte 4: takes 4 bytes, 2 are left in the file"
        );
        assert_eq!(cursor.rest(), [2, 0]);
    }

    #[test]
    fn a_string_of_no_bytes_at_the_end_is_read() {
        let mut cursor = Cursor::new(&[0; 8]);
        assert_eq!(cursor.string(Field::Key(0)), Ok(""));
        assert_eq!(cursor.left(), 0);
    }

    #[test]
    fn a_count_is_refused_when_its_items_cannot_fit() {
        let bytes = [3, 0, 0, 0, 0, 0, 0, 0, 9, 9, 9, 9, 9];
        assert_eq!(Cursor::new(&bytes).count(1, Field::TensorCount), Ok(3));
        let error = Cursor::new(&bytes)
            .count(2, Field::TensorCount)
            .unwrap_err();
        assert_eq!(error.byte, 0);
        assert_eq!(
            error.fault,
            Fault::Count {
                count: 3,
                least: 2,
                left: 5
            }
        );
    }
}
