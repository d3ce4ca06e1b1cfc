//! `compose.yaml`, `Dockerfile` and `.env.example`, as far as they must agree with the program. That compose reads the
//! file is `./test`'s affair.

use std::collections::BTreeSet;

use clap::CommandFactory;
use turnstream::cli::Cli;

use crate::markdown::read;

/// The names under `environment:` of a service.
fn environment(compose: &str, service: &str) -> Vec<String> {
    let own = compose
        .split(&format!("\n  {service}:\n"))
        .nth(1)
        .expect("the service is there");
    let end = own.find("\n\n").unwrap_or(own.len());
    own[..end]
        .split("    environment:\n")
        .nth(1)
        .expect("it has an environment")
        .lines()
        .take_while(|line| line.starts_with("      "))
        .filter(|line| !line.trim_start().starts_with('#'))
        .filter_map(|line| line.trim().split_once(':'))
        .map(|(name, _)| name.to_owned())
        .collect()
}

/// The environment variables that `serve` reads.
fn settings() -> BTreeSet<String> {
    let cli = Cli::command();
    let serve = cli.find_subcommand("serve").expect("there is such a command");
    serve
        .get_arguments()
        .filter_map(|arg| Some(arg.get_env()?.to_str()?.to_owned()))
        .chain(turnstream::config::SECRETS.map(str::to_owned))
        .collect()
}

#[test]
fn every_variable_of_the_service_is_a_setting() {
    let settings = settings();
    for name in environment(&read("compose.yaml"), "turnstream") {
        assert!(settings.contains(&name), "nothing reads {name}");
    }
}

#[test]
fn every_server_and_the_issuer_are_configured() {
    let set: BTreeSet<String> = environment(&read("compose.yaml"), "turnstream")
        .into_iter()
        .collect();
    for name in [
        "NATS_URL",
        "VALKEY_URL",
        "DATABASE_URL",
        "TURNSTREAM_SECRET",
        "TURNSTREAM_OIDC_ISSUER",
        "TURNSTREAM_OIDC_AUDIENCE",
    ] {
        assert!(set.contains(name), "{name}");
    }
}

#[test]
fn every_variable_that_compose_takes_is_in_the_example() {
    let example = read(".env.example");
    let known: BTreeSet<&str> = example
        .lines()
        .filter_map(|line| line.trim_start_matches('#').split_once('='))
        .map(|(name, _)| name)
        .collect();
    for taken in read("compose.yaml").split("${").skip(1) {
        let name = taken.split([':', '}', '-']).next().expect("a name");
        assert!(
            known.contains(name) || name == "KEYCLOAK_ADMIN",
            "{name} is not in .env.example"
        );
    }
}

#[test]
fn the_image_listens_where_its_health_is_asked() {
    let listens = read("Dockerfile")
        .lines()
        .any(|line| line.starts_with("CMD") && line.contains("\"0.0.0.0:8080\""));
    let cli = Cli::command();
    let check = cli
        .find_subcommand("healthcheck")
        .expect("there is such a command");
    let url = check
        .get_arguments()
        .find(|arg| arg.get_id() == "url")
        .and_then(|arg| arg.get_default_values().first()?.to_str())
        .expect("it has a default");
    assert!(listens && url.contains(":8080/"), "{url}");
}
