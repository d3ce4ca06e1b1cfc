//! The texts of identifiers and times, put together on the stack. Every event and frame has several of them, and with the
//! standard library's formatting they took a third of the instructions of encoding an event.

/// The longest text: an `anchored` event's id, 36 + 1 + 20 + 1 + 16 + 2 + 10 bytes.
const LONGEST: usize = 86;

const HEX: &[u8; 16] = b"0123456789abcdef";

/// A short ASCII text under construction.
pub(crate) struct Spelling {
    bytes: [u8; LONGEST],
    len: usize,
}

impl Spelling {
    pub(crate) fn new() -> Self {
        Self {
            bytes: [0; LONGEST],
            len: 0,
        }
    }

    /// Adds `text`, which is ASCII.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.bytes[self.len..self.len + text.len()].copy_from_slice(text.as_bytes());
        self.len += text.len();
        self
    }

    /// Adds a UUID with hyphens, in lower case.
    pub(crate) fn uuid(&mut self, id: uuid::Uuid) -> &mut Self {
        let hyphenated = id.hyphenated();
        let written = hyphenated.encode_lower(&mut self.bytes[self.len..]).len();
        self.len += written;
        self
    }

    /// Adds two hexadecimal digits in lower case for each byte.
    pub(crate) fn hex<const N: usize>(&mut self, bytes: [u8; N]) -> &mut Self {
        let digits = self.bytes[self.len..self.len + 2 * N].chunks_exact_mut(2);
        for (two, byte) in digits.zip(bytes) {
            two[0] = HEX[usize::from(byte >> 4)];
            two[1] = HEX[usize::from(byte & 15)];
        }
        self.len += 2 * N;
        self
    }

    /// Adds 16 hexadecimal digits.
    pub(crate) fn hex16(&mut self, number: u64) -> &mut Self {
        self.hex(number.to_be_bytes())
    }

    /// Adds a number in decimal digits, with leading zeros up to `width`.
    pub(crate) fn decimal(&mut self, number: u64, width: usize) -> &mut Self {
        let digits = number
            .checked_ilog10()
            .map_or(1, |log| log as usize + 1)
            .max(width);
        let mut rest = number;
        for byte in self.bytes[self.len..self.len + digits].iter_mut().rev() {
            *byte = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        self.len += digits;
        self
    }
}

impl AsRef<str> for Spelling {
    fn as_ref(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.len]).expect("only ASCII was added")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_spells_like_the_standard_library(number: u64, width in 0usize..=20, id: u128) {
            let id = uuid::Uuid::from_u128(id);
            let mut spelling = Spelling::new();
            spelling.uuid(id).text(":").decimal(number, width).text("-").hex16(number);
            let expected = format!("{id}:{number:0width$}-{number:016x}");
            prop_assert_eq!(spelling.as_ref(), expected);
        }
    }
}
