//! Who may use a data directory.

use std::os::unix::fs::PermissionsExt;

use commands::ports::EventLog;
use turnstream_embedded::OpenError;

use crate::opened::{on_disk, open_in};

#[tokio::test]
async fn a_directory_in_use_is_refused_by_name() {
    let (_embedded, directory) = on_disk().await;
    let Err(error) = open_in(directory.path()).await else {
        panic!("it is in use")
    };
    assert!(
        matches!(&error, OpenError::AlreadyRunning { path } if path == directory.path()),
        "{error:?}"
    );
    assert!(
        error
            .to_string()
            .contains(&directory.path().display().to_string()),
        "{error}"
    );
}

#[tokio::test]
async fn a_closed_database_gives_its_directory_back_though_its_log_is_still_held() {
    let (embedded, directory) = on_disk().await;
    let log = embedded.log();
    embedded.close().await;
    let again = open_in(directory.path()).await.expect("it was given back");
    assert!(again.log().info().await.is_ok());
    assert!(log.info().await.is_err());
}

#[tokio::test]
async fn a_directory_is_held_as_long_as_anything_that_was_handed_out() {
    let (embedded, directory) = on_disk().await;
    let live = embedded.live();
    drop(embedded);
    let refused = open_in(directory.path()).await;
    assert!(matches!(refused, Err(OpenError::AlreadyRunning { .. })));
    drop(live);
    // The log's task lets go as soon as it has noticed that nobody is left.
    while let Err(error) = open_in(directory.path()).await {
        assert!(matches!(error, OpenError::AlreadyRunning { .. }), "{error:?}");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_directory_that_was_made_is_its_owners_alone() {
    let parent = tempfile::tempdir().unwrap();
    let directory = parent.path().join("srv").join("data");
    let _embedded = open_in(&directory).await.unwrap();
    let mode = std::fs::metadata(&directory).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[tokio::test]
async fn a_file_in_the_place_of_the_directory_is_an_error_that_names_it() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("data");
    std::fs::write(&path, "not a directory").unwrap();
    let Err(error) = open_in(&path).await else {
        panic!("there is a file")
    };
    assert!(matches!(error, OpenError::Directory { .. }), "{error:?}");
    assert!(error.to_string().contains(&path.display().to_string()), "{error}");
}
