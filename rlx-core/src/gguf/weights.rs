//! A file as a store of weights.

use super::GgufFile;
use crate::weights::{Weights, WeightsError};

impl Weights for GgufFile {
    fn bytes(&self, name: &str) -> Result<&[u8], WeightsError> {
        let missing = || WeightsError::Missing { name: name.into() };
        Ok(self.tensor_bytes(self.tensor(name).ok_or_else(missing)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gguf::{GgufWriter, TensorType};

    #[test]
    fn a_file_gives_the_blocks_of_its_tensors_and_names_the_one_it_lacks() {
        let f32 = TensorType::from_name("F32").unwrap();
        let mut writer = GgufWriter::new();
        writer.tensor("a", &[2], f32, [0; 8]).unwrap();
        writer.tensor("b", &[1], f32, [1, 2, 3, 4]).unwrap();
        let mut bytes = Vec::new();
        writer.write_to(&mut bytes).unwrap();
        let file = GgufFile::parse(bytes).unwrap();
        assert_eq!(Weights::bytes(&file, "b"), Ok(&[1, 2, 3, 4][..]));
        let missing = WeightsError::Missing { name: "c".into() };
        assert_eq!(Weights::bytes(&file, "c"), Err(missing));
    }
}
