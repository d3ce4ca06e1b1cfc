//! The dashboard and the alert rules name only metrics of the operators' guide (which are those of the service: the
//! end-to-end tests compare them), with labels that these have, and lead to sections of it.

use std::collections::{BTreeMap, BTreeSet};

use promql_parser::label::METRIC_NAME;
use promql_parser::parser::{self, AggregateExpr, Expr, VectorSelector};
use promql_parser::util::{ExprVisitor, walk_expr};
use serde::Deserialize;
use serde_json::Value;

use crate::markdown::{read, rows, section, sections};

/// What Prometheus itself says of each target.
const UP: &str = "up";

/// Labels that Prometheus adds to everything.
const OF_TARGETS: [&str; 2] = ["instance", "job"];

/// A metric of the guide.
struct Metric {
    kind: String,
    labels: BTreeSet<String>,
}

fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// The metrics of the guide.
fn metrics() -> BTreeMap<String, Metric> {
    let guide = read("docs/OPERATING.md");
    let rows = rows(section(&guide, "## Metrics").body)
        .into_iter()
        .map(|row| {
            let metric = Metric {
                kind: row[1].to_owned(),
                labels: quoted(row[2]).map(str::to_owned).collect(),
            };
            (row[0].trim_matches('`').to_owned(), metric)
        })
        .collect::<BTreeMap<_, _>>();
    assert!(rows.len() > 50, "the table is read");
    rows
}

/// Every selector in an expression, with the labels that it selects and is grouped by.
#[derive(Default)]
struct Selectors(Vec<(VectorSelector, BTreeSet<String>)>);

impl Selectors {
    fn of(expr: &Expr) -> Result<Self, String> {
        let mut selectors = Self::default();
        walk_expr(&mut selectors, expr)?;
        Ok(selectors)
    }

    fn add(&mut self, selector: &VectorSelector) {
        let matchers = selector.matchers.matchers.iter();
        let labels = matchers.map(|matcher| matcher.name.clone());
        let labels = labels.filter(|label| *label != METRIC_NAME).collect();
        self.0.push((selector.clone(), labels));
    }

    /// What is below an aggregation is there once more without its labels.
    fn add_grouped(&mut self, aggregate: &AggregateExpr) -> Result<(), String> {
        let labels = aggregate.modifier.iter().flat_map(|by| &by.labels().labels);
        for (selector, mut own) in Self::of(&aggregate.expr)?.0 {
            own.extend(labels.clone().cloned());
            self.0.push((selector, own));
        }
        Ok(())
    }
}

impl ExprVisitor for Selectors {
    type Error = String;

    fn pre_visit(&mut self, expr: &Expr) -> Result<bool, String> {
        match expr {
            Expr::VectorSelector(selector) => self.add(selector),
            Expr::MatrixSelector(selector) => self.add(&selector.vs),
            Expr::Aggregate(aggregate) => self.add_grouped(aggregate)?,
            _ => {}
        }
        Ok(true)
    }
}

/// Checks that an expression can be read and selects only what there is; the metrics that it selects.
fn check(metrics: &BTreeMap<String, Metric>, expression: &str) -> BTreeSet<String> {
    // Grafana puts a length of time there.
    let expression = expression.replace("$__rate_interval", "5m");
    let parsed = parser::parse(&expression).unwrap_or_else(|error| panic!("{expression}: {error}"));
    let selectors = Selectors::of(&parsed).expect("nothing here fails");
    assert!(!selectors.0.is_empty(), "{expression} selects nothing");
    let names = selectors.0.iter().map(|(selector, labels)| {
        let name = selector.name.as_deref();
        let name = name.unwrap_or_else(|| panic!("a selector without a name in {expression}"));
        check_selector(metrics, name, labels, &expression)
    });
    names.collect()
}

/// The metric that a selector of this name is of.
fn check_selector(
    metrics: &BTreeMap<String, Metric>,
    name: &str,
    labels: &BTreeSet<String>,
    expression: &str,
) -> String {
    if name == UP {
        return name.to_owned();
    }
    let part = ["_bucket", "_sum", "_count"]
        .iter()
        .find_map(|part| name.strip_suffix(part))
        .filter(|whole| {
            metrics
                .get(*whole)
                .is_some_and(|metric| metric.kind == "histogram")
        });
    let whole = part.unwrap_or(name);
    let metric = metrics
        .get(whole)
        .unwrap_or_else(|| panic!("there is no {name}, in {expression}"));
    assert_eq!(
        metric.kind == "histogram",
        part.is_some(),
        "{name} is a {}, in {expression}",
        metric.kind
    );
    for label in labels {
        let of_all = OF_TARGETS.contains(&label.as_str()) || (label == "le" && name.ends_with("_bucket"));
        let known = of_all || metric.labels.contains(label);
        assert!(known, "{name} has no label {label}, in {expression}");
    }
    whole.to_owned()
}

