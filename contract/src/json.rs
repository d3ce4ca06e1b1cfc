//! Writing JSON: what is written for every move is written here.

use std::io;

use serde::Serialize;

/// The JSON of `value`, made in a document with room for `usual` bytes that grows if that is not enough. It takes no more
/// room than it needs in the end: frames and events are kept.
///
/// # Errors
/// As [`serde_json::to_vec`]: a key is no text, a number is not finite, or `value` refuses.
pub fn to_vec<T: Serialize + ?Sized>(value: &T, usual: usize) -> serde_json::Result<Vec<u8>> {
    let mut document = Document(Vec::with_capacity(usual));
    serde_json::to_writer(&mut document, value)?;
    let Document(mut json) = document;
    json.shrink_to_fit();
    Ok(json)
}

/// A serialiser writes a document in hundreds of pieces, most of one byte. A vector's own way to take a piece is a call with
/// a copy of any length; this is a third of the instructions of encoding an event.
struct Document(Vec<u8>);

impl io::Write for Document {
    #[inline]
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.write_all(piece)?;
        Ok(piece.len())
    }

    #[inline]
    fn write_all(&mut self, piece: &[u8]) -> io::Result<()> {
        match piece {
            [byte] => self.0.push(*byte),
            _ => self.0.extend_from_slice(piece),
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_what_the_library_writes() {
        let value = serde_json::json!({ "a": [1, -2.5, null], "ö\"\n": { "": "x".repeat(3_000) }, "e": {} });
        for usual in [0, 10_000] {
            assert_eq!(
                to_vec(&value, usual).unwrap(),
                serde_json::to_vec(&value).unwrap()
            );
        }
    }
}
