//! Embeds the web client: a table of its files with their types, tags and compressed forms. Nothing of a file is
//! changed on the way.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

/// What of `web/` is served; the rest is tools and tests.
const SERVED: [&str; 3] = ["index.html", "app", "vendor"];

fn main() {
    // Asked now and not when this was compiled: checkouts may share a target folder.
    let root = told("CARGO_MANIFEST_DIR").join("web");
    let out = told("OUT_DIR");
    let mut files = Vec::new();
    for served in SERVED {
        println!("cargo::rerun-if-changed={}", root.join(served).display());
        collect(&root.join(served), &mut files);
    }
    // As text, since that is how a file is looked up; paths have an order of their own.
    files.sort_by(|one, other| one.as_os_str().cmp(other.as_os_str()));
    let mut table = String::from("static FILES: &[File] = &[\n");
    for file in &files {
        entry(&mut table, &root, &out, file);
    }
    table.push_str("];\n");
    let page = fs::read_to_string(root.join("index.html")).expect("the page is there");
    let hash = STANDARD.encode(Sha256::digest(import_map(&page)));
    writeln!(table, "const IMPORT_MAP: &str = \"sha256-{hash}\";").expect("a string takes everything");
    fs::write(out.join("web.rs"), table).expect("the table can be written");
}

#[expect(
    clippy::disallowed_methods,
    reason = "cargo tells a build script its places in no other way"
)]
fn told(name: &str) -> PathBuf {
    std::env::var(name).expect("cargo gives a place").into()
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for child in fs::read_dir(path).expect("a folder can be read") {
            collect(&child.expect("a folder can be read").path(), files);
        }
    } else if kind(path).is_some() {
        files.push(path.to_owned());
    }
}

/// The media type of what is served. Anything else, such as a licence or a script, is not.
fn kind(path: &Path) -> Option<&'static str> {
    Some(match path.extension()?.to_str()? {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "woff2" => "font/woff2",
        _ => return None,
    })
}

fn entry(table: &mut String, root: &Path, out: &Path, file: &Path) {
    let bytes = fs::read(file).expect("a file can be read");
    let tag = hex(&Sha256::digest(&bytes)[..16]);
    let path = file.strip_prefix(root).expect("it was found there");
    let packed = pack(&bytes);
    // What is compressed already gains nothing.
    let gzip = if packed.len() < bytes.len() * 9 / 10 {
        let target = out.join(format!("{tag}.gz"));
        fs::write(&target, packed).expect("a compressed file can be written");
        format!("Some({})", include(&target))
    } else {
        "None".to_owned()
    };
    let kind = kind(file).expect("only what has a type was collected");
    let path = path.to_str().expect("names here are plain");
    let bytes = include(file);
    writeln!(
        table,
        "    File {{ path: {path:?}, kind: {kind:?}, tag: \"\\\"{tag}\\\"\", bytes: {bytes}, \
         gzip: {gzip}, gzip_tag: \"\\\"{tag}-gzip\\\"\" }},"
    )
    .expect("a string takes everything");
}

fn include(file: &Path) -> String {
    let path = file.to_str().expect("names here are plain");
    format!("include_bytes!({path:?})")
}

fn pack(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// The page's one inline script, which a policy can allow by its hash alone.
fn import_map(page: &str) -> &str {
    let begin = "<script type=\"importmap\">";
    let (_, rest) = page
        .split_once(begin)
        .expect("the page maps the names of modules");
    rest.split_once("</script>").expect("a script ends").0
}
