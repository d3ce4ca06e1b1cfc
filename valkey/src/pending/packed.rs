//! An item as one value: the lines id, place, previd, anchored and name, and then the document.

use bytes::Bytes;
use commands::ports::PendingItem;

use super::{or_empty, text};

pub(super) fn pack(item: &PendingItem) -> Vec<u8> {
    let PendingItem {
        place,
        id,
        previd,
        anchored,
        name,
        bytes,
    } = item;
    let previd = or_empty(*previd);
    let mut packed = format!("{id}\n{place}\n{previd}\n{anchored}\n{name}\n").into_bytes();
    packed.extend_from_slice(bytes);
    packed
}

pub(super) fn unpack(packed: Vec<u8>) -> Result<PendingItem, String> {
    let packed = Bytes::from(packed);
    let mut rest = packed.clone();
    let mut line = || {
        let end = rest
            .iter()
            .position(|byte| *byte == b'\n')
            .ok_or("a line is missing")?;
        let line = rest.split_to(end + 1);
        String::from_utf8(line[..end].to_vec()).map_err(text)
    };
    let (id, place, previd, anchored, name) = (line()?, line()?, line()?, line()?, line()?);
    Ok(PendingItem {
        place: place.parse().map_err(text)?,
        id: id.parse().map_err(text)?,
        previd: if previd.is_empty() {
            None
        } else {
            Some(previd.parse().map_err(text)?)
        },
        anchored: anchored.parse().map_err(text)?,
        name,
        bytes: rest,
    })
}
