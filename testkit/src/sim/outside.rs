//! Calls to what needs threads of its own.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;

use futures::FutureExt;
use tokio::runtime::Builder;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A thread beside the simulation's, with a runtime in which time is real. It ends when this is dropped.
#[derive(Debug)]
pub struct Outside {
    work: UnboundedSender<Work>,
    calls: AtomicU64,
}

impl Outside {
    /// Starts the thread.
    pub fn new() -> Self {
        let (work, asked) = unbounded_channel();
        let thread = thread::Builder::new().name("stores".to_owned());
        thread.spawn(move || run(asked)).expect("a thread can be started");
        Self {
            work,
            calls: AtomicU64::new(0),
        }
    }

    /// Does `work` there, while the calling thread stands still.
    ///
    /// # Panics
    /// If `work` does.
    pub fn call<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> T {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let (done, outcome) = mpsc::sync_channel(1);
        let asked = self.work.send(Box::pin(async move {
            // Whoever asked waits.
            let _ = done.send(work.await);
        }));
        asked.expect("the thread runs as long as this is there");
        outcome.recv().expect("the work does not panic")
    }

    /// The same for work on memory alone, which waits for nothing: at once, and here.
    ///
    /// # Panics
    /// If `work` waits.
    pub fn at_once<T>(&self, work: impl Future<Output = T>) -> T {
        self.calls.fetch_add(1, Ordering::Relaxed);
        work.now_or_never().expect("memory answers at once")
    }

    /// How many calls there were.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }
}

/// Without a driver of I/O, which nothing there needs, it is woken faster.
fn run(mut asked: UnboundedReceiver<Work>) {
    let runtime = Builder::new_current_thread().enable_time().build();
    runtime.expect("timers need nothing").block_on(async move {
        while let Some(work) = asked.recv().await {
            work.await;
        }
    });
}

impl Default for Outside {
    fn default() -> Self {
        Self::new()
    }
}
