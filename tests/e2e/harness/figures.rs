//! What a service tells Prometheus.

use std::collections::{BTreeMap, BTreeSet};

use super::player::get;
use super::{Service, eventually};

/// All figures, as they were at one time.
#[derive(Debug, Clone, Default)]
pub struct Figures {
    /// The type of each, by its name.
    pub types: BTreeMap<String, String>,
    samples: Vec<Sample>,
}

#[derive(Debug, Clone)]
struct Sample {
    name: String,
    labels: BTreeMap<String, String>,
    value: f64,
}

impl Figures {
    /// Of a service.
    pub async fn of(service: &Service) -> Self {
        Self::at(&service.admin_url()).await
    }

    /// Of whoever operators reach there.
    pub async fn at(admin_url: &str) -> Self {
        let (status, text) = get(&format!("{admin_url}/metrics")).await;
        assert_eq!(status, 200, "{text}");
        Self::read(text.as_str().expect("metrics are text"))
    }

    fn read(text: &str) -> Self {
        let mut figures = Self::default();
        for line in text.lines() {
            if let Some(described) = line.strip_prefix("# TYPE ") {
                let (name, kind) = described.split_once(' ').expect("a name and a type");
                let before = figures.types.insert(name.to_owned(), kind.to_owned());
                assert_eq!(before, None, "{name} is described twice");
            } else if !line.starts_with('#') {
                figures.samples.push(Sample::read(line));
            }
        }
        figures
    }

    /// The sum over all samples of a name that have these labels; `None` if there is no such sample.
    pub fn of_labels(&self, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
        let wanted = |sample: &&Sample| {
            let has = |(label, value): &(&str, &str)| sample.labels.get(*label).is_some_and(|v| v == value);
            sample.name == name && labels.iter().all(has)
        };
        let found: Vec<f64> = self.samples.iter().filter(wanted).map(|s| s.value).collect();
        (!found.is_empty()).then(|| found.iter().sum())
    }

    /// The same of a figure that counts.
    pub fn count_if(&self, name: &str, labels: &[(&str, &str)]) -> Option<u64> {
        self.of_labels(name, labels).map(|count| count.round() as u64)
    }

    /// The same, which must be there.
    pub fn get(&self, name: &str, labels: &[(&str, &str)]) -> u64 {
        let count = self.count_if(name, labels);
        count.unwrap_or_else(|| panic!("no {name} with {labels:?} in {self:#?}"))
    }

    /// The same of a figure that measures.
    pub fn measure(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let measure = self.of_labels(name, labels);
        measure.unwrap_or_else(|| panic!("no {name} with {labels:?} in {self:#?}"))
    }

    /// The names of the labels that samples of this figure have.
    pub fn labels_of(&self, figure: &str) -> BTreeSet<&str> {
        let parts = ["", "_bucket", "_sum", "_count"].map(|part| format!("{figure}{part}"));
        let of_it = self.samples.iter().filter(|sample| parts.contains(&sample.name));
        of_it
            .flat_map(|sample| sample.labels.keys())
            .map(String::as_str)
            .filter(|label| *label != "le")
            .collect()
    }
}

impl Sample {
    fn read(line: &str) -> Self {
        let (series, value) = line.rsplit_once(' ').expect("a series and its value");
        let (name, labels) = match series.split_once('{') {
            Some((name, labels)) => (name, labels.strip_suffix('}').expect("it ends")),
            None => (series, ""),
        };
        let labels = labels.split(',').filter(|label| !label.is_empty()).map(|label| {
            let (name, value) = label.split_once('=').expect("a label and its value");
            (name.to_owned(), value.trim_matches('"').to_owned())
        });
        Self {
            name: name.to_owned(),
            labels: labels.collect(),
            value: value.parse().expect("a number"),
        }
    }
}

/// Returns the figures as soon as they are as `wanted`.
pub async fn until(service: &Service, what: &str, wanted: impl Fn(&Figures) -> bool) -> Figures {
    eventually(what, async || {
        let figures = Figures::of(service).await;
        wanted(&figures).then_some(figures)
    })
    .await
}
