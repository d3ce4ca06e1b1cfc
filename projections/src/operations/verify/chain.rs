//! Whether one game's messages make a game: in order, without a repeat, without a hole other than one closed by an
//! `anchored`, on one chain, and played by the rules. Pure.

use std::collections::HashSet;

use commands::fold::{FoldError, fold_onto};
use commands::ports::LogEntry;
use contract::event::{DecodeError, Moved};
use contract::{Envelope, Event, EventId, FinishedGame, GameState, Seq, State};
use rules::IllegalMove;

use crate::live::folded::is_whole;

mod end;

/// One game's messages, as far as they were read.
#[derive(Debug)]
pub(super) struct Chain {
    state: Option<GameState>,
    record: Option<FinishedGame>,
    ids: HashSet<EventId>,
    faults: Vec<String>,
    newer: bool,
    last_seq: Seq,
    /// Whether the log reaches back to its beginning, so that every game must begin in it.
    is_whole_log: bool,
}

impl Chain {
    /// Nothing yet, of a log that begins at `first`.
    pub(super) fn new(first: Seq) -> Self {
        Self {
            state: None,
            record: None,
            ids: HashSet::new(),
            faults: Vec::new(),
            newer: false,
            last_seq: 0,
            is_whole_log: first <= 1,
        }
    }

    /// The next message.
    pub(super) fn take(&mut self, entry: &LogEntry) {
        self.last_seq = entry.seq;
        match Envelope::from_bytes(&entry.bytes) {
            Ok(envelope) => {
                if let Err(what) = self.follow(entry, &envelope) {
                    self.faults.push(format!("message {}: {what}", entry.seq));
                }
            }
            Err(DecodeError::Newer(_)) => self.newer = true,
            Err(DecodeError::Corrupt(why)) => {
                self.faults
                    .push(format!("message {} cannot be read: {why}", entry.seq));
            }
        }
    }

    /// Whether the game has ended.
    pub(super) fn is_over(&self) -> bool {
        self.record.is_some()
    }

    /// Whether newer code wrote a part of it.
    pub(super) fn is_newer(&self) -> bool {
        self.newer
    }

    /// The sequence of its last message.
    pub(super) fn last_seq(&self) -> Seq {
        self.last_seq
    }

    /// What is wrong with it, and its record.
    pub(super) fn finish(mut self) -> (Vec<String>, Option<FinishedGame>) {
        if let (Some(record), Some(state)) = (&self.record, &self.state)
            && let Some(ending) = &state.ending
            && *record != state.finished(ending, state.spectators)
        {
            self.faults
                .push("the record in its end is not what was played".to_owned());
        }
        (self.faults, self.record)
    }

    fn follow(&mut self, entry: &LogEntry, envelope: &Envelope) -> Result<(), String> {
        if envelope.key() != entry.key || envelope.event.name() != entry.name {
            return Err(format!(
                "it is {} under the name of a {}",
                envelope.id, entry.name
            ));
        }
        if !self.ids.insert(envelope.id) {
            return Err(format!("it repeats {}", envelope.id));
        }
        if self.state.is_none() && !is_whole(envelope) {
            if let Event::Ended(ended) = &envelope.event {
                self.record = Some((*ended.record).clone());
            }
            return if self.is_whole_log {
                Err("the game does not begin".to_owned())
            } else {
                Ok(())
            };
        }
        let placed = self.must_follow(envelope);
        let played = match (&self.state, &envelope.event) {
            (Some(state), Event::Moved(moved)) if placed.is_ok() => by_the_rules(state, moved),
            (Some(state), Event::Ended(ended)) if placed.is_ok() => end::by_the_rules(state, ended),
            _ => Ok(()),
        };
        match fold_onto(&mut self.state, envelope) {
            Ok(()) => {}
            // An `anchored` may say once more what is known.
            Err(FoldError::Old { .. }) if matches!(envelope.event, Event::Anchored(_)) => {}
            Err(error) => return Err(error.to_string()),
        }
        if let Event::Ended(ended) = &envelope.event {
            self.record = Some((*ended.record).clone());
        }
        placed.and(played)
    }

