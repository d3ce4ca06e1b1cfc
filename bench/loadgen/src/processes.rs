//! What processes cost, as /proc tells it.

use std::collections::BTreeMap;
use std::fs;
use std::process;

use anyhow::Context;

use crate::plan::Plan;
use crate::report::Report;

/// The kernel counts time in hundredths of a second, whatever its own tick is.
const TICKS: f64 = 100.0;

/// What all have used so far.
#[derive(Debug, Clone)]
pub struct Costs {
    server: f64,
    behind: BTreeMap<String, f64>,
    client: f64,
    machine: f64,
}

impl Costs {
    /// Now.
    ///
    /// # Errors
    /// A process is gone.
    pub fn now(plan: &Plan) -> anyhow::Result<Self> {
        let behind = plan.behind.iter().map(|(name, pid)| {
            let children = children_of(*pid)
                .into_iter()
                .filter_map(|child| cpu_of(child).ok());
            Ok((name.clone(), cpu_of(*pid)? + children.sum::<f64>()))
        });
        Ok(Self {
            server: cpu_of(plan.server)?,
            behind: behind.collect::<anyhow::Result<_>>()?,
            client: cpu_of(process::id())?,
            machine: machine()?,
        })
    }

    /// Writes what was used between `before` and these into a report.
    pub fn since(&self, before: &Self, report: &mut Report) {
        report.server_cpu = self.server - before.server;
        report.client_cpu = self.client - before.client;
        report.behind_cpu = self
            .behind
            .iter()
            .map(|(name, cpu)| {
                (
                    name.clone(),
                    cpu - before.behind.get(name).copied().unwrap_or(0.0),
                )
            })
            .collect();
        let ours = report.server_cpu + report.client_cpu + report.behind_cpu.values().sum::<f64>();
        let all = self.machine - before.machine;
        report.others = ((all - ours) / report.seconds).max(0.0);
    }
}

/// The memory of a process that is in RAM, in KiB.
///
/// # Errors
/// It is gone.
pub fn rss(pid: u32) -> anyhow::Result<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let value = line.and_then(|line| line.split_whitespace().next());
    value.context("no VmRSS")?.parse().context("VmRSS is a number")
}

/// User and system time of a process and of its children that have ended, in seconds.
fn cpu_of(pid: u32) -> anyhow::Result<f64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).with_context(|| format!("process {pid}"))?;
    // The name, in parentheses, may have spaces in it.
    let (_, rest) = stat.rsplit_once(") ").context("a name in parentheses")?;
    let ticks = rest
        .split(' ')
        .skip(11)
        .take(4)
        .filter_map(|field| field.parse::<f64>().ok());
    Ok(ticks.sum::<f64>() / TICKS)
}

fn children_of(pid: u32) -> Vec<u32> {
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    children
        .split_whitespace()
        .filter_map(|pid| pid.parse().ok())
        .collect()
}

/// The time that all processes of the machine were on a processor, in seconds. What the kernel does for interrupts, which
/// are mostly those of the load itself, is left out.
fn machine() -> anyhow::Result<f64> {
    let stat = fs::read_to_string("/proc/stat")?;
    let line = stat.lines().next().context("a line for all processors")?;
    let ticks: Vec<f64> = line
        .split_whitespace()
        .skip(1)
        .filter_map(|field| field.parse().ok())
        .collect();
    let [user, nice, system, ..] = ticks[..] else {
        anyhow::bail!("user, nice and system time: {line}");
    };
    Ok((user + nice + system) / TICKS)
}
