//! What breaks, and comes back.

use std::sync::Arc;

use commands::ports::{EventLog, Outgoing, Unavailable};
use contract::event::Placement;
use contract::{Envelope, WriterId};
use embedded::Embedded;
use projections::ports::{LiveBatch, LogFilter, SnapshotWrite, Written};

use crate::ops::Op;
use crate::world::{Saved, World};

/// Who fills stores that fall back: no process of the simulation.
const RESTORER: WriterId = WriterId(0);

/// An end that is as old as that is not lost, in milliseconds: acknowledged events are kept for three seconds.
const SURE_AFTER_MS: i64 = 2_000;

/// More messages than any history has.
const ALL: usize = 100_000;

impl World {
    pub(crate) fn break_something(&mut self, op: &Op) -> Result<(), String> {
        match op {
            Op::NextAppend { process, fate } => self.on(*process, |world, process| {
                world.processes[process].ways.line.next_fate(*fate);
            }),
            Op::LogGoes => self.bus.go_away(),
            Op::LogReturns { silent_readers } => self.bus.come_back(*silent_readers),
            Op::LogFallsBack(ms) => self.log_falls_back(i64::from(*ms))?,
            Op::CutOff { process } => self.on(*process, |world, process| {
                world.losses_allowed = true;
                world.processes[process].ways.line.cut();
            }),
            Op::Mend { process } => self.on(*process, |world, process| {
                world.processes[process].ways.line.mend();
            }),
            Op::Running(access) => self.running.set(*access),
            Op::RunningEmptied { restarts } => {
                self.running_emptied();
                if *restarts {
                    self.running.reconnect();
                }
            }
            Op::RunningSaved => self.save_running(),
            Op::RunningFallsBack => self.running_falls_back()?,
            Op::Finished(access) => self.finished.set(*access),
            Op::Refuse { table } => {
                if let Some(game) = self.table(*table).map(|table| table.game) {
                    self.finished.refuse(game);
                    self.refused.insert(game);
                }
            }
            Op::Kill { process } => self.on(*process, |world, process| {
                world.losses_allowed = true;
                world.processes[process].kill();
            }),
            Op::Terminate { process } => self.on(*process, |world, process| {
                world.losses_allowed = true;
                world.processes[process].terminate();
            }),
            Op::Freeze { process } => self.on(*process, |world, process| {
                world.losses_allowed = true;
                world.processes[process].life.freeze();
            }),
            Op::Thaw { process } => self.on(*process, |world, process| world.processes[process].life.thaw()),
            Op::Start => self.start_another(),
            Op::ProjectorsRestart { process } => {
                self.on(*process, |world, process| {
                    world.processes[process].restart_projectors();
                });
            }
            Op::Redeliver { process } => {
                self.on(*process, |world, process| {
                    world.processes[process].ways.line.deliver_again();
                });
            }
            Op::Reorder { process } => self.on(*process, |world, process| {
                world.processes[process].ways.line.swap();
            }),
            _ => {}
        }
        Ok(())
    }

    fn on(&mut self, process: u8, act: impl FnOnce(&mut Self, usize)) {
        if let Some(process) = self.living_one(process) {
            act(self, process);
        }
    }

    /// The server of the log starts again as it was some milliseconds ago; what came since is lost. But for ends that it had
    /// for longer than acknowledged events are kept: their games are let go by then, and whoever restores next puts the end
    /// there again.
    fn log_falls_back(&mut self, ms: i64) -> Result<(), String> {
        let since = self.time.elapsed() - ms;
        let kept = self.appended_at.partition_point(|at| *at <= since);
        let kept = kept.max(self.sure_ends()?);
        self.bus.go_away();
        let (old, new) = (self.bus.reader(), self.open_stores());
        let log = new.log();
        let lost = self.call(async move {
            let mut cursor = old.open(0, LogFilter::All).await?;
            let entries = cursor.next(ALL, 0).await?;
            let mut newest = std::collections::BTreeMap::new();
            let mut lost = Vec::new();
            for entry in entries {
                if entry.seq > kept as u64 {
                    lost.push(entry);
                    continue;
                }
                let envelope =
                    Envelope::from_bytes(&entry.bytes).map_err(|error| Unavailable::new("log", error))?;
                let message = Outgoing {
                    key: entry.key,
                    name: envelope.event.name(),
                    bytes: entry.bytes,
                };
                let expected = newest.get(&entry.key).copied().unwrap_or(0);
                let seq = log
                    .append(&message, expected)
                    .await
                    .map_err(|error| Unavailable::new("log", error))?;
                newest.insert(entry.key, seq);
            }
            Ok::<_, Unavailable>(lost)
        });
        for entry in lost.map_err(|error| error.to_string())? {
            let placement = Placement::from_bytes(&entry.bytes).map_err(|error| error.to_string())?;
            self.promises.lost.insert(placement.place);
        }
        self.appended_at.truncate(kept);
        self.serve_log(&new, kept as u64);
        self.bus.come_back(false);
        Ok(())
    }

    /// How many messages there are up to the last end that is sure to stay.
    fn sure_ends(&self) -> Result<usize, String> {
        let before = self.time.elapsed() - SURE_AFTER_MS;
        let there = self.appended_at.partition_point(|at| *at <= before);
        let entries = self.entries()?;
        let last = entries
            .iter()
            .take(there)
            .rposition(|entry| entry.name == "ended");
        Ok(last.map_or(0, |last| last + 1))
    }

    fn serve_log(&mut self, embedded: &Arc<Embedded>, tail: u64) {
        self.bus.serve(embedded.log(), embedded.reader(), tail);
    }

    fn running_emptied(&mut self) {
        let empty = self.open_stores();
        let mut ports = Self::ports_of(&empty);
        // The rows are in another store.
        ports.history = self.running.ports().history;
        self.running.serve(ports);
        self.losses_allowed |= !self.promises.lost.is_empty();
    }

    fn save_running(&mut self) {
        let ports = self.running.ports();
        let saved = self.call(async move {
            let live = ports.live.load().await.ok()?;
            let pending = ports.pending.load().await.ok()?;
            Some(Saved { live, pending })
        });
        self.saved = saved;
    }

    fn running_falls_back(&mut self) -> Result<(), String> {
        let Some(saved) = self.saved.take() else {
            return Ok(());
        };
        self.running_emptied();
        self.running.reconnect();
        self.fell_back = true;
        let ports = self.running.ports();
        let Saved { live, pending } = saved;
        let Some(checkpoint) = live.checkpoint else {
            return Ok(());
        };
        self.call(async move {
            let writes = live.snapshots.into_iter().map(|stored| SnapshotWrite {
                key: stored.key,
                version: stored.version,
                status: stored.status,
                create: true,
                force: true,
                bytes: stored.bytes,
            });
            let batch = LiveBatch {
                from: None,
                to: checkpoint,
                writes: writes.collect(),
            };
            let filled = async {
                ports.live.acquire(live.generation, RESTORER).await?;
                let written = ports.live.write(live.generation, RESTORER, &batch).await?;
                ports.live.release(live.generation, RESTORER).await?;
                for list in &pending {
                    ports.pending.append(list).await?;
                }
                Ok::<_, Unavailable>(written)
            };
            match filled.await {
                Ok(Written::Done) => Ok(()),
                other => Err(format!("the store could not be set back: {other:?}")),
            }
        })
    }
}
