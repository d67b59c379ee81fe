//! Arrays of metadata values, which stay in the file.

use super::cursor::Cursor;
use super::error::{Fault, Field, Malformed};
use super::value::{FromValue, Value, ValueType};

/// How deep arrays may nest: an array of scalars is 1 deep.
pub const ARRAY_DEPTH_LIMIT: usize = 8;

/// An array of values of one type, left in the file and decoded as it is iterated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Array<'a> {
    element: ValueType,
    count: usize,
    bytes: &'a [u8],
}

impl<'a> Array<'a> {
    /// The type of the elements.
    pub fn element_type(&self) -> ValueType {
        self.element
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The elements, in order.
    pub fn iter(&self) -> ArrayIter<'a> {
        ArrayIter {
            element: self.element,
            left: self.count,
            cursor: Cursor::new(self.bytes),
        }
    }

    /// The elements as `T`; `None` where they are of another type.
    pub fn values<T: FromValue<'a>>(&self) -> Option<impl Iterator<Item = T> + use<'a, T>> {
        (self.element == T::TYPE).then(|| self.iter().filter_map(T::from_value))
    }

    /// Element type and count, checked against the bytes that follow; takes those for the array's.
    pub(super) fn head(cursor: &mut Cursor<'a>, key: &str) -> Result<Self, Malformed> {
        let element = ValueType::read(cursor, Field::ArrayType(key))?;
        let count = cursor.count(element.least_bytes(), Field::ArrayCount(key))?;
        Ok(Self {
            element,
            count,
            bytes: cursor.rest(),
        })
    }

    pub(super) fn read(
        cursor: &mut Cursor<'a>,
        key: &str,
        depth: usize,
    ) -> Result<Self, Malformed> {
        if depth > ARRAY_DEPTH_LIMIT {
            let fault = Fault::Depth {
                limit: ARRAY_DEPTH_LIMIT,
            };
            return Err(Field::Value(key).fault(cursor.at(), fault));
        }
        let Self {
            element,
            count,
            bytes,
        } = Self::head(cursor, key)?;
        if element.is_sized() {
            let size = count as u64 * element.least_bytes();
            let bytes = cursor.take(size, Field::Value(key))?;
            return Ok(Self {
                element,
                count,
                bytes,
            });
        }
        for i in 0..count {
            Value::read(cursor, element, key, Field::Element(key, i), depth)?;
        }
        let size = bytes.len() - cursor.rest().len();
        Ok(Self {
            element,
            count,
            bytes: &bytes[..size],
        })
    }
}

impl<'a> IntoIterator for Array<'a> {
    type Item = Value<'a>;
    type IntoIter = ArrayIter<'a>;

    fn into_iter(self) -> ArrayIter<'a> {
        self.iter()
    }
}

impl<'a> IntoIterator for &Array<'a> {
    type Item = Value<'a>;
    type IntoIter = ArrayIter<'a>;

    fn into_iter(self) -> ArrayIter<'a> {
        self.iter()
    }
}

/// The elements of an [`Array`], in order.
#[derive(Clone, Debug)]
pub struct ArrayIter<'a> {
    element: ValueType,
    left: usize,
    cursor: Cursor<'a>,
}

impl<'a> Iterator for ArrayIter<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        self.left = self.left.checked_sub(1)?;
        // Each element was read once when the file was, so that this yields `left` values.
        Value::read(&mut self.cursor, self.element, "", Field::Value(""), 0).ok()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for ArrayIter<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_of_arrays_yields_arrays_that_yield_their_elements() {
        let mut bytes = vec![9, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0];
        bytes.extend([0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 7, 8]);
        bytes.extend([
            8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, b'x',
        ]);
        let outer = Array::read(&mut Cursor::new(&bytes), "k", 1).unwrap();
        assert_eq!((outer.element_type(), outer.len()), (ValueType::Array, 2));
        let inner: Vec<_> = outer.values::<Array>().unwrap().collect();
        assert_eq!(inner[0].values::<u8>().unwrap().collect::<Vec<_>>(), [7, 8]);
        assert_eq!(
            inner[1].values::<&str>().unwrap().collect::<Vec<_>>(),
            ["x"]
        );
        assert!(inner[1].values::<u8>().is_none());
    }
}
