//! Dice chess: what follows from a command by itself, and what must not be known before the end.

use contract::event::{Rolled, Seeded};
use contract::view::LiveGame;
use contract::{GameState, Kind, TimeControl};
use rules::fair::verify;
use rules::{DrawRefusal, IllegalMove, Next};

use super::*;
use crate::clocks;
use crate::decide::fixtures::start_of;
use crate::seed_gate::{GATE_MS, waits_until};
use crate::view::{LiveContext, live_game as view_of};

const SEED: [u8; 32] = [0xd1; 32];
const ANN: Seat = Seat::Player1;
const BEN: Seat = Seat::Player2;

fn seed() -> ServerSeed {
    ServerSeed::new(SEED)
}

fn with_seed(now: i64) -> Context {
    Context {
        seed: Some(seed()),
        ..context(now)
    }
}

fn client_seed(seat: Seat, text: &str) -> Command {
    Command::Seed {
        seat,
        hash: CommandHash::of(seat, &"seed".parse().unwrap()),
        seed: text.to_owned(),
    }
}

fn started() -> (Vec<Envelope>, GameState) {
    run(
        None,
        &start_of(Kind::DiceChess, TimeControl::Unlimited),
        with_seed(0),
    )
}

/// A game whose first dice are thrown, as nobody gave a seed.
fn rolled() -> GameState {
    let (_, game) = started();
    run(Some(game), &Command::GoOn, with_seed(GATE_MS)).1
}

fn names(envelopes: &[Envelope]) -> Vec<&str> {
    envelopes.iter().map(|envelope| envelope.event.name()).collect()
}

fn turn_of(game: &GameState, n: u64, mv: Move) -> Command {
    Command::Move {
        seat: game.to_move().expect("the game is not over"),
        hash: hash(n),
        position: game.position(),
        mv,
        offer_draw: false,
    }
}

fn some_turn(game: &GameState, n: u64) -> Command {
    turn_of(game, n, game.state.legal_moves().swap_remove(0))
}

fn with_offer(command: Command) -> Command {
    match command {
        Command::Move {
            seat,
            hash,
            position,
            mv,
            ..
        } => Command::Move {
            seat,
            hash,
            position,
            mv,
            offer_draw: true,
        },
        other => other,
    }
}

fn answer(seat: Seat, accept: bool) -> Command {
    Command::AnswerDraw {
        seat,
        hash: hash(0xa),
        accept,
    }
}

fn arm(seat: Seat, n: u64, armed: bool) -> Command {
    Command::ArmDraw {
        seat,
        hash: hash(n),
        armed,
    }
}

/// The first turn of the game, with an offer of a draw.
fn offered() -> GameState {
    let game = rolled();
    assert_eq!(game.to_move(), Some(ANN), "these seeds let white move");
    let (events, game) = run(
        Some(game.clone()),
        &with_offer(some_turn(&game, 1)),
        with_seed(GATE_MS),
    );
    assert_eq!(names(&events), ["moved"], "the dice are withheld");
    game
}

#[test]
fn the_commitment_is_published_at_the_start_and_the_dice_wait_for_both_seeds() {
    let (events, game) = started();
    assert_eq!(names(&events), ["started"]);
    let fairness = game.fairness.as_ref().expect("the kind has dice");
    assert_eq!(fairness.commit, seed().commit());
    assert_eq!(waits_until(&game), Some(Millis(GATE_MS)));
    let early = decide(Some(&game), &Command::GoOn, with_seed(GATE_MS - 1));
    assert_eq!(early, Ok(Vec::new()));

    let (events, game) = run(
        Some(game),
        &client_seed(BEN, "sixteen or more characters"),
        with_seed(1),
    );
    assert_eq!(names(&events), ["seeded"]);
    let (events, game) = run(
        Some(game),
        &client_seed(ANN, "and sixteen for the other"),
        with_seed(2),
    );
    assert_eq!(names(&events)[..2], ["seeded", "rolled"]);
    assert_eq!(waits_until(&game), None);
    let Event::Rolled(Rolled {
        index, dice, command, ..
    }) = &events[1].event
    else {
        panic!("it is a throw");
    };
    assert_eq!(*index, 0);
    let clients = game.fairness.as_ref().unwrap().clients(&game.players);
    assert_eq!(clients.player1, "and sixteen for the other");
    assert_eq!(Kind::DiceChess.throw(&seed(), clients, 0).as_ref(), Some(dice));
    assert_eq!(
        command.map(|by| by.seat),
        Some(ANN),
        "it belongs to the second seed"
    );
}

