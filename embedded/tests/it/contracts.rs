//! The contract suite of every port, on a file and in memory.

/// Stamps all suites on databases that `$open` makes.
macro_rules! every_port {
    ($open:path) => {
        mod event_log {
            use std::sync::Arc;
            async fn open() -> (Arc<dyn commands::ports::EventLog>, impl Sized) {
                let (embedded, directory) = $open().await;
                (embedded.log(), (embedded, directory))
            }
            testkit::event_log_contract!(open);
        }

        mod log_reader {
            use std::sync::Arc;
            type Log = Arc<dyn commands::ports::EventLog>;
            async fn open() -> (Log, Arc<dyn projections::ports::LogReader>, impl Sized) {
                let (embedded, directory) = $open().await;
                (embedded.log(), embedded.reader(), (embedded, directory))
            }
            testkit::log_reader_contract!(open);
        }

        mod heartbeats {
            use std::sync::Arc;
            type Bus = Arc<dyn commands::ports::Heartbeats>;
            async fn open() -> (Bus, Bus, impl Sized) {
                let (embedded, directory) = $open().await;
                (
                    embedded.heartbeats(),
                    embedded.heartbeats(),
                    (embedded, directory),
                )
            }
            testkit::heartbeats_contract!(open);
        }

        mod spectator_counts {
            use std::sync::Arc;
            type Bus = Arc<dyn projections::ports::SpectatorCounts>;
            async fn open() -> (Bus, Bus, impl Sized) {
                let (embedded, directory) = $open().await;
                (
                    embedded.spectator_counts(),
                    embedded.spectator_counts(),
                    (embedded, directory),
                )
            }
            testkit::spectator_counts_contract!(open);
        }

        mod service_keys {
            use std::sync::Arc;
            async fn open() -> (Arc<dyn commands::ports::ServiceKeys>, impl Sized) {
                let (embedded, directory) = $open().await;
                (embedded.service_keys(), (embedded, directory))
            }
            testkit::service_keys_contract!(open);
        }

        mod pending_store {
            use std::sync::Arc;
            async fn open() -> (Arc<dyn commands::ports::PendingStore>, impl Sized) {
                let (embedded, directory) = $open().await;
                (embedded.pending(), (embedded, directory))
            }
            testkit::pending_store_contract!(open);
        }

        mod live_store {
            use std::sync::Arc;
            async fn open() -> (Arc<dyn projections::ports::LiveStore>, impl Sized) {
                let (embedded, directory) = $open().await;
                (embedded.live(), (embedded, directory))
            }
            testkit::live_store_contract!(open);
        }

        mod history_store {
            use std::sync::Arc;
            async fn open() -> (Arc<dyn projections::ports::HistoryStore>, impl Sized) {
                let (embedded, directory) = $open().await;
                (embedded.history(), (embedded, directory))
            }
            testkit::history_store_contract!(open);
        }

        mod live_repair {
            use std::sync::Arc;
            async fn open() -> (Arc<dyn projections::ports::LiveRepair>, impl Sized) {
                let (embedded, directory) = $open().await;
                (embedded.live(), (embedded, directory))
            }
            testkit::live_repair_contract!(open);
        }

        mod history_repair {
            use std::sync::Arc;
            async fn open() -> (Arc<dyn projections::ports::HistoryRepair>, impl Sized) {
                let (embedded, directory) = $open().await;
                (embedded.history(), (embedded, directory))
            }
            testkit::history_repair_contract!(open);
        }

        mod log_eraser {
            use std::sync::Arc;
            type Log = Arc<dyn commands::ports::EventLog>;
            type Reader = Arc<dyn projections::ports::LogReader>;
            type Eraser = Arc<dyn projections::ports::LogEraser>;
            async fn open() -> (Log, Reader, Eraser, impl Sized) {
                let (embedded, directory) = $open().await;
                let (log, reader) = (embedded.log(), embedded.reader());
                (log.clone(), reader, log, (embedded, directory))
            }
            testkit::log_eraser_contract!(open);
        }

        mod cache {
            use std::sync::Arc;
            async fn open() -> (Arc<dyn projections::ports::Cache>, impl Sized) {
                let (embedded, directory) = $open().await;
                (embedded.cache(), (embedded, directory))
            }
            testkit::cache_contract!(open);
        }

        mod dead_letters {
            use std::sync::Arc;
            async fn open() -> (Arc<dyn projections::ports::DeadLetters>, impl Sized) {
                let (embedded, directory) = $open().await;
                (embedded.dead_letters(), (embedded, directory))
            }
            testkit::dead_letters_contract!(open);
        }
    };
}

mod on_disk {
    every_port!(crate::opened::on_disk);
}

mod in_memory {
    every_port!(crate::opened::in_memory);
}

/// Of the file alone: nobody else can read what is in memory.
mod log_pages {
    use std::sync::Arc;
    type Log = Arc<dyn commands::ports::EventLog>;
    async fn open() -> (Log, Arc<dyn projections::ports::LogPages>, impl Sized) {
        let (embedded, directory) = crate::opened::on_disk().await;
        let pages = turnstream_embedded::LogFile::open(directory.path())
            .await
            .unwrap();
        (embedded.log(), Arc::new(pages), (embedded, directory))
    }
    testkit::log_pages_contract!(open);
}