    /// The next version, behind the event before it; only an `anchored` may close a hole, and then by the same chain.
    fn must_follow(&self, envelope: &Envelope) -> Result<(), String> {
        let (version, previd) = self
            .state
            .as_ref()
            .map_or((0, None), |state| (state.version, Some(state.last_event)));
        if let Event::Anchored(anchored) = &envelope.event {
            let game = &anchored.game;
            if game.last_event != anchored.stands_for || game.version < version {
                return Err(format!(
                    "it stands for {}, after version {version}",
                    anchored.stands_for
                ));
            }
            if previd.is_some_and(|previd| !game.chain.has_event(previd, game.version)) {
                return Err("it is on another chain than what is before it".to_owned());
            }
            return Ok(());
        }
        if envelope.version() != version + 1 {
            return Err(format!("version {} follows {version}", envelope.version()));
        }
        if envelope.previd != previd {
            return Err(format!("it follows {:?}, not {previd:?}", envelope.previd));
        }
        Ok(())
    }
}

/// Plays a move again. Rules of another version may have led elsewhere: their moves are taken as they are.
fn by_the_rules(game: &GameState, moved: &Moved) -> Result<(), String> {
    if game.rules_version != game.kind.rules_version() {
        return Ok(());
    }
    let leads_there = |state: &State| {
        let played = state.play(moved.seat, &moved.mv)?;
        Ok(played.state == moved.state && played.steps == moved.steps)
    };
    match leads_there(&game.state) {
        Ok(true) => Ok(()),
        // A draw may have been offered together with the move.
        _ if game
            .state
            .arm_draw(moved.seat, true)
            .is_ok_and(|armed| leads_there(&armed) == Ok(true)) =>
        {
            Ok(())
        }
        Ok(false) => Err("the move leads elsewhere by the rules".to_owned()),
        Err(illegal) => Err(illegal_move(illegal)),
    }
}