#[test]
fn public_ids_stand_in_for_seeds_that_nobody_gave_in_five_seconds() {
    let (_, game) = started();
    let (_, game) = run(Some(game), &client_seed(ANN, "only ann gives one"), with_seed(1));
    let (events, game) = run(Some(game), &Command::GoOn, with_seed(GATE_MS));
    let Event::Rolled(rolled) = &events[0].event else {
        panic!("it is a throw");
    };
    let clients = game.fairness.as_ref().unwrap().clients(&game.players);
    assert_eq!(
        (clients.player1, clients.player2),
        ("only ann gives one", "guest:ben")
    );
    assert_eq!(
        Kind::DiceChess.throw(&seed(), clients, 0).as_ref(),
        Some(&rolled.dice)
    );
    assert_eq!(rolled.command, None);
}

#[test]
fn a_seed_has_16_to_256_characters_and_counts_once_and_in_time() {
    let (_, game) = started();
    for length in [0, 15, 257] {
        let refused = decide(Some(&game), &client_seed(ANN, &"x".repeat(length)), with_seed(0));
        let why = refused.expect_err("it is too short or too long");
        assert_eq!(
            why.to_string(),
            "seed must be 16..256 characters, without control characters"
        );
    }
    let refused = decide(
        Some(&game),
        &client_seed(ANN, "no store keeps that: \0"),
        with_seed(0),
    );
    assert_eq!(refused, Err(Rejection::BadSeed));
    let (_, seeded) = run(Some(game), &client_seed(ANN, &"é".repeat(16)), with_seed(0));
    let again = decide(Some(&seeded), &client_seed(ANN, &"x".repeat(16)), with_seed(1));
    assert_eq!(again, Ok(Vec::new()), "the first one stays");
    let late = decide(
        Some(&rolled()),
        &client_seed(BEN, &"x".repeat(16)),
        with_seed(9_000),
    );
    assert_eq!(late, Ok(Vec::new()));
    assert_eq!(
        reject(&live_game(), &client_seed(ANN, &"x".repeat(16))),
        Rejection::NoSeeds
    );
}

#[test]
fn without_the_key_of_its_start_a_game_waits_for_its_dice_and_can_still_be_left() {
    let (_, game) = started();
    let other = Context {
        seed: Some(ServerSeed::new([1; 32])),
        ..context(GATE_MS)
    };
    for lost in [context(GATE_MS), other] {
        assert_eq!(decide(Some(&game), &Command::GoOn, lost), Ok(Vec::new()));
        let (events, _) = run(Some(game.clone()), &leave(BEN), lost);
        assert_eq!(ended(&events).record.fairness, None, "nothing wrong is revealed");
    }
}

#[test]
fn a_turn_is_followed_by_the_dice_of_the_next_one_which_belong_to_the_same_command() {
    let game = rolled();
    let before = game.clone();
    let (events, after) = run(Some(game.clone()), &some_turn(&game, 7), with_seed(6_000));
    assert_eq!(names(&events)[..2], ["moved", "rolled"]);
    assert_eq!(after.version_of(ANN, hash(7)), Some(after.version));
    assert_eq!(after.version_of(BEN, hash(7)), None);
    assert_eq!(
        after.turn_version, after.version,
        "a throw makes older moves stale"
    );
    assert_eq!(after.moves[0].dice, before.state.chance());
    assert!(after.state.next().is_a_players());
}

