//! What is read when somebody asks for it, in place of being counted as it happens.

use std::fmt;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, MetricEncoder, prometheus_text};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;

/// A label and its value.
pub type Label = (&'static str, &'static str);

/// A number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// A count.
    Whole(u64),
    /// A measure.
    Broken(f64),
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Self::Whole(value)
    }
}

impl From<u32> for Value {
    fn from(value: u32) -> Self {
        Self::Whole(value.into())
    }
}

impl From<usize> for Value {
    fn from(value: usize) -> Self {
        Self::Whole(value as u64)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Whole(value.into())
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Broken(value)
    }
}

impl From<std::time::Duration> for Value {
    /// In seconds.
    fn from(value: std::time::Duration) -> Self {
        Self::Broken(value.as_secs_f64())
    }
}

/// A figure with its values; one that is not known now has none.
#[derive(Debug)]
struct Figure {
    name: &'static str,
    help: &'static str,
    grows: bool,
    values: Vec<(Vec<Label>, Value)>,
}

/// Figures as they were when they were read.
#[derive(Debug, Default)]
pub struct Figures(Vec<Figure>);

impl Figures {
    /// One that goes up and down.
    pub fn gauge<V: Into<Value>>(&mut self, name: &'static str, help: &'static str, value: Option<V>) {
        let value = value.map(|value| (Vec::new(), value.into()));
        self.add(name, help, false, value.into_iter().collect());
    }

    /// One that goes up and down, for each of its labels.
    pub fn gauges<const N: usize, V: Into<Value>>(
        &mut self,
        name: &'static str,
        help: &'static str,
        values: impl IntoIterator<Item = ([Label; N], V)>,
    ) {
        self.add(name, help, false, labelled(values));
    }

    /// One that only grows; `_total` is added to its name.
    pub fn counter<V: Into<Value>>(&mut self, name: &'static str, help: &'static str, value: V) {
        self.add(name, help, true, vec![(Vec::new(), value.into())]);
    }

    /// One that only grows, for each of its labels; `_total` is added to its name.
    pub fn counters<const N: usize, V: Into<Value>>(
        &mut self,
        name: &'static str,
        help: &'static str,
        values: impl IntoIterator<Item = ([Label; N], V)>,
    ) {
        self.add(name, help, true, labelled(values));
    }

    /// Values of a figure that is there already go to it, so that each is described once.
    fn add(&mut self, name: &'static str, help: &'static str, grows: bool, values: Vec<(Vec<Label>, Value)>) {
        match self.0.iter_mut().find(|figure| figure.name == name) {
            Some(figure) => figure.values.extend(values),
            None => self.0.push(Figure {
                name,
                help,
                grows,
                values,
            }),
        }
    }

    /// All of them, as text.
    pub fn render(self) -> String {
        let mut registry = Registry::default();
        registry.register_collector(Box::new(self));
        let mut text = String::new();
        prometheus_text::encode(&mut text, &registry).expect("writing to a string does not fail");
        text
    }
}

fn labelled<const N: usize, V: Into<Value>>(
    values: impl IntoIterator<Item = ([Label; N], V)>,
) -> Vec<(Vec<Label>, Value)> {
    let values = values.into_iter();
    values
        .map(|(labels, value)| (labels.to_vec(), value.into()))
        .collect()
}

impl Collector for Figures {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        for figure in &self.0 {
            let kind = if figure.grows {
                MetricType::Counter
            } else {
                MetricType::Gauge
            };
            let help = format!("{}.", figure.help);
            let mut metric = encoder.encode_descriptor(figure.name, &help, None, kind)?;
            for (labels, value) in &figure.values {
                value.encode(figure.grows, metric.encode_family(labels)?)?;
            }
        }
        Ok(())
    }
}

impl Value {
    fn encode(self, grows: bool, encoder: MetricEncoder) -> fmt::Result {
        match (self, grows) {
            (Self::Whole(value), true) => ConstCounter::new(value).encode(encoder),
            (Self::Whole(value), false) => ConstGauge::new(value).encode(encoder),
            (Self::Broken(value), true) => ConstCounter::new(value).encode(encoder),
            (Self::Broken(value), false) => ConstGauge::new(value).encode(encoder),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_is_not_known_is_described_and_has_no_value() {
        let mut figures = Figures::default();
        figures.gauge("lag", "How far behind", None::<u64>);
        assert_eq!(figures.render(), "# HELP lag How far behind.\n# TYPE lag gauge\n");
    }

    #[test]
    fn values_of_one_figure_are_together_however_they_came() {
        let mut figures = Figures::default();
        figures.counters("waits", "Waits", [([("pool", "reads")], 3_u64)]);
        figures.gauge("other", "Another", Some(Duration::from_millis(1500)));
        figures.counters("waits", "Waits", [([("pool", "writes")], 4_u64)]);
        assert_eq!(
            figures.render(),
            "# HELP waits_total Waits.\n# TYPE waits_total counter\n\
             waits_total{pool=\"reads\"} 3\nwaits_total{pool=\"writes\"} 4\n\
             # HELP other Another.\n# TYPE other gauge\nother 1.5\n"
        );
    }
}