fn illegal_move(illegal: IllegalMove) -> String {
    format!("the move is against the rules: {illegal}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::{EndReason, Outcome, WriterId};
    use testkit::fixtures::{entry, outgoing};

    use crate::live::refold::tests::game;

    fn faults_from(first: Seq, events: &[Envelope]) -> Vec<String> {
        let mut chain = Chain::new(first);
        for (seq, event) in (1..).zip(events) {
            chain.take(&entry(seq, &outgoing(event)));
        }
        chain.finish().0
    }

    fn faults(events: &[Envelope]) -> Vec<String> {
        faults_from(1, events)
    }

    #[test]
    fn a_game_as_it_was_written_has_no_fault_and_a_record() {
        let (mut game, mut events) = game(3);
        events.extend([
            game.resume(WriterId(2)),
            game.anchor(),
            game.play(),
            game.end(EndReason::Left),
        ]);
        assert_eq!(faults(&events), Vec::<String>::new());
        let mut chain = Chain::new(1);
        for (seq, event) in (1..).zip(&events) {
            assert!(!chain.is_over());
            chain.take(&entry(seq, &outgoing(event)));
        }
        assert!(chain.is_over());
        assert_eq!(chain.finish().1.map(|record| record.moves.len()), Some(4));
    }

    #[test]
    fn a_hole_a_repeat_and_a_fork_are_faults() {
        let (mut game, events) = game(4);
        let mut hole = events.clone();
        hole.remove(2);
        assert!(!faults(&hole).is_empty());
        let mut repeat = events.clone();
        repeat.push(events[4].clone());
        assert_eq!(faults(&repeat).len(), 1);
        let mut fork = events.clone();
        let mut other = game.clone();
        fork.push(game.play());
        fork.push(other.resume(WriterId(2)));
        assert!(!faults(&fork).is_empty());
    }

    #[test]
    fn an_anchored_event_closes_a_hole() {
        let (mut game, mut events) = game(4);
        events.remove(2);
        events.remove(2);
        events.remove(2);
        events.push(game.anchor());
        events.push(game.play());
        assert_eq!(faults(&events), Vec::<String>::new());
    }

    #[test]
    fn a_game_may_have_its_beginning_before_the_log_but_not_before_a_whole_one() {
        let (mut game, mut events) = game(3);
        events.remove(0);
        events.push(game.anchor());
        assert_eq!(faults_from(7, &events), Vec::<String>::new());
        assert!(!faults_from(1, &events).is_empty());
    }

    #[test]
    fn a_move_against_the_rules_is_a_fault() {
        let (_, mut events) = game(3);
        let Event::Moved(moved) = &mut events[1].event else {
            panic!("it is a move")
        };
        moved.seat = moved.seat.other();
        assert!(
            faults(&events).iter().any(|what| what.contains("rules")),
            "{:?}",
            faults(&events)
        );
    }

    #[test]
    fn a_record_that_was_not_played_is_a_fault() {
        let (mut game, mut events) = game(3);
        let mut end = game.end(EndReason::Left);
        let Event::Ended(ended) = &mut end.event else {
            panic!("it is an end")
        };
        ended.record.moves.pop();
        events.push(end);
        assert!(faults(&events)[0].contains("record"), "{:?}", faults(&events));
    }

    /// A game that was played to its end by the rules, with this end.
    fn played_out(result: impl Fn(Outcome) -> Option<Outcome>, reason: EndReason) -> Vec<Envelope> {
        let (mut game, mut events) = game(0);
        while game.state().to_move().is_some() {
            events.push(game.play());
        }
        let ruled = game.state().state.ending().expect("it is over");
        let end = game.end(reason);
        events.push(ended_with(end, result(ruled.outcome)));
        events
    }

    fn ended_with(mut end: Envelope, result: Option<Outcome>) -> Envelope {
        let Event::Ended(ended) = &mut end.event else {
            panic!("it is an end")
        };
        ended.result = result;
        ended.record.result = result;
        end
    }

    fn other(outcome: Outcome) -> Outcome {
        match outcome {
            Outcome::Player1 => Outcome::Player2,
            Outcome::Player2 | Outcome::Draw => Outcome::Player1,
        }
    }

    #[test]
    fn an_end_that_the_rules_decide_has_their_result_and_reason() {
        assert_eq!(
            faults(&played_out(Some, EndReason::Completed)),
            Vec::<String>::new()
        );
        for wrong in [
            played_out(|ruled| Some(other(ruled)), EndReason::Completed),
            played_out(|_| None, EndReason::Completed),
            played_out(Some, EndReason::Flag),
            played_out(|_| None, EndReason::Inactive),
        ] {
            assert_eq!(faults(&wrong).len(), 1, "{:?}", faults(&wrong));
        }
    }

    #[test]
    fn an_end_that_the_rules_do_not_decide_has_the_result_that_its_reason_has() {
        let ended = |reason, result| {
            let (mut game, mut events) = game(3);
            events.push(ended_with(game.end(reason), result));
            faults(&events).len()
        };
        let (first, second) = (Some(Outcome::Player1), Some(Outcome::Player2));
        // It is the fixture's first player who leaves.
        assert_eq!(ended(EndReason::Left, second), 0);
        assert_eq!(ended(EndReason::Left, first), 1);
        assert_eq!(ended(EndReason::Inactive, None), 0);
        assert_eq!(ended(EndReason::Inactive, first), 1);
        assert_eq!(ended(EndReason::Flag, first), 0);
        assert_eq!(ended(EndReason::Flag, None), 1);
        assert_eq!(ended(EndReason::Flag, Some(Outcome::Draw)), 1);
        assert_eq!(ended(EndReason::Completed, second), 1, "by the rules it goes on");
    }

    #[test]
    fn what_cannot_be_read_is_a_fault_and_what_newer_code_wrote_is_not() {
        let (_, events) = game(1);
        let mut chain = Chain::new(1);
        let mut broken = entry(1, &outgoing(&events[0]));
        broken.bytes = "?".into();
        chain.take(&broken);
        assert_eq!(chain.finish().0.len(), 1);

        let mut chain = Chain::new(1);
        let mut newer = entry(1, &outgoing(&events[0]));
        let text = String::from_utf8(newer.bytes.to_vec()).unwrap();
        newer.bytes = text.replace("started.v1", "started.v9").into();
        chain.take(&newer);
        assert!(chain.is_newer());
        assert_eq!(chain.finish().0.len(), 0);
    }
}