#[test]
fn a_move_before_the_dice_or_with_none_of_the_legal_turns_is_illegal() {
    let (_, game) = started();
    let e2e4: Move = serde_json::from_str(r#"["e2e4"]"#).unwrap();
    assert_eq!(
        reject(&game, &turn_of(&game, 1, e2e4)),
        Rejection::Illegal(IllegalMove::NotRolled)
    );
    let game = rolled();
    let a1a8: Move = serde_json::from_str(r#"["a1a8"]"#).unwrap();
    assert_eq!(
        reject(&game, &turn_of(&game, 1, a1a8)),
        Rejection::Illegal(IllegalMove::NoLegalTurn)
    );
    assert_eq!(
        reject(&game, &turn_of(&game, 1, pit(0))),
        Rejection::Illegal(IllegalMove::OtherKind)
    );
}

#[test]
fn an_offer_withholds_the_dice_until_it_is_answered() {
    let game = offered();
    assert_eq!(game.state.next(), Next::Answer(BEN));
    let e7e5: Move = serde_json::from_str(r#"["e7e5"]"#).unwrap();
    assert_eq!(
        reject(&game, &turn_of(&game, 2, e7e5)).to_string(),
        "dice not rolled yet — accept or decline draw offer first"
    );
    assert_eq!(
        reject(&game, &answer(ANN, true)),
        Rejection::Draw(DrawRefusal::NotYourTurn)
    );
    assert_eq!(
        decide(Some(&game), &Command::GoOn, with_seed(9_000)),
        Ok(Vec::new())
    );

    let (events, declined) = run(Some(game.clone()), &answer(BEN, false), with_seed(9_000));
    assert_eq!(names(&events)[..2], ["draw_answered", "rolled"]);
    assert_eq!(declined.version_of(BEN, hash(0xa)), Some(declined.version));
    let Event::Rolled(rolled) = &events[1].event else {
        panic!("it is a throw");
    };
    assert_eq!(rolled.index, 1, "the gate used up no number");

    let (events, accepted) = run(Some(game), &answer(BEN, true), with_seed(9_000));
    assert_eq!(names(&events), ["draw_answered", "ended"]);
    let end = ended(&events);
    assert_eq!(
        (end.result, end.reason, end.record.ended_at),
        (Some(Outcome::Draw), EndReason::DrawAgreed, Millis(9_000))
    );
    assert!(!accepted.is_live());
}

#[test]
fn a_standing_offer_makes_no_move_stale_and_is_seen_by_its_seat_alone() {
    let game = rolled();
    let turn = some_turn(&game, 1);
    let (events, armed) = run(Some(game), &arm(BEN, 3, true), with_seed(6_000));
    assert_eq!(names(&events), ["draw_armed"]);
    let sees = |seat: Option<Seat>| {
        let viewer = seat.map(|seat| armed.players.of(seat).user_id.clone());
        view_of(&armed, LiveContext::default(), viewer.as_ref())
            .expect("it can be replayed")
            .draw_armed
    };
    assert_eq!(
        (sees(Some(BEN)), sees(Some(ANN)), sees(None)),
        (true, false, false)
    );
    let same = decide(Some(&armed), &arm(BEN, 4, true), with_seed(6_000));
    assert_eq!(same, Ok(Vec::new()), "what is no change is free");
    let (events, _) = run(Some(armed), &turn, with_seed(6_001));
    assert_eq!(names(&events)[..2], ["moved", "rolled"]);
}

#[test]
fn refused_offers_say_why() {
    let said = |game: &GameState, command: &Command| reject(game, command).to_string();
    let game = rolled();
    assert_eq!(said(&game, &answer(ANN, true)), "no draw offer pending");
    let pending = offered();
    assert_eq!(said(&pending, &arm(ANN, 2, true)), "draw offer already delivered");
    assert_eq!(
        said(&pending, &arm(BEN, 2, true)),
        "respond to the pending draw offer first"
    );
    let (_, declined) = run(Some(pending), &answer(BEN, false), with_seed(6_000));
    assert_eq!(said(&declined, &arm(ANN, 2, true)), "opponent must offer next");
    let mut toggled = game;
    for n in 0..10 {
        let command = arm(ANN, 100 + n, n % 2 == 0);
        toggled = run(Some(toggled), &command, with_seed(6_000)).1;
    }
    assert_eq!(said(&toggled, &arm(ANN, 2, true)), "too many draw toggles");
    assert_eq!(
        said(&live_game(), &arm(ANN, 2, true)),
        "this game has no draw offers"
    );
}

#[test]
fn who_leaves_has_resigned_and_the_seed_is_revealed() {
    let (events, _) = run(Some(rolled()), &leave(BEN), with_seed(7_000));
    let end = ended(&events);
    assert_eq!(
        (end.result, end.reason, &end.left_user_id),
        (Some(Outcome::Player1), EndReason::Resigned, &None)
    );
    let reveal = end.record.fairness.as_ref().expect("it has dice");
    assert_eq!(reveal.seed, seed().reveal());
    assert_eq!(reveal.client_seeds.player2, "guest:ben");
}

#[test]
fn no_time_passes_for_a_player_while_the_dice_are_waited_for() {
    let control = TimeControl::Fischer {
        initial_s: 60,
        increment_s: 5,
    };
    let (_, game) = run(None, &start_of(Kind::DiceChess, control), with_seed(0));
    assert_eq!(clocks::left(&game.clocks.unwrap()), None);
    let (_, game) = run(Some(game), &Command::GoOn, with_seed(GATE_MS));
    let running = game.clocks.unwrap().running.expect("somebody has a turn");
    assert_eq!((running.seat, running.since), (ANN, Millis(GATE_MS)));
    let later = Context {
        ran_ms: 2_000,
        ..with_seed(GATE_MS + 2_000)
    };
    let (_, game) = run(Some(game.clone()), &some_turn(&game, 1), later);
    let clocks = game.clocks.unwrap();
    assert_eq!(clocks.remaining_ms.player1, 63_000);
    assert_eq!(game.moves[0].think_ms, Some(2_000));
    for pass in &game.moves[1..] {
        assert_eq!(pass.think_ms, Some(0), "a forced pass costs none");
    }
}

/// A game played by `choices` with its players' private acts, to its end by resigning if it has no other.
fn play_out_dice(choices: &[(u8, u8)]) -> (Vec<Envelope>, GameState) {
    let (mut all, mut game) = started();
    for (n, (act, choice)) in choices.iter().enumerate() {
        let (n, now) = (n as u64, 1_000 * n as i64);
        let Some(seat) = game.to_move() else { break };
        let command = match game.state.next() {
            Next::Answer(seat) => answer(seat, act % 16 == 0),
            Next::Chance(seat) if act % 2 == 0 => client_seed(seat, &format!("{choice:->16}")),
            Next::Chance(_) => Command::GoOn,
            Next::Choose(_) if act % 8 == 1 => arm(seat.other(), n, choice % 2 == 0),
            _ => {
                let legal = game.state.legal_moves();
                turn_of(&game, n, legal[usize::from(*choice) % legal.len()].clone())
            }
        };
        let command = if act % 8 == 2 {
            with_offer(command)
        } else {
            command
        };
        match decide(Some(&game), &command, with_seed(now)) {
            Err(Rejection::Draw(_)) => {}
            Err(other) => panic!("{command:?}: {other}"),
            Ok(_) => {
                let (events, after) = run(Some(game), &command, with_seed(now));
                all.extend(events);
                game = after;
            }
        }
    }
    if game.is_live() {
        let (events, after) = run(Some(game), &leave(BEN), with_seed(1_000_000));
        all.extend(events);
        game = after;
    }
    (all, game)
}

/// What a spectator may see of what a player sees.
fn redacted(view: LiveGame) -> LiveGame {
    LiveGame {
        you: None,
        draw_armed: false,
        ..view
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn nothing_tells_the_seed_before_the_end_and_then_every_throw_follows_from_it(
        choices in prop::collection::vec(any::<(u8, u8)>(), 0..40),
    ) {
        let (events, game) = play_out_dice(&choices);
        let secrets = [seed().reveal(), format!("{SEED:?}"), seed().reveal().to_uppercase()];
        let (last, before) = events.split_last().expect("a game has events");
        for envelope in before {
            let text = String::from_utf8(envelope.to_bytes().to_vec()).expect("it is JSON");
            for secret in &secrets {
                prop_assert!(!text.contains(secret.as_str()), "{text}");
            }
        }
        let Event::Ended(end) = &last.event else { panic!("it ends") };
        let reveal = end.record.fairness.as_ref().expect("it has dice");
        let throws = events.iter().filter_map(|envelope| match &envelope.event {
            Event::Rolled(rolled) => Some((rolled.index, rolled.dice.clone())),
            _ => None,
        });
        let verdict = verify(&reveal.commit, &reveal.seed, throws, |seed, index| {
            Kind::DiceChess.throw(seed, reveal.clients(), index).expect("it has dice")
        });
        prop_assert_eq!(verdict, Ok(()));
        prop_assert_eq!(refold(&events).expect("no hole"), Some(game));
    }

    #[test]
    fn a_game_waits_for_a_player_or_for_seeds_after_every_command(
        choices in prop::collection::vec(any::<(u8, u8)>(), 0..40),
    ) {
        let (events, _) = play_out_dice(&choices);
        let mut game: Option<GameState> = None;
        let mut rolls = 0;
        for (n, envelope) in events.iter().enumerate() {
            let after = fold(game.take(), envelope).expect("it follows");
            prop_assert_eq!(after.version, n as u64 + 1);
            if let Event::Rolled(rolled) = &envelope.event {
                prop_assert_eq!(rolled.index, rolls);
                rolls += 1;
            }
            if let Event::Seeded(Seeded { seed, .. }) = &envelope.event {
                prop_assert!(rolls == 0 && seed.len() >= 16);
            }
            let last_of_command = events.get(n + 1).is_none_or(|next| next.time != envelope.time);
            if last_of_command && after.is_live() {
                prop_assert!(after.state.next().is_a_players() || waits_until(&after).is_some());
            }
            game = Some(after);
        }
    }

    #[test]
    fn a_spectator_sees_a_redaction_of_what_each_player_sees(
        choices in prop::collection::vec(any::<(u8, u8)>(), 0..20),
    ) {
        let (events, _) = play_out_dice(&choices);
        let mut game: Option<GameState> = None;
        for envelope in &events {
            let after = fold(game.take(), envelope).expect("it follows");
            let see = |viewer| view_of(&after, LiveContext::default(), viewer).expect("it can be replayed");
            for seat in Seat::BOTH {
                let own = see(Some(&after.players.of(seat).user_id));
                prop_assert_eq!(own.you, Some(seat));
                prop_assert_eq!(own.draw_armed, after.state.is_draw_armed(seat));
                prop_assert_eq!(redacted(own), see(None));
            }
            game = Some(after);
        }
    }
}
