//! What every [`LiveStore`] does. Stamp it with [`live_store_contract!`](crate::live_store_contract).
//!
//! Not here: that a token lapses after ten seconds (each adapter turns its own clock), and what happens when the store
//! is away, killed or frozen.

mod batches;
mod games;
mod generations;
mod given;
mod refusals;
mod tokens;

pub use batches::*;
pub use games::*;
pub use generations::*;
pub use refusals::*;
pub use tokens::*;

/// Makes each case a test. `$open` is an async function without arguments that opens an empty store and returns it as
/// `Arc<dyn LiveStore>`, with whatever must live as long: `(store, guard)`.
#[macro_export]
macro_rules! live_store_contract {
    ($open:path) => {
        $crate::live_store_contract! { $open;
            an_empty_store_has_generation_zero_and_nothing_in_it,
            a_batch_is_read_back_with_its_checkpoint,
            any_bytes_survive,
            a_batch_of_five_hundred_is_written_in_one_step,
            a_batch_without_snapshots_moves_the_checkpoint,
            a_checkpoint_in_doubt_is_set_back,
            writing_needs_the_token,
            a_batch_that_does_not_start_at_the_checkpoint_is_refused,
            a_first_batch_is_refused_once_there_is_a_checkpoint,
            a_lost_token_is_said_before_a_moved_checkpoint,
            a_version_not_above_the_stored_one_is_skipped,
            versions_are_compared_as_numbers,
            a_forced_snapshot_replaces_a_newer_one,
            only_a_creating_write_makes_a_new_key,
            a_heal_leaves_the_checkpoint_where_it_is,
            a_heal_needs_the_token_and_a_newer_version,
            the_token_has_one_holder,
            of_many_who_want_the_token_one_gets_it,
            of_two_batches_from_one_checkpoint_one_is_written,
            only_its_holder_gives_a_token_back,
            each_generation_has_its_own_token,
            games_are_read_one_by_one_and_in_the_order_asked_for,
            tombstones_are_listed_and_still_readable,
            sweeping_deletes_tombstones_and_leaves_live_games,
            a_swept_game_may_be_made_anew,
            generations_do_not_see_each_other,
            a_flip_changes_what_readers_see_and_deletes_the_old_generation,
            a_flip_from_another_generation_changes_nothing,
            the_writer_of_the_old_generation_stops_at_the_flip,
            of_many_flips_one_succeeds,
            a_discarded_generation_is_empty,
            the_generation_in_use_is_not_discarded,
            a_quarantined_game_is_gone_from_every_list,
            quarantining_an_unknown_game_is_no_error,
        }
    };
    ($open:path; $($case:ident),+ $(,)?) => { $(
        #[tokio::test]
        async fn $case() {
            let (store, _guard) = $open().await;
            $crate::contracts::live_store::$case(&*store).await;
        }
    )+ };
}