#[derive(Deserialize)]
struct Rules {
    groups: Vec<Group>,
}

#[derive(Deserialize)]
struct Group {
    rules: Vec<Rule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    alert: String,
    expr: String,
    #[serde(default, rename = "for")]
    lasting: Option<String>,
    labels: BTreeMap<String, String>,
    annotations: BTreeMap<String, String>,
}

fn rules() -> Vec<Rule> {
    let rules: Rules = serde_norway::from_str(&read("docs/operating/alerts.yaml")).expect("they are rules");
    rules.groups.into_iter().flat_map(|group| group.rules).collect()
}

/// Where a heading can be jumped to.
fn anchor(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = words
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn every_alert_is_of_metrics_that_exist() {
    let metrics = metrics();
    for rule in rules() {
        check(&metrics, &rule.expr);
    }
}

#[test]
fn every_alert_says_what_it_means_and_leads_to_what_to_do() {
    let guide = read("docs/OPERATING.md");
    let anchors: BTreeSet<String> = sections(&guide, 2).iter().map(|s| anchor(s.heading)).collect();
    let told = rows(section(&guide, "## Alerts").body);
    let mut told: BTreeMap<&str, &str> = told
        .iter()
        .map(|row| (row[0].trim_matches('`'), row[1]))
        .collect();
    for rule in rules() {
        let alert = &rule.alert;
        assert!(!rule.annotations["summary"].is_empty(), "{alert}");
        let runbook = rule.annotations["runbook"].strip_prefix("OPERATING.md#");
        let runbook = runbook.unwrap_or_else(|| panic!("{alert} leads nowhere"));
        assert!(
            anchors.contains(runbook),
            "{alert}: there is no section {runbook}"
        );
        let severity = rule.labels["severity"].as_str();
        assert_eq!(told.remove(alert.as_str()), Some(severity), "{alert} has its row");
        let time = |text: &String| text.ends_with(['s', 'm', 'h']);
        assert!(rule.lasting.as_ref().is_none_or(time), "{alert}");
    }
    assert_eq!(told, BTreeMap::new(), "every row is of an alert");
}

/// Every expression of a dashboard, wherever it stands.
fn expressions(of: &Value) -> Vec<String> {
    match of {
        Value::Object(fields) => {
            let own = fields.get("expr").and_then(Value::as_str).map(str::to_owned);
            own.into_iter()
                .chain(fields.values().flat_map(expressions))
                .collect()
        }
        Value::Array(items) => items.iter().flat_map(expressions).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn the_dashboard_shows_every_metric_and_none_that_does_not_exist() {
    let metrics = metrics();
    let dashboard: Value = serde_json::from_str(&read("docs/operating/dashboard.json")).expect("it is JSON");
    let mut shown = BTreeSet::new();
    for expression in expressions(&dashboard) {
        shown.extend(check(&metrics, &expression));
    }
    let all: BTreeSet<String> = metrics.into_keys().collect();
    let missing: Vec<_> = all.difference(&shown).collect();
    assert!(missing.is_empty(), "not shown: {missing:?}");
}

#[test]
fn an_expression_of_what_does_not_exist_is_found_out() {
    let metrics = metrics();
    let finds_out = |expression: &str| {
        let checked = std::panic::catch_unwind(|| check(&metrics, expression));
        checked.is_err()
    };
    for expression in [
        "sum(rate(turnstream_no_such_metric_total[5m]))",
        "turnstream_sockets{colour=\"red\"}",
        "sum by (colour) (turnstream_sockets)",
        "sum by (le) (rate(turnstream_command_seconds_sum[5m]))",
        "rate(turnstream_command_seconds[5m])",
        "rate(turnstream_sockets_bucket[5m])",
        "sum(turnstream_sockets",
        "1 + 1",
    ] {
        assert!(finds_out(expression), "{expression}");
    }
    assert!(!finds_out("sum(turnstream_sockets) > 1"));
}
