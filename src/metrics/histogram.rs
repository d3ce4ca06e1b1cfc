//! Times in buckets, without a lock: whoever times a move waits for nobody.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use prometheus_client::encoding::{EncodeMetric, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::{MetricType, TypedMetric};

/// How often something took how long. Clones share what they count.
///
/// Relaxed: a reader may see a time's bucket before its part of the sum, never a bucket that goes back.
#[derive(Debug, Clone)]
pub(super) struct Histogram(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// The bounds of the buckets, in seconds. What is longer is in the last one, which has none.
    bounds: &'static [f64],
    buckets: Box<[AtomicU64]>,
    nanos: AtomicU64,
}

impl Histogram {
    /// Empty; `bounds` grow.
    pub(super) fn new(bounds: &'static [f64]) -> Self {
        Self(Arc::new(Inner {
            bounds,
            buckets: (0..=bounds.len()).map(|_| AtomicU64::new(0)).collect(),
            nanos: AtomicU64::new(0),
        }))
    }

    /// It took so long once more: two atomic additions.
    pub(super) fn observe(&self, took: Duration) {
        let Inner {
            bounds,
            buckets,
            nanos,
        } = &*self.0;
        let seconds = took.as_secs_f64();
        let bucket = bounds.partition_point(|bound| *bound < seconds);
        buckets[bucket].fetch_add(1, Ordering::Relaxed);
        nanos.fetch_add(took.as_nanos() as u64, Ordering::Relaxed);
    }
}

impl TypedMetric for Histogram {
    const TYPE: MetricType = MetricType::Histogram;
}

impl EncodeMetric for Histogram {
    fn encode(&self, mut encoder: MetricEncoder) -> fmt::Result {
        let Inner {
            bounds,
            buckets,
            nanos,
        } = &*self.0;
        let bounds = bounds.iter().copied().chain([f64::INFINITY]);
        let buckets: Vec<(f64, u64)> = bounds
            .zip(buckets.iter().map(|count| count.load(Ordering::Relaxed)))
            .collect();
        let count = buckets.iter().map(|(_, count)| count).sum();
        let sum = Duration::from_nanos(nanos.load(Ordering::Relaxed)).as_secs_f64();
        encoder.encode_histogram::<NoLabelSet>(sum, count, &buckets, None)
    }

    fn metric_type(&self) -> MetricType {
        Self::TYPE
    }
}

#[cfg(test)]
mod tests {
    use prometheus_client::encoding::prometheus_text;
    use prometheus_client::registry::Registry;

    use super::*;

    #[test]
    fn a_time_is_in_the_first_bucket_that_it_is_not_longer_than() {
        let times = Histogram::new(&[0.001, 0.01]);
        for micros in [0, 1000, 1001, 10_000, 10_001, 2_000_000] {
            times.observe(Duration::from_micros(micros));
        }
        let mut registry = Registry::default();
        registry.register("took", "Times", times.clone());
        let mut text = String::new();
        prometheus_text::encode(&mut text, &registry).expect("writing to a string does not fail");
        assert_eq!(
            text,
            "# HELP took Times.\n# TYPE took histogram\n\
             took_bucket{le=\"0.001\"} 2\ntook_bucket{le=\"0.01\"} 4\ntook_bucket{le=\"+Inf\"} 6\n\
             took_sum 2.022002\ntook_count 6\n"
        );
    }
}
