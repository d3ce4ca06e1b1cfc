//! Migrations are compiled in; without this line a new file among them would not be noticed.

fn main() {
    println!("cargo:rerun-if-changed=../migrations/sqlite");
}
