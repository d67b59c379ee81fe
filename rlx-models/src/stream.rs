//! Text as tokens come: whole characters alone.

/// Bytes of which whole characters are given on.
#[derive(Clone, Debug, Default)]
pub struct TextStream {
    held: Vec<u8>,
}

impl TextStream {
    /// A stream without bytes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes bytes and gives the characters that are whole now. What can be no beginning of a character
    /// becomes U+FFFD.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        self.held.extend(bytes);
        let mut text = String::new();
        let mut rest = self.held.as_slice();
        loop {
            match std::str::from_utf8(rest) {
                Ok(whole) => {
                    text.push_str(whole);
                    rest = &[];
                }
                Err(error) => {
                    let (whole, broken) = rest.split_at(error.valid_up_to());
                    text.push_str(&String::from_utf8_lossy(whole));
                    let Some(wrong) = error.error_len() else {
                        // The beginning of a character.
                        rest = broken;
                        break;
                    };
                    text.push(char::REPLACEMENT_CHARACTER);
                    rest = &broken[wrong..];
                    continue;
                }
            }
            break;
        }
        self.held = rest.to_vec();
        text
    }

    /// What is left at the end: U+FFFD for the beginning of a character.
    pub fn finish(&mut self) -> String {
        let text = String::from_utf8_lossy(&self.held).into_owned();
        self.held.clear();
        text
    }
}

#[cfg(test)]
mod tests {
    use super::TextStream;

    #[test]
    fn characters_come_whole() {
        let text = "aé€😀b";
        for size in 1..=text.len() {
            let mut stream = TextStream::new();
            let parts: Vec<String> = text
                .as_bytes()
                .chunks(size)
                .map(|part| stream.push(part))
                .collect();
            assert_eq!(parts.concat(), text, "{size} bytes at a time");
            assert_eq!(stream.finish(), "");
        }
    }

    #[test]
    fn what_is_no_character_is_replaced() {
        let mut stream = TextStream::new();
        assert_eq!(stream.push(b"a\xffb"), "a\u{fffd}b");
        assert_eq!(stream.push(b"\xe2\x82"), "");
        assert_eq!(stream.push(b"x"), "\u{fffd}x");
        assert_eq!(stream.push(b"\xf0\x9f"), "");
        assert_eq!(stream.finish(), "\u{fffd}");
        assert_eq!(stream.finish(), "");
    }
}
