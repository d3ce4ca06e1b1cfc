//! As much of Markdown as our documents use.

use std::path::Path;

/// A document of the repository.
pub fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What is under a heading, up to the next one of the same level or above.
#[derive(Debug)]
pub struct Section<'a> {
    /// The heading, with its `#`.
    pub heading: &'a str,
    /// The rest.
    pub body: &'a str,
}

impl<'a> Section<'a> {
    /// What the heading has between backticks.
    pub fn name(&self) -> Option<&'a str> {
        self.heading.split('`').nth(1)
    }

    /// The code in it that is marked as `language`.
    pub fn code(&self, language: &str) -> Vec<&'a str> {
        code(self.body, language)
    }
}

/// The sections of this level.
pub fn sections(text: &str, level: usize) -> Vec<Section<'_>> {
    let mut sections = Vec::new();
    let mut open: Option<(&str, usize)> = None;
    let mut in_code = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with("```") {
            in_code = !in_code;
        }
        let depth = line.bytes().take_while(|byte| *byte == b'#').count();
        if !in_code && (1..=level).contains(&depth) {
            if let Some((heading, begin)) = open.take() {
                sections.push(Section {
                    heading,
                    body: &text[begin..at],
                });
            }
            if depth == level {
                open = Some((line.trim_end(), at + line.len()));
            }
        }
        at += line.len();
    }
    if let Some((heading, begin)) = open {
        sections.push(Section {
            heading,
            body: &text[begin..],
        });
    }
    sections
}

/// The section with this heading.
pub fn section<'a>(text: &'a str, heading: &str) -> Section<'a> {
    let level = heading.bytes().take_while(|byte| *byte == b'#').count();
    sections(text, level)
        .into_iter()
        .find(|section| section.heading == heading)
        .unwrap_or_else(|| panic!("there is no {heading:?}"))
}

/// The code that is marked as `language`.
pub fn code<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    text.split("\n```")
        .skip(1)
        .step_by(2)
        .filter_map(|block| block.split_once('\n'))
        .filter(|(mark, _)| *mark == language)
        .map(|(_, code)| code)
        .collect()
}

/// The cells of the rows of the first table in `text`, its head apart.
pub fn rows(text: &str) -> Vec<Vec<&str>> {
    text.lines()
        .skip_while(|line| !line.starts_with('|'))
        .take_while(|line| line.starts_with('|'))
        .skip(2)
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect()
}
