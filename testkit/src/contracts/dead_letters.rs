//! What every store of dead letters must do.
//!
//! A case gets an empty store of its own.

use std::sync::Arc;

use bytes::Bytes;
use contract::Seq;
use projections::ports::{DeadLetter, DeadLetters};

use crate::fixtures;

/// Stamps every case as a test of an adapter. `$open` is an async function that returns an empty store as
/// `Arc<dyn DeadLetters>`, and whatever has to live as long as it.
#[macro_export]
macro_rules! dead_letters_contract {
    ($open:expr) => {
        $crate::dead_letters_contract! { $open;
            an_empty_store_has_none,
            a_letter_is_kept_as_it_was_put,
            a_letter_is_kept_once,
            every_projector_has_its_own,
            a_game_can_have_several,
            letters_are_listed_oldest_first_and_no_more_than_asked_for,
            a_reason_and_an_event_may_hold_anything,
            two_who_put_the_same_letter_at_once_keep_one,
            a_letter_is_found_by_its_projector_and_sequence,
            a_removed_letter_is_gone_and_the_others_stay,
            a_removed_letter_may_be_put_again,
        }
    };
    ($open:expr; $($case:ident),+ $(,)?) => { $(
        #[tokio::test]
        async fn $case() {
            let (letters, _keep) = $open().await;
            $crate::contracts::dead_letters::$case(letters).await;
        }
    )+ };
}

type Store = Arc<dyn DeadLetters>;

fn letter(seq: Seq) -> DeadLetter {
    DeadLetter {
        projector: "history".to_owned(),
        game: fixtures::game_id(),
        seq,
        reason: "value too long for type character varying(32)".to_owned(),
        bytes: Bytes::from_static(b"{}"),
    }
}

pub async fn an_empty_store_has_none(letters: Store) {
    assert_eq!(letters.count().await.unwrap(), 0);
    assert_eq!(letters.list(10).await.unwrap(), []);
}

pub async fn a_letter_is_kept_as_it_was_put(letters: Store) {
    let letter = letter(17);
    letters.put(&letter).await.unwrap();
    assert_eq!(letters.count().await.unwrap(), 1);
    assert_eq!(letters.list(10).await.unwrap(), [letter]);
}

pub async fn a_letter_is_kept_once(letters: Store) {
    let first = letter(17);
    letters.put(&first).await.unwrap();
    letters.put(&letter(18)).await.unwrap();
    letters.put(&first).await.unwrap();
    letters
        .put(&DeadLetter {
            reason: "another reason".to_owned(),
            ..first.clone()
        })
        .await
        .unwrap();
    assert_eq!(letters.count().await.unwrap(), 2);
    assert_eq!(letters.list(10).await.unwrap()[0], first);
}

pub async fn every_projector_has_its_own(letters: Store) {
    let of_history = letter(17);
    let of_live = DeadLetter {
        projector: "live".to_owned(),
        ..of_history.clone()
    };
    letters.put(&of_history).await.unwrap();
    letters.put(&of_live).await.unwrap();
    assert_eq!(letters.list(10).await.unwrap(), [of_history, of_live]);
}

pub async fn a_game_can_have_several(letters: Store) {
    let first = letter(17);
    let second = DeadLetter {
        seq: 19,
        ..first.clone()
    };
    for letter in [&first, &second, &first, &second] {
        letters.put(letter).await.unwrap();
    }
    assert_eq!(letters.list(10).await.unwrap(), [first, second]);
}

pub async fn letters_are_listed_oldest_first_and_no_more_than_asked_for(letters: Store) {
    let all: Vec<_> = (1..=20).rev().map(letter).collect();
    for letter in &all {
        letters.put(letter).await.unwrap();
    }
    assert_eq!(letters.count().await.unwrap(), 20);
    assert_eq!(letters.list(7).await.unwrap(), all[..7]);
    assert_eq!(letters.list(100).await.unwrap(), all);
    assert_eq!(letters.list(0).await.unwrap(), []);
}

pub async fn a_reason_and_an_event_may_hold_anything(letters: Store) {
    let letter = DeadLetter {
        reason: "two\r\nlines: \"ş\" \u{0}\u{7f}\u{1f600} ".to_owned(),
        bytes: Bytes::from((0..=255).cycle().take(3_000).collect::<Vec<u8>>()),
        ..letter(17)
    };
    letters.put(&letter).await.unwrap();
    letters
        .put(&DeadLetter {
            seq: 18,
            reason: String::new(),
            bytes: Bytes::new(),
            ..letter.clone()
        })
        .await
        .unwrap();
    let listed = letters.list(10).await.unwrap();
    assert_eq!(listed[0], letter);
    assert_eq!((listed[1].reason.as_str(), listed[1].bytes.len()), ("", 0));
}

pub async fn two_who_put_the_same_letter_at_once_keep_one(letters: Store) {
    for seq in 1..=10 {
        let letter = letter(seq);
        let (one, other) = tokio::join!(letters.put(&letter), letters.put(&letter));
        one.and(other).unwrap();
    }
    assert_eq!(letters.count().await.unwrap(), 10);
}

pub async fn a_letter_is_found_by_its_projector_and_sequence(letters: Store) {
    let (first, second) = (letter(17), letter(18));
    for letter in [&first, &second] {
        letters.put(letter).await.unwrap();
    }
    assert_eq!(letters.find("history", 18).await.unwrap(), Some(second));
    for (projector, seq) in [("live", 17), ("history", 19), ("no such. projector", 17)] {
        assert_eq!(
            letters.find(projector, seq).await.unwrap(),
            None,
            "{projector} {seq}"
        );
    }
}

pub async fn a_removed_letter_is_gone_and_the_others_stay(letters: Store) {
    let all = [letter(1), letter(2), letter(3)];
    for letter in &all {
        letters.put(letter).await.unwrap();
    }
    assert!(letters.remove("history", 2).await.unwrap());
    assert!(!letters.remove("history", 2).await.unwrap());
    assert!(!letters.remove("live", 1).await.unwrap());
    assert_eq!(letters.list(10).await.unwrap(), [all[0].clone(), all[2].clone()]);
    assert_eq!(letters.count().await.unwrap(), 2);
}

pub async fn a_removed_letter_may_be_put_again(letters: Store) {
    let (first, second) = (letter(1), letter(2));
    let second = DeadLetter {
        game: first.game,
        ..second
    };
    for letter in [&first, &second] {
        letters.put(letter).await.unwrap();
    }
    assert!(letters.remove("history", 2).await.unwrap());
    letters.put(&second).await.unwrap();
    letters.put(&first).await.unwrap();
    assert_eq!(letters.list(10).await.unwrap(), [first, second]);
}
