//! What comes from outside: under licences that ask nothing of ours, with one TLS provider, and nothing that waits or rolls
//! dice below the rules. `deny.toml` says which licences and which crates; `cargo deny` says more, where it is installed.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use spdx::{Expression, Licensee};

use super::{cargo, metadata};

/// What would let a rule wait, read a clock or roll dice. (`getrandom` may be there: cargo knows features of the whole
/// workspace only, and another crate's `uuid` makes random ids.)
const IMPURE: [&str; 7] = ["async-trait", "chrono", "futures", "mio", "rand", "time", "tokio"];

/// The packages that are built for the platform that the service is made for.
fn packages() -> Value {
    metadata(&["--filter-platform=x86_64-unknown-linux-gnu"])
}

/// Whether a package is built for that platform. cargo's metadata resolves features for all platforms at once, so it has
/// packages that only another one needs.
fn built() -> impl Fn(&Value) -> bool {
    let platform = "--target=x86_64-unknown-linux-gnu";
    let tree = cargo(
        &["tree", "--workspace", "--prefix=none", "--format={p}"],
        &[platform],
    );
    let tree = String::from_utf8(tree).expect("names are text");
    let built: BTreeSet<(String, String)> = tree
        .lines()
        .filter_map(|line| {
            let mut words = line.split(' ');
            let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
            Some((name.to_owned(), version.to_owned()))
        })
        .collect();
    move |package| {
        let text = |field: &str| package[field].as_str().unwrap_or_default().to_owned();
        built.contains(&(text("name"), text("version")))
    }
}

fn deny(path: &[&str]) -> Vec<toml::Value> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/deny.toml");
    let text = std::fs::read_to_string(file).expect("it is in the repository");
    let mut value: &toml::Value = &text
        .parse::<toml::Table>()
        .map(toml::Value::Table)
        .expect("it is TOML");
    for name in path {
        value = &value[name];
    }
    value.as_array().expect("a list").clone()
}

/// Ids of the packages that are used, with what they use.
fn used(packages: &Value) -> BTreeMap<&str, Vec<&str>> {
    let nodes = packages["resolve"]["nodes"].as_array().expect("a graph");
    nodes
        .iter()
        .map(|node| {
            let uses = node["deps"].as_array().expect("a list").iter();
            let uses = uses.filter(|used| {
                let kinds = used["dep_kinds"].as_array().expect("a list");
                kinds.iter().any(|kind| kind["kind"].is_null())
            });
            let uses = uses.map(|used| used["pkg"].as_str().expect("an id"));
            (node["id"].as_str().expect("an id"), uses.collect())
        })
        .collect()
}

/// The package of each id.
fn by_id(packages: &Value) -> BTreeMap<&str, &Value> {
    let all = packages["packages"].as_array().expect("a list").iter();
    all.map(|package| (package["id"].as_str().expect("an id"), package))
        .collect()
}

#[test]
fn every_library_is_under_a_licence_that_is_allowed() {
    let allowed: Vec<Licensee> = deny(&["licenses", "allow"])
        .iter()
        .map(|name| Licensee::parse(name.as_str().expect("a text")).expect("a licence"))
        .collect();
    let packages = packages();
    let known = by_id(&packages);
    let is_built = built();
    assert!(
        known.values().filter(|package| is_built(package)).count() > 100,
        "they are found"
    );
    for id in used(&packages).keys().filter(|id| is_built(known[*id])) {
        let Some(licence) = known[id]["license"].as_str() else {
            panic!("{id} does not say its licence");
        };
        // Cargo still takes the older form `MIT/Apache-2.0`.
        let expression = Expression::parse_mode(licence, spdx::ParseMode::LAX).expect("a licence");
        let is_allowed =
            expression.evaluate(|required| allowed.iter().any(|allowed| allowed.satisfies(required)));
        assert!(is_allowed, "{id} is under {licence}");
    }
}

#[test]
fn no_crate_is_used_that_is_banned() {
    let banned = deny(&["bans", "deny"]);
    let packages = packages();
    let known = by_id(&packages);
    for id in used(&packages).keys() {
        let name = known[id]["name"].as_str().expect("a name");
        let ban = banned.iter().find(|ban| ban["crate"].as_str() == Some(name));
        assert!(
            ban.is_none(),
            "{name}: {}",
            ban.map_or("", |ban| ban["reason"].as_str().unwrap_or(""))
        );
    }
}

#[test]
fn nothing_below_the_rules_waits_reads_a_clock_or_rolls_dice() {
    let packages = packages();
    let (known, used) = (by_id(&packages), used(&packages));
    let is_rules = |id: &&&str| known[**id]["name"] == "turnstream-rules";
    let mut open: Vec<&str> = used.keys().filter(is_rules).copied().collect();
    assert_eq!(open.len(), 1);
    let mut below = BTreeSet::new();
    while let Some(id) = open.pop() {
        if below.insert(id) {
            open.extend(&used[id]);
        }
    }
    assert!(below.len() > 5, "the rules use libraries");
    for id in below {
        let name = known[id]["name"].as_str().expect("a name");
        assert!(!IMPURE.contains(&name), "{id} is below the rules");
    }
}
