//! What every [`HistoryStore`] does. Stamp it with [`history_store_contract!`](crate::history_store_contract).
//!
//! Not here: that a token lapses after ten seconds (each adapter turns its own clock), and what happens when the store
//! is away, killed or frozen.

mod checkpoints;
pub mod games;
mod given;
mod lists;
mod rows;
mod tokens;

pub use checkpoints::*;
pub use given::{checkpoint, write};
pub use lists::*;
pub use rows::*;
pub use tokens::*;

/// Makes each case a test. `$open` is an async function without arguments that opens an empty store and returns it as
/// `Arc<dyn HistoryStore>`, with whatever must live as long: `(store, guard)`.
#[macro_export]
macro_rules! history_store_contract {
    ($open:path) => {
        $crate::history_store_contract! { $open;
            an_empty_store_has_nothing,
            a_game_comes_back_exactly_as_it_was_written,
            every_kind_result_and_reason_comes_back,
            the_largest_numbers_come_back,
            text_in_every_script_comes_back,
            a_game_written_again_stays_as_it_was_and_is_listed_once,
            a_game_twice_in_one_batch_is_written_once,
            games_and_checkpoint_move_together,
            a_batch_that_does_not_continue_the_checkpoint_writes_nothing,
            without_the_token_nothing_is_written,
            one_token_holds_at_a_time,
            of_two_that_ask_at_once_one_gets_the_token,
            a_released_token_is_free_and_only_its_holder_releases_it,
            of_two_writes_of_the_same_step_one_is_done,
            a_reset_moves_the_checkpoint_and_keeps_the_games,
            a_reset_needs_the_token,
            a_batch_may_set_the_checkpoint_back,
            a_name_with_a_nul_is_kept_or_refused_as_data,
            existing_names_exactly_the_games_that_have_a_row,
            a_summary_shows_what_the_game_has,
            recent_games_come_newest_first,
            pages_show_the_whole_history_without_repeat_or_hole,
            a_cursor_need_not_be_a_game_of_the_list,
            only_the_very_same_user_id_has_the_games,
            a_game_against_oneself_is_listed_once,
            popular_games_come_by_peak_then_newest_end,
            a_thousand_games_are_written_in_batches_of_a_hundred,
        }
    };
    ($open:path; $($case:ident),+ $(,)?) => { $(
        #[tokio::test]
        async fn $case() {
            let (store, _guard) = $open().await;
            $crate::contracts::history_store::$case(&*store).await;
        }
    )+ };
}
