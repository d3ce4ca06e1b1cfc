//! Secrets in every form in which they might be written, and a look for all of them at once.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

/// So many bytes of a secret say enough: whoever finds them somewhere by chance is lucky beyond belief.
const ENOUGH: usize = 8;

/// What is looked for.
#[derive(Default)]
pub struct Needles {
    /// What it is and how it goes on, by how it begins.
    by_beginning: HashMap<[u8; ENOUGH], Vec<(String, Vec<u8>)>>,
}

impl Needles {
    /// Adds a secret: as it is, in hexadecimal of both cases, in base64 of both alphabets wherever it begins, and as
    /// numbers; the whole and each part that says enough.
    pub fn add(&mut self, what: &str, secret: &[u8]) {
        for part in secret.chunks_exact(ENOUGH) {
            self.add_form(what, part);
            self.add_form(what, hex::encode(part).as_bytes());
            self.add_form(what, hex::encode_upper(part).as_bytes());
            for between in [",", ", ", " "] {
                let numbers: Vec<String> = part.iter().map(u8::to_string).collect();
                self.add_form(what, numbers.join(between).as_bytes());
            }
        }
        for before in 0..3 {
            let shifted: Vec<u8> = std::iter::repeat_n(0, before)
                .chain(secret.iter().copied())
                .collect();
            for written in [STANDARD.encode(&shifted), URL_SAFE_NO_PAD.encode(&shifted)] {
                // What depends on the neighbours is left out.
                self.add_form(what, &written.as_bytes()[4..4 + 4 * (secret.len() / 3 - 2)]);
            }
        }
    }

    fn add_form(&mut self, what: &str, form: &[u8]) {
        let beginning = *form.first_chunk().expect("each form is long enough");
        let forms = self.by_beginning.entry(beginning).or_default();
        forms.push((what.to_owned(), form.to_vec()));
    }

    /// What is found, if anything is.
    pub fn found_in(&self, text: &[u8]) -> Option<&str> {
        text.windows(ENOUGH).enumerate().find_map(|(at, window)| {
            let forms = self.by_beginning.get(window)?;
            let found = forms.iter().find(|(_, form)| text[at..].starts_with(form));
            found.map(|(what, _)| what.as_str())
        })
    }
}

#[test]
fn a_secret_is_found_in_every_form_wherever_it_stands() {
    let secret: [u8; 32] = std::array::from_fn(|index| (index * 37 + 11) as u8);
    let mut needles = Needles::default();
    needles.add("it", &secret);
    let list: Vec<String> = secret.iter().map(u8::to_string).collect();
    for before in 0..5 {
        let with = |form: &[u8]| [b"a \"".repeat(before), form.to_vec(), b"z".to_vec()].concat();
        let inside = with(&secret);
        for form in [
            inside.clone(),
            with(hex::encode(secret).as_bytes()),
            with(hex::encode_upper(secret).as_bytes()),
            with(hex::encode(&secret[8..16]).as_bytes()),
            with(STANDARD.encode(secret).as_bytes()),
            STANDARD.encode(&inside).into_bytes(),
            URL_SAFE_NO_PAD.encode(&inside).into_bytes(),
            with(format!("[{}]", list.join(",")).as_bytes()),
            with(format!("{secret:?}").as_bytes()),
        ] {
            assert_eq!(
                needles.found_in(&form),
                Some("it"),
                "{}",
                String::from_utf8_lossy(&form)
            );
        }
    }
    assert_eq!(needles.found_in(&b"nothing of it is here at all".repeat(9)), None);
}
