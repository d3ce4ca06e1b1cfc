//! The migrations are built into the crate: a new file among them is a reason to build again.

fn main() {
    println!("cargo:rerun-if-changed=../migrations");
}
