// Made by tools/types.mjs from docs/openapi.json and docs/asyncapi.json. Do not edit.

/**
 * A user's public id, the only id that leaves the authenticating function: `kc:…`, `guest:…` or `legacy:…`.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "UserId".
 */
export type UserId = string;
/**
 * A position as clients draw it.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "Board".
 */
export type Board = number[] | string;
/**
 * Milliseconds since the Unix epoch (or, where a name says so, a length in milliseconds).
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "Millis".
 */
export type Millis = number;
/**
 * What chance has decided at once.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "Chance".
 */
export type Chance =
  | {
      [k: string]: unknown;
    }
  | DiceChessRoll;
/**
 * Chess with three dice and a capturable king.
 */
export type DiceChessRoll = number[];
/**
 * What the player to move may choose from.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "Choices".
 */
export type Choices = MancalaMove[] | DiceChessLegalTurns;
/**
 * A move: the index on the board of the pit to take, in JSON a bare number. What is no pit of the mover's
 * with stones in it is refused when it is played.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "MancalaMove".
 */
export type MancalaMove = number;
/**
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "ClientId".
 */
export type ClientId = string;
/**
 * A position as clients draw it: its DFEN, with the dice that are to be played.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "DiceChessBoard".
 */
export type DiceChessBoard = string;
/**
 * One piece going from one square to another, written as in UCI: `e2e4`, `e7e8q`; castling is the king's
 * step of two squares. Micro-moves are ordered as their texts are.
 *
 * Whether a position allows it is not said here.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "DiceChessMicroMove".
 */
export type DiceChessMicroMove = string;
/**
 * The dice, in the order in which they were thrown.
 */
export type DiceChessRoll1 = number[];
/**
 * The micro-moves, in order; none for a forced pass.
 */
export type DiceChessTurn = DiceChessMicroMove[];
/**
 * Three dice in the order in which they were thrown. Each face names a kind of piece: 1 pawn, 2 knight, 3
 * bishop, 4 rook, 5 queen, 6 king. In JSON three numbers.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "DiceChessRoll".
 */
export type DiceChessRoll2 = number[];
/**
 * The micro-moves of a turn, in order: in JSON a list of one to three texts, `[]` for a forced pass. Whether
 * a position allows it is asked when it is played.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "DiceChessTurn".
 */
export type DiceChessTurn1 = DiceChessMicroMove[];
/**
 * When a move may be shown.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "Durability".
 */
export type Durability = 'best_effort' | 'required';
/**
 * Why a game ended.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "EndReason".
 */
export type EndReason =
  'completed' | 'left' | 'timeout' | 'inactive' | 'flag' | 'resigned' | 'king_captured' | 'draw_agreed' | 'draw_rule';
/**
 * The result of a finished game.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "Outcome".
 */
export type Outcome = 'player1' | 'player2' | 'draw';
/**
 * The literal `"finished"`.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "FinishedStatus".
 */
export type FinishedStatus = 'finished';
/**
 * A game's id: a version 7 UUID, made once when the game is offered. It has one spelling wherever it is read: hyphenated,
 * in lower case.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "GameId".
 */
export type GameId = string;
/**
 * One move as clients see it. For mancala `{playerId, moveIndex, boardSnapshot, gameSteps, at}`, for dice chess
 * `{playerId, dice, moves, dfenAfter, thinkMs, at}`.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "MoveRecord".
 */
export type MoveRecord = MoveRecord1 & {
  /**
   * Milliseconds since the Unix epoch (or, where a name says so, a length in milliseconds).
   */
  at: number;
  /**
   * A user's public id, the only id that leaves the authenticating function: `kc:…`, `guest:…` or `legacy:…`.
   */
  playerId: string;
  /**
   * How long the player's clock ran for it, in milliseconds; absent in a game without clocks.
   */
  thinkMs?: number | null;
};
export type MoveRecord1 = MancalaPlay | DiceChessPlay1;
/**
 * One thing that happened in a move, and where: `{"index": 3, "type": "GAME_STEP_GAME_MOVE"}`.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "MancalaStep".
 */
export type MancalaStep = {
  /**
   * A place on the board, 0–13: of a stone sown, where it fell; of what the last stone did, where that one
   * fell; of a cleared board, the store that took the stones.
   */
  index: number;
} & MancalaStep1;
export type MancalaStep1 =
  | {
      type: 'GAME_STEP_GAME_MOVE';
    }
  | {
      type: 'GAME_STEP_LAST_STONE_IN_BANK';
    }
  | {
      data: {
        /**
         * How many stones went to the store: the opposite pit's and the last one.
         */
        captured: number;
        /**
         * The opponent's pit that was emptied.
         */
        oppositeIndex: number;
      };
      type: 'GAME_STEP_LAST_STONE_IN_EMPTY_PIT';
    }
  | {
      data: {
        /**
         * How many stones went to the store, the last one among them.
         */
        captured: number;
      };
      type: 'GAME_STEP_DOUBLE_STONE_IN_PIT';
    }
  | {
      data: {
        /**
         * How many stones went to the store; 0 if both rows were empty.
         */
        collected: number;
      };
      type: 'GAME_STEP_BOARD_CLEARED';
    };
/**
 * What `GET /game/:id` answers.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "GameView".
 */
export type GameView =
  | LiveGame
  | {
      record: GameRecord1;
      /**
       * Always `"finished"`.
       */
      status: 'finished';
    };
/**
 * What the player to move may choose from, as it is sent along with a position.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "InlineChoices".
 */
export type InlineChoices = (MancalaMove[] | DiceChessLegalTurns) | null;
/**
 * One of the two sides of a game. `player1` moves first.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "Seat".
 */
export type Seat = 'player1' | 'player2';
/**
 * A kind of game. Its name in JSON and in text is in lower case.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "Kind".
 */
export type Kind = 'mancala' | 'dicechess';
/**
 * The literal `"live"`, which tells a live game from a finished one.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "LiveStatus".
 */
export type LiveStatus = 'live';
/**
 * A move in a game of any kind, legal or not.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "Move".
 */
export type Move = number | DiceChessTurn2;
/**
 * Chess with three dice and a capturable king.
 */
export type DiceChessTurn2 = DiceChessMicroMove[];
/**
 * How long a player may think.
 *
 * What is decoded is within the bounds: a time of [`TimeControl::SECONDS`], an increment of
 * [`TimeControl::INCREMENT_S`].
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "TimeControl".
 */
export type TimeControl =
  | {
      type: 'unlimited';
    }
  | {
      /**
       * The time that each player begins with, in seconds.
       */
      initialS: number;
      type: 'suddenDeath';
    }
  | {
      /**
       * What each turn adds, in seconds.
       */
      incrementS: number;
      /**
       * The time that each player begins with, in seconds.
       */
      initialS: number;
      type: 'fischer';
    }
  | {
      /**
       * The time of a turn, in seconds.
       */
      seconds: number;
      type: 'perMove';
    };
/**
 * What `GET /games/popular` answers.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "PopularGames".
 */
export type PopularGames =
  | {
      games: LiveGameSummary[];
      kind: 'live';
    }
  | {
      games: FinishedGameSummary[];
      kind: 'finished';
    };
/**
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "Position".
 */
export type Position = string;
/**
 * A problem's type. On the wire it is a URI reference, `/problems/<name>`.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "ProblemType".
 */
export type ProblemType =
  | '/problems/bad-request'
  | '/problems/unknown-channel'
  | '/problems/limit-out-of-range'
  | '/problems/unauthenticated'
  | '/problems/origin-not-allowed'
  | '/problems/not-your-game'
  | '/problems/not-found'
  | '/problems/method-not-allowed'
  | '/problems/not-your-turn'
  | '/problems/stale-position'
  | '/problems/game-over'
  | '/problems/active-game'
  | '/problems/host-busy'
  | '/problems/seat-taken'
  | '/problems/own-invitation'
  | '/problems/no-draw-offers'
  | '/problems/no-seeds'
  | '/problems/draw-refused'
  | '/problems/game-elsewhere'
  | '/problems/conflict'
  | '/problems/invitation-expired'
  | '/problems/too-large'
  | '/problems/illegal-move'
  | '/problems/rate-limited'
  | '/problems/too-many-sockets'
  | '/problems/internal'
  | '/problems/unavailable'
  | '/problems/standby'
  | '/problems/too-many-games';
/**
 * What changed.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "Change".
 */
export type Change =
  | {
      /**
       * Milliseconds since the Unix epoch (or, where a name says so, a length in milliseconds).
       */
      at: number;
      type: 'started';
    }
  | {
      /**
       * The clocks, if it has any.
       */
      clocks?: Clocks | null;
      /**
       * Whose offer of a draw waits for the other's answer now.
       */
      drawOfferedBy?: UserId | null;
      /**
       * There was no choice: the service made the move.
       */
      forced?: boolean;
      /**
       * What the next player may choose from; absent when the dice come first.
       */
      legalMoves?: InlineChoices | null;
      move: MoveRecord2;
      /**
       * Whose turn it is now; absent when the game is over.
       */
      turnPlayerId?: UserId | null;
      type: 'moved';
    }
  | {
      /**
       * The board with them.
       */
      board: number[] | string;
      /**
       * The clocks, if it has any.
       */
      clocks?: Clocks | null;
      /**
       * What chance has decided at once.
       */
      dice:
        | {
            [k: string]: unknown;
          }
        | DiceChessRoll;
      /**
       * Which throw of the game, from 0.
       */
      index: number;
      /**
       * What the player may choose from; absent when there is no choice.
       */
      legalMoves?: InlineChoices | null;
      /**
       * A user's public id, the only id that leaves the authenticating function: `kc:…`, `guest:…` or `legacy:…`.
       */
      playerId: string;
      type: 'rolled';
    }
  | {
      /**
       * A user's public id, the only id that leaves the authenticating function: `kc:…`, `guest:…` or `legacy:…`.
       */
      playerId: string;
      /**
       * What.
       */
      seed: string;
      type: 'seeded';
    }
  | {
      /**
       * Whether they will.
       */
      armed: boolean;
      type: 'draw_armed';
    }
  | {
      /**
       * Whether they accepted.
       */
      accepted: boolean;
      /**
       * The clocks, if it has any.
       */
      clocks?: Clocks | null;
      /**
       * A user's public id, the only id that leaves the authenticating function: `kc:…`, `guest:…` or `legacy:…`.
       */
      playerId: string;
      type: 'draw_answered';
    }
  | {
      type: 'hidden';
    }
  | {
      /**
       * Milliseconds since the Unix epoch (or, where a name says so, a length in milliseconds).
       */
      at: number;
      /**
       * The clocks, if it has any.
       */
      clocks?: Clocks | null;
      /**
       * Milliseconds given back to the clocks.
       */
      downtimeMs: number;
      type: 'resumed';
    };
/**
 * One move as clients see it. For mancala `{playerId, moveIndex, boardSnapshot, gameSteps, at}`, for dice chess
 * `{playerId, dice, moves, dfenAfter, thinkMs, at}`.
 */
export type MoveRecord2 = (MancalaPlay | DiceChessPlay1) & {
  /**
   * Milliseconds since the Unix epoch (or, where a name says so, a length in milliseconds).
   */
  at: number;
  /**
   * A user's public id, the only id that leaves the authenticating function: `kc:…`, `guest:…` or `legacy:…`.
   */
  playerId: string;
  /**
   * How long the player's clock ran for it, in milliseconds; absent in a game without clocks.
   */
  thinkMs?: number | null;
};

export interface Interfaces {}
/**
 * What `GET /games/me/active` answers.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "ActiveGame".
 */
export interface ActiveGame {
  /**
   * The game the user is in, or `null`.
   */
  game?: LiveGameSummary | null;
}
/**
 * A live game in a list.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "LiveGameSummary".
 */
export interface LiveGameSummary {
  /**
   * The board now.
   */
  board: number[] | string;
  /**
   * The game.
   */
  id: string;
  /**
   * Its kind.
   */
  kind: 'mancala' | 'dicechess';
  /**
   * How many moves were played.
   */
  moveCount: number;
  player1: PlayerSummary;
  player2: PlayerSummary1;
  /**
   * How many watch now.
   */
  spectatorCount: number;
  /**
   * When it started.
   */
  startedAt: number;
  /**
   * Whose turn it is; absent once the last move is played.
   */
  turnPlayerId?: UserId | null;
}
/**
 * Who begins.
 */
export interface PlayerSummary {
  /**
   * Whether the player is a guest.
   */
  isGuest: boolean;
  /**
   * A chosen name or `preferred_username`, at most 32 characters, never an e-mail.
   */
  name?: string | null;
  /**
   * The public id.
   */
  userId: string;
}
/**
 * The other.
 */
export interface PlayerSummary1 {
  /**
   * Whether the player is a guest.
   */
  isGuest: boolean;
  /**
   * A chosen name or `preferred_username`, at most 32 characters, never an e-mail.
   */
  name?: string | null;
  /**
   * The public id.
   */
  userId: string;
}
/**
 * One value for each seat.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "BySeatConnectionView".
 */
export interface BySeatConnectionView {
  player1: ConnectionView;
  player2: ConnectionView1;
}
/**
 * Of the player who begins.
 */
export interface ConnectionView {
  /**
   * Whether any socket or event stream of theirs is open.
   */
  connected: boolean;
  /**
   * When the watcher ends the game if nothing changes; clients count down to it.
   */
  forfeitAt?: Millis | null;
  /**
   * Since when none is.
   */
  offlineSince?: Millis | null;
}
/**
 * Of the other.
 */
export interface ConnectionView1 {
  /**
   * Whether any socket or event stream of theirs is open.
   */
  connected: boolean;
  /**
   * When the watcher ends the game if nothing changes; clients count down to it.
   */
  forfeitAt?: Millis | null;
  /**
   * Since when none is.
   */
  offlineSince?: Millis | null;
}
/**
 * One value for each seat.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "BySeatNullable_string".
 */
export interface BySeatNullableString {
  /**
   * Of the player who begins.
   */
  player1?: string | null;
  /**
   * Of the other.
   */
  player2?: string | null;
}
/**
 * One value for each seat.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "BySeatint64".
 */
export interface BySeatint64 {
  /**
   * Of the player who begins.
   */
  player1: number;
  /**
   * Of the other.
   */
  player2: number;
}
/**
 * One value for each seat.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "BySeatstring".
 */
export interface BySeatstring {
  /**
   * Of the player who begins.
   */
  player1: string;
  /**
   * Of the other.
   */
  player2: string;
}
/**
 * Chess with three dice and a capturable king.
 */
export interface DiceChessLegalTurns {
  [k: string]: DiceChessLegalTurns1;
}
/**
 * The legal turns: a micro-move, and what may follow it. {} ends a turn; at the top it is a forced pass.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "DiceChessLegalTurns".
 */
export interface DiceChessLegalTurns1 {
  [k: string]: DiceChessLegalTurns1;
}
/**
 * What the client is told at its start.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "ClientConfig".
 */
export interface ClientConfig {
  /**
   * Which adapter serves which port.
   */
  served: ServedPort[];
  /**
   * Where accounts sign in; `null` when there are only guests.
   */
  signIn?: SignIn | null;
  /**
   * The service's version.
   */
  version: string;
}
/**
 * A port and its adapter.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "ServedPort".
 */
export interface ServedPort {
  /**
   * What serves it, such as `NATS JetStream`.
   */
  adapter: string;
  /**
   * The port, such as `event log`.
   */
  port: string;
}
/**
 * Where browsers sign in, by authorization code with PKCE.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "SignIn".
 */
export interface SignIn {
  /**
   * The public client.
   */
  clientId: string;
  /**
   * The issuer.
   */
  issuer: string;
}
/**
 * The clocks of both seats. Games without clocks have none.
 *
 * A player's time is what stands here, less what has passed since the clock runs, if theirs does. It is up when
 * nothing is left. A turn that took less is charged when its move is accepted.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "Clocks".
 */
export interface Clocks {
  remainingMs: BySeatint641;
  /**
   * The clock that runs. None does once the game is over, or while nobody can be waited for.
   */
  running?: Running | null;
}
/**
 * Milliseconds left for each seat: of the one whose clock runs, as of `since`.
 */
export interface BySeatint641 {
  /**
   * Of the player who begins.
   */
  player1: number;
  /**
   * Of the other.
   */
  player2: number;
}
/**
 * A clock that runs.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "Running".
 */
export interface Running {
  /**
   * Whose it is.
   */
  seat: 'player1' | 'player2';
  /**
   * Milliseconds since the Unix epoch (or, where a name says so, a length in milliseconds).
   */
  since: number;
}
/**
 * A command was accepted, now or when it was sent the first time.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "CommandAnswer".
 */
export interface CommandAnswer {
  /**
   * Whether the log has it.
   */
  durable: boolean;
  /**
   * The last version that the log has.
   */
  durableVersion: number;
  /**
   * The game.
   */
  gameId: string;
  /**
   * The client's own id, if it gave one.
   */
  id?: ClientId | null;
  /**
   * What a client that has seen that version holds.
   */
  position: string;
  /**
   * The version it made.
   */
  version: number;
}
/**
 * `POST /games/:id/leave`.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "CommandId".
 */
export interface CommandId {
  /**
   * The client's own id for this command.
   */
  id: string;
}
/**
 * Whether a player is there.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "ConnectionView".
 */
export interface ConnectionView2 {
  /**
   * Whether any socket or event stream of theirs is open.
   */
  connected: boolean;
  /**
   * When the watcher ends the game if nothing changes; clients count down to it.
   */
  forfeitAt?: Millis | null;
  /**
   * Since when none is.
   */
  offlineSince?: Millis | null;
}
/**
 * A turn with its effects, as it stands in a game's history.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "DiceChessPlay".
 */
export interface DiceChessPlay {
  /**
   * The position after the turn. That of a captured king has its captor still to move.
   */
  dfenAfter: string;
  dice: DiceChessRoll1;
  moves: DiceChessTurn;
}
/**
 * `POST /games/:id/seed`.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "DiceSeed".
 */
export interface DiceSeed {
  /**
   * The client's own id for this command.
   */
  id: string;
  /**
   * The player's share of the dice's randomness, 16 to 256 characters, none of them a control character.
   */
  seed: string;
}
/**
 * `POST /games/:id/draw-answer`.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "DrawAnswer".
 */
export interface DrawAnswer {
  /**
   * Whether the offer is accepted.
   */
  accept: boolean;
  /**
   * The client's own id for this command.
   */
  id: string;
}
/**
 * `POST /games/:id/draw-offer`.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "DrawOffer".
 */
export interface DrawOffer {
  /**
   * The client's own id for this command.
   */
  id: string;
  /**
   * `false` to withdraw what is not made yet.
   */
  offer?: boolean;
}
/**
 * The public part, of a live game.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "Fairness".
 */
export interface Fairness {
  clientSeeds: BySeatNullableString1;
  /**
   * The SHA-256 of the server's seed, in lower-case hexadecimal: the server cannot change its seed any more.
   */
  commit: string;
}
/**
 * What each player has added; their public id stands in for what is missing at the first throw.
 */
export interface BySeatNullableString1 {
  /**
   * Of the player who begins.
   */
  player1?: string | null;
  /**
   * Of the other.
   */
  player2?: string | null;
}
/**
 * A finished game in a list.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "FinishedGameSummary".
 */
export interface FinishedGameSummary {
  /**
   * The final board.
   */
  board: number[] | string;
  /**
   * Why it ended.
   */
  endReason:
    'completed' | 'left' | 'timeout' | 'inactive' | 'flag' | 'resigned' | 'king_captured' | 'draw_agreed' | 'draw_rule';
  /**
   * Milliseconds since the Unix epoch (or, where a name says so, a length in milliseconds).
   */
  endedAt: number;
  /**
   * The game.
   */
  id: string;
  /**
   * Its kind.
   */
  kind: 'mancala' | 'dicechess';
  /**
   * Who left, when the reason is `left`.
   */
  leftUserId?: UserId | null;
  /**
   * How many moves were played.
   */
  moveCount: number;
  /**
   * The most who watched at one time.
   */
  peakSpectators: number;
  player1: PlayerSummary2;
  player2: PlayerSummary3;
  /**
   * Who won; `null` when nobody did and it was no draw either.
   */
  result?: Outcome | null;
  /**
   * Milliseconds since the Unix epoch (or, where a name says so, a length in milliseconds).
   */
  startedAt: number;
}
/**
 * Who began.
 */
export interface PlayerSummary2 {
  /**
   * Whether the player is a guest.
   */
  isGuest: boolean;
  /**
   * A chosen name or `preferred_username`, at most 32 characters, never an e-mail.
   */
  name?: string | null;
  /**
   * The public id.
   */
  userId: string;
}
/**
 * The other.
 */
export interface PlayerSummary3 {
  /**
   * Whether the player is a guest.
   */
  isGuest: boolean;
  /**
   * A chosen name or `preferred_username`, at most 32 characters, never an e-mail.
   */
  name?: string | null;
  /**
   * The public id.
   */
  userId: string;
}
/**
 * What `GET /games/me` answers.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "FinishedGames".
 */
export interface FinishedGames {
  /**
   * Newest first.
   */
  games: FinishedGameSummary[];
  /**
   * For `before=…`, to get the games after these; absent when there can be none.
   */
  next?: string | null;
}
/**
 * A finished game with all moves, for replay.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "GameRecord".
 */
export interface GameRecord {
  /**
   * The final board.
   */
  board: number[] | string;
  /**
   * The dice of a turn that was not played any more; absent where none were thrown.
   */
  dice?: Chance | null;
  /**
   * Why it ended.
   */
  endReason:
    'completed' | 'left' | 'timeout' | 'inactive' | 'flag' | 'resigned' | 'king_captured' | 'draw_agreed' | 'draw_rule';
  /**
   * Milliseconds since the Unix epoch (or, where a name says so, a length in milliseconds).
   */
  endedAt: number;
  /**
   * What its throws can be checked with; absent in games without chance.
   */
  fairness?: Reveal | null;
  /**
   * The game.
   */
  id: string;
  /**
   * Its kind.
   */
  kind: 'mancala' | 'dicechess';
  /**
   * Who left, when the reason is `left`.
   */
  leftUserId?: UserId | null;
  /**
   * How many moves were played.
   */
  moveCount: number;
  /**
   * All moves.
   */
  moves: MoveRecord[];
  /**
   * The most who watched at one time.
   */
  peakSpectators: number;
  player1: PlayerSummary4;
  player2: PlayerSummary5;
  /**
   * Who won; `null` when nobody did and it was no draw either.
   */
  result?: Outcome | null;
  /**
   * The name of the rules it was played by.
   */
  rules: string;
  /**
   * Milliseconds since the Unix epoch (or, where a name says so, a length in milliseconds).
   */
  startedAt: number;
  /**
   * How many different ones watched.
   */
  totalSpectators: number;
}
/**
 * Everything that is needed to compute every throw of a game that has ended.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "Reveal".
 */
export interface Reveal {
  clientSeeds: BySeatstring1;
  /**
   * What was published at the start.
   */
  commit: string;
  /**
   * The server's seed, 64 hexadecimal digits: its SHA-256 is the commit.
   */
  seed: string;
}
/**
 * What each player added, or else their public id.
 */
export interface BySeatstring1 {
  /**
   * Of the player who begins.
   */
  player1: string;
  /**
   * Of the other.
   */
  player2: string;
}
/**
 * Turkish mangala.
 */
export interface MancalaPlay {
  /**
   * The board after the move.
   */
  boardSnapshot: number[];
  /**
   * What the move did, in order: a step for each stone sown, then at most one for what the last stone did,
   * then one for the cleared board if the game ended.
   */
  gameSteps: MancalaStep[];
  /**
   * A move: the index on the board of the pit to take, in JSON a bare number. What is no pit of the mover's
   * with stones in it is refused when it is played.
   */
  moveIndex: number;
}
/**
 * Chess with three dice and a capturable king.
 */
export interface DiceChessPlay1 {
  /**
   * The position after the turn. That of a captured king has its captor still to move.
   */
  dfenAfter: string;
  dice: DiceChessRoll1;
  moves: DiceChessTurn;
}
/**
 * Who began.
 */
export interface PlayerSummary4 {
  /**
   * Whether the player is a guest.
   */
  isGuest: boolean;
  /**
   * A chosen name or `preferred_username`, at most 32 characters, never an e-mail.
   */
  name?: string | null;
  /**
   * The public id.
   */
  userId: string;
}
/**
 * The other.
 */
export interface PlayerSummary5 {
  /**
   * Whether the player is a guest.
   */
  isGuest: boolean;
  /**
   * A chosen name or `preferred_username`, at most 32 characters, never an e-mail.
   */
  name?: string | null;
  /**
   * The public id.
   */
  userId: string;
}
/**
 * A live game.
 */
export interface LiveGame {
  /**
   * The board now.
   */
  board: number[] | string;
  /**
   * The clocks, if it has any.
   */
  clocks?: Clocks | null;
  /**
   * Whether the players are there; absent when the game is not held by the answering process.
   */
  connections?: BySeatConnectionView | null;
  /**
   * The dice that are to be played, in the order in which they were thrown; absent in games without dice and while they
   * are not thrown.
   */
  dice?: Chance | null;
  /**
   * Whether the asking player will offer a draw with their next complete turn. Nobody else sees it; absent when they
   * will not.
   */
  drawArmed?: boolean;
  /**
   * Whose offer of a draw waits for the other's answer. The dice are not thrown before that.
   */
  drawOfferedBy?: UserId | null;
  /**
   * When moves are shown.
   */
  durability: 'best_effort' | 'required';
  /**
   * The last version that the log has.
   */
  durableVersion: number;
  /**
   * What makes the dice checkable; absent in games without dice.
   */
  fairness?: Fairness | null;
  /**
   * All moves.
   */
  history: MoveRecord[];
  /**
   * The game.
   */
  id: string;
  /**
   * Its kind.
   */
  kind: 'mancala' | 'dicechess';
  /**
   * What the player to move may choose from; absent while nobody has a move to choose.
   */
  legalMoves?: InlineChoices | null;
  /**
   * How many moves were played.
   */
  moveCount: number;
  /**
   * The time of each move.
   */
  moveTimes: Millis[];
  player1: PlayerSummary6;
  player2: PlayerSummary7;
  /**
   * What a client that has this holds.
   */
  position: string;
  /**
   * The name of its rules.
   */
  rules: string;
  /**
   * Until when the first throw waits for the players' seeds; absent once it was thrown.
   */
  seedsUntil?: Millis | null;
  /**
   * How many watch now.
   */
  spectatorCount: number;
  /**
   * Milliseconds since the Unix epoch (or, where a name says so, a length in milliseconds).
   */
  startedAt: number;
  /**
   * Always `"live"`.
   */
  status: 'live';
  /**
   * How long a player may think.
   */
  timeControl:
    | {
        type: 'unlimited';
      }
    | {
        /**
         * The time that each player begins with, in seconds.
         */
        initialS: number;
        type: 'suddenDeath';
      }
    | {
        /**
         * What each turn adds, in seconds.
         */
        incrementS: number;
        /**
         * The time that each player begins with, in seconds.
         */
        initialS: number;
        type: 'fischer';
      }
    | {
        /**
         * The time of a turn, in seconds.
         */
        seconds: number;
        type: 'perMove';
      };
  /**
   * Whose turn it is; absent once the last move is played.
   */
  turnPlayerId?: UserId | null;
  /**
   * How long a player to move may be offline before they lose, in milliseconds.
   */
  turnTimeoutMs: number;
  /**
   * The count of its events.
   */
  version: number;
  /**
   * The asking player's seat, if they play here.
   */
  you?: Seat | null;
}
/**
 * Who begins.
 */
export interface PlayerSummary6 {
  /**
   * Whether the player is a guest.
   */
  isGuest: boolean;
  /**
   * A chosen name or `preferred_username`, at most 32 characters, never an e-mail.
   */
  name?: string | null;
  /**
   * The public id.
   */
  userId: string;
}
/**
 * The other.
 */
export interface PlayerSummary7 {
  /**
   * Whether the player is a guest.
   */
  isGuest: boolean;
  /**
   * A chosen name or `preferred_username`, at most 32 characters, never an e-mail.
   */
  name?: string | null;
  /**
   * The public id.
   */
  userId: string;
}
/**
 * The record.
 */
export interface GameRecord1 {
  /**
   * The final board.
   */
  board: number[] | string;
  /**
   * The dice of a turn that was not played any more; absent where none were thrown.
   */
  dice?: Chance | null;
  /**
   * Why it ended.
   */
  endReason:
    'completed' | 'left' | 'timeout' | 'inactive' | 'flag' | 'resigned' | 'king_captured' | 'draw_agreed' | 'draw_rule';
  /**
   * Milliseconds since the Unix epoch (or, where a name says so, a length in milliseconds).
   */
  endedAt: number;
  /**
   * What its throws can be checked with; absent in games without chance.
   */
  fairness?: Reveal | null;
  /**
   * The game.
   */
  id: string;
  /**
   * Its kind.
   */
  kind: 'mancala' | 'dicechess';
  /**
   * Who left, when the reason is `left`.
   */
  leftUserId?: UserId | null;
  /**
   * How many moves were played.
   */
  moveCount: number;
  /**
   * All moves.
   */
  moves: MoveRecord[];
  /**
   * The most who watched at one time.
   */
  peakSpectators: number;
  player1: PlayerSummary4;
  player2: PlayerSummary5;
  /**
   * Who won; `null` when nobody did and it was no draw either.
   */
  result?: Outcome | null;
  /**
   * The name of the rules it was played by.
   */
  rules: string;
  /**
   * Milliseconds since the Unix epoch (or, where a name says so, a length in milliseconds).
   */
  startedAt: number;
  /**
   * How many different ones watched.
   */
  totalSpectators: number;
}
/**
 * A guest, and the token that proves to be them. It is not shown again.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "Guest".
 */
export interface Guest {
  /**
   * The name, as it was taken.
   */
  name?: string | null;
  /**
   * The bearer token, valid for 90 days from its last renewal.
   */
  token: string;
  /**
   * A user's public id, the only id that leaves the authenticating function: `kc:…`, `guest:…` or `legacy:…`.
   */
  userId: string;
}
/**
 * What `/healthz` and `/readyz` answer when all is well.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "Health".
 */
export interface Health {
  /**
   * `ok` or `ready`.
   */
  status: string;
}
/**
 * An invitation. Nothing is stored: the link is the invitation.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "InvitationLink".
 */
export interface InvitationLink {
  /**
   * Milliseconds since the Unix epoch (or, where a name says so, a length in milliseconds).
   */
  expiresAt: number;
  /**
   * The id that the game will have once somebody joins; until then it is unknown to every other route.
   */
  id: string;
  /**
   * The link to pass on. Its `token` is what `POST /games/:id/join` takes.
   */
  joinUrl: string;
}
/**
 * `POST /games/:id/join`.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "Join".
 */
export interface Join {
  /**
   * The client's own id: joining again with the same id is answered like the first time.
   */
  id?: ClientId | null;
  /**
   * The `token` of the link.
   */
  token: string;
}
/**
 * What `GET /games/:id/moves` answers.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "LegalMoves".
 */
export interface LegalMoves {
  /**
   * Every move the player to move may make, none while nobody has one to choose: for mancala a list of pits, for dice
   * chess a tree of micro-moves.
   */
  moves: MancalaMove[] | DiceChessLegalTurns;
}
/**
 * A live game, whole.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "LiveGame".
 */
export interface LiveGame1 {
  /**
   * The board now.
   */
  board: number[] | string;
  /**
   * The clocks, if it has any.
   */
  clocks?: Clocks | null;
  /**
   * Whether the players are there; absent when the game is not held by the answering process.
   */
  connections?: BySeatConnectionView | null;
  /**
   * The dice that are to be played, in the order in which they were thrown; absent in games without dice and while they
   * are not thrown.
   */
  dice?: Chance | null;
  /**
   * Whether the asking player will offer a draw with their next complete turn. Nobody else sees it; absent when they
   * will not.
   */
  drawArmed?: boolean;
  /**
   * Whose offer of a draw waits for the other's answer. The dice are not thrown before that.
   */
  drawOfferedBy?: UserId | null;
  /**
   * When moves are shown.
   */
  durability: 'best_effort' | 'required';
  /**
   * The last version that the log has.
   */
  durableVersion: number;
  /**
   * What makes the dice checkable; absent in games without dice.
   */
  fairness?: Fairness | null;
  /**
   * All moves.
   */
  history: MoveRecord[];
  /**
   * The game.
   */
  id: string;
  /**
   * Its kind.
   */
  kind: 'mancala' | 'dicechess';
  /**
   * What the player to move may choose from; absent while nobody has a move to choose.
   */
  legalMoves?: InlineChoices | null;
  /**
   * How many moves were played.
   */
  moveCount: number;
  /**
   * The time of each move.
   */
  moveTimes: Millis[];
  player1: PlayerSummary6;
  player2: PlayerSummary7;
  /**
   * What a client that has this holds.
   */
  position: string;
  /**
   * The name of its rules.
   */
  rules: string;
  /**
   * Until when the first throw waits for the players' seeds; absent once it was thrown.
   */
  seedsUntil?: Millis | null;
  /**
   * How many watch now.
   */
  spectatorCount: number;
  /**
   * Milliseconds since the Unix epoch (or, where a name says so, a length in milliseconds).
   */
  startedAt: number;
  /**
   * Always `"live"`.
   */
  status: 'live';
  /**
   * How long a player may think.
   */
  timeControl:
    | {
        type: 'unlimited';
      }
    | {
        /**
         * The time that each player begins with, in seconds.
         */
        initialS: number;
        type: 'suddenDeath';
      }
    | {
        /**
         * What each turn adds, in seconds.
         */
        incrementS: number;
        /**
         * The time that each player begins with, in seconds.
         */
        initialS: number;
        type: 'fischer';
      }
    | {
        /**
         * The time of a turn, in seconds.
         */
        seconds: number;
        type: 'perMove';
      };
  /**
   * Whose turn it is; absent once the last move is played.
   */
  turnPlayerId?: UserId | null;
  /**
   * How long a player to move may be offline before they lose, in milliseconds.
   */
  turnTimeoutMs: number;
  /**
   * The count of its events.
   */
  version: number;
  /**
   * The asking player's seat, if they play here.
   */
  you?: Seat | null;
}
/**
 * A move with its effects, as it stands in a game's history.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "MancalaPlay".
 */
export interface MancalaPlay1 {
  /**
   * The board after the move.
   */
  boardSnapshot: number[];
  /**
   * What the move did, in order: a step for each stone sown, then at most one for what the last stone did,
   * then one for the cleared board if the game ended.
   */
  gameSteps: MancalaStep[];
  /**
   * A move: the index on the board of the pit to take, in JSON a bare number. What is no pit of the mover's
   * with stones in it is refused when it is played.
   */
  moveIndex: number;
}
/**
 * `POST /guests`.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "NewGuest".
 */
export interface NewGuest {
  /**
   * What others see, at most 32 characters.
   */
  name?: string | null;
}
/**
 * `POST /games`: invite somebody.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "NewInvitation".
 */
export interface NewInvitation {
  /**
   * When moves are shown; `best_effort` when absent.
   */
  durability?: 'best_effort' | 'required';
  /**
   * Which game.
   */
  kind: 'mancala' | 'dicechess';
  /**
   * Where the inviter sits; `player1`, who begins, when absent.
   */
  seat?: Seat | null;
  /**
   * How long a player may think; what is usual for the kind when absent.
   */
  timeControl?: TimeControl | null;
}
/**
 * `POST /games/:id/moves`.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "PlayMove".
 */
export interface PlayMove {
  /**
   * The client's own id for this command.
   */
  id: string;
  /**
   * The move: for mancala the index of a pit, 0–5 or 7–12; for dice chess the micro-moves of a whole turn.
   */
  move: number | DiceChessTurn2;
  /**
   * Whether to offer a draw with it.
   */
  offerDraw?: boolean;
  /**
   * What the player saw.
   */
  position: string;
}
/**
 * A player as others see them.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "PlayerSummary".
 */
export interface PlayerSummary8 {
  /**
   * Whether the player is a guest.
   */
  isGuest: boolean;
  /**
   * A chosen name or `preferred_username`, at most 32 characters, never an e-mail.
   */
  name?: string | null;
  /**
   * The public id.
   */
  userId: string;
}
/**
 * A problem document, `application/problem+json`.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "Problem".
 */
export interface Problem {
  /**
   * What happened here, for a person.
   */
  detail?: string | null;
  /**
   * The current state, when the position was stale.
   */
  game?: LiveGame1 | null;
  /**
   * The game concerned.
   */
  gameId?: GameId | null;
  /**
   * Whether the outcome is unknown: ask again with the same command id.
   */
  outcomeUnknown?: boolean | null;
  /**
   * The HTTP status.
   */
  status: number;
  /**
   * What it means, in a few words.
   */
  title: string;
  /**
   * The type, a URI reference.
   */
  type:
    | '/problems/bad-request'
    | '/problems/unknown-channel'
    | '/problems/limit-out-of-range'
    | '/problems/unauthenticated'
    | '/problems/origin-not-allowed'
    | '/problems/not-your-game'
    | '/problems/not-found'
    | '/problems/method-not-allowed'
    | '/problems/not-your-turn'
    | '/problems/stale-position'
    | '/problems/game-over'
    | '/problems/active-game'
    | '/problems/host-busy'
    | '/problems/seat-taken'
    | '/problems/own-invitation'
    | '/problems/no-draw-offers'
    | '/problems/no-seeds'
    | '/problems/draw-refused'
    | '/problems/game-elsewhere'
    | '/problems/conflict'
    | '/problems/invitation-expired'
    | '/problems/too-large'
    | '/problems/illegal-move'
    | '/problems/rate-limited'
    | '/problems/too-many-sockets'
    | '/problems/internal'
    | '/problems/unavailable'
    | '/problems/standby'
    | '/problems/too-many-games';
}
/**
 * What `POST /ws-ticket` answers.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "SocketTicket".
 */
export interface SocketTicket {
  /**
   * How long it is good for, in milliseconds.
   */
  expiresInMs: number;
  /**
   * For `GET /ws?ticket=…`, once.
   */
  ticket: string;
}
/**
 * `answer_draw`.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "AnswerDraw".
 */
export interface AnswerDraw {
  /**
   * Whether the offer is accepted.
   */
  accept: boolean;
  /**
   * A game's id: a version 7 UUID, made once when the game is offered. It has one spelling wherever it is read: hyphenated,
   * in lower case.
   */
  gameId: string;
  /**
   * The client's own id for this command.
   */
  id: string;
}
/**
 * `authenticate`: the first frame of a socket opened without a ticket.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "Authenticate".
 */
export interface Authenticate {
  /**
   * A bearer token or a ticket.
   */
  token: string;
}
/**
 * `client_seed`.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "ClientSeed".
 */
export interface ClientSeed {
  /**
   * A game's id: a version 7 UUID, made once when the game is offered. It has one spelling wherever it is read: hyphenated,
   * in lower case.
   */
  gameId: string;
  /**
   * The client's own id for this command.
   */
  id: string;
  /**
   * The player's share of the dice's randomness, 16 to 256 characters, none of them a control character.
   */
  seed: string;
}
/**
 * `on_move_accepted`, for every command with an id.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "CommandAccepted".
 */
export interface CommandAccepted {
  /**
   * Whether the log has it.
   */
  durable: boolean;
  /**
   * The last version that the log has.
   */
  durableVersion: number;
  /**
   * A game's id: a version 7 UUID, made once when the game is offered. It has one spelling wherever it is read: hyphenated,
   * in lower case.
   */
  gameId: string;
  /**
   * The client's own id.
   */
  id: string;
  /**
   * What a client that has seen that version holds.
   */
  position: string;
  /**
   * The version it made.
   */
  version: number;
}
/**
 * `on_move_rejected`, for every command with an id.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "CommandRejected".
 */
export interface CommandRejected {
  /**
   * Why, for a person.
   */
  detail: string;
  /**
   * The current state, when the position was stale.
   */
  game?: LiveGame1 | null;
  /**
   * A game's id: a version 7 UUID, made once when the game is offered. It has one spelling wherever it is read: hyphenated,
   * in lower case.
   */
  gameId: string;
  /**
   * The client's own id.
   */
  id: string;
  /**
   * Why.
   */
  type:
    | '/problems/bad-request'
    | '/problems/unknown-channel'
    | '/problems/limit-out-of-range'
    | '/problems/unauthenticated'
    | '/problems/origin-not-allowed'
    | '/problems/not-your-game'
    | '/problems/not-found'
    | '/problems/method-not-allowed'
    | '/problems/not-your-turn'
    | '/problems/stale-position'
    | '/problems/game-over'
    | '/problems/active-game'
    | '/problems/host-busy'
    | '/problems/seat-taken'
    | '/problems/own-invitation'
    | '/problems/no-draw-offers'
    | '/problems/no-seeds'
    | '/problems/draw-refused'
    | '/problems/game-elsewhere'
    | '/problems/conflict'
    | '/problems/invitation-expired'
    | '/problems/too-large'
    | '/problems/illegal-move'
    | '/problems/rate-limited'
    | '/problems/too-many-sockets'
    | '/problems/internal'
    | '/problems/unavailable'
    | '/problems/standby'
    | '/problems/too-many-games';
}
/**
 * `on_user_connection_change`.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "ConnectionChange".
 */
export interface ConnectionChange {
  connections: BySeatConnectionView1;
  /**
   * The last version that the log has.
   */
  durableVersion: number;
  /**
   * A game's id: a version 7 UUID, made once when the game is offered. It has one spelling wherever it is read: hyphenated,
   * in lower case.
   */
  gameId: string;
}
/**
 * One value for each seat.
 */
export interface BySeatConnectionView1 {
  player1: ConnectionView;
  player2: ConnectionView1;
}
/**
 * `on_durable`: the log has caught up with what was answered `durable: false`.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "Durable".
 */
export interface Durable {
  /**
   * The last version that the log has.
   */
  durableVersion: number;
  /**
   * A game's id: a version 7 UUID, made once when the game is offered. It has one spelling wherever it is read: hyphenated,
   * in lower case.
   */
  gameId: string;
}
/**
 * `on_error`.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "ErrorFrame".
 */
export interface ErrorFrame {
  /**
   * What is wrong, for a person.
   */
  detail: string;
  /**
   * The game, if the frame named one.
   */
  gameId?: GameId | null;
  /**
   * The client's own id, if the frame had one.
   */
  id?: string | null;
  /**
   * The problem, as in a problem document.
   */
  type:
    | '/problems/bad-request'
    | '/problems/unknown-channel'
    | '/problems/limit-out-of-range'
    | '/problems/unauthenticated'
    | '/problems/origin-not-allowed'
    | '/problems/not-your-game'
    | '/problems/not-found'
    | '/problems/method-not-allowed'
    | '/problems/not-your-turn'
    | '/problems/stale-position'
    | '/problems/game-over'
    | '/problems/active-game'
    | '/problems/host-busy'
    | '/problems/seat-taken'
    | '/problems/own-invitation'
    | '/problems/no-draw-offers'
    | '/problems/no-seeds'
    | '/problems/draw-refused'
    | '/problems/game-elsewhere'
    | '/problems/conflict'
    | '/problems/invitation-expired'
    | '/problems/too-large'
    | '/problems/illegal-move'
    | '/problems/rate-limited'
    | '/problems/too-many-sockets'
    | '/problems/internal'
    | '/problems/unavailable'
    | '/problems/standby'
    | '/problems/too-many-games';
}
/**
 * `on_game_ended`.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "GameEnded".
 */
export interface GameEnded {
  /**
   * The final board.
   */
  board: number[] | string;
  /**
   * The last version that the log has.
   */
  durableVersion: number;
  /**
   * Why.
   */
  endReason:
    'completed' | 'left' | 'timeout' | 'inactive' | 'flag' | 'resigned' | 'king_captured' | 'draw_agreed' | 'draw_rule';
  /**
   * What its throws can be checked with; absent in games without chance.
   */
  fairness?: Reveal | null;
  game: FinishedGameSummary1;
  /**
   * A game's id: a version 7 UUID, made once when the game is offered. It has one spelling wherever it is read: hyphenated,
   * in lower case.
   */
  gameId: string;
  /**
   * Who left, when the reason is `left`.
   */
  leftUserId?: UserId | null;
  /**
   * What a client that has this frame holds.
   */
  position: string;
  /**
   * Who won; `null` when nobody did and it was no draw either.
   */
  result?: Outcome | null;
  /**
   * The version after this frame.
   */
  version: number;
}
/**
 * A finished game in a list.
 */
export interface FinishedGameSummary1 {
  /**
   * The final board.
   */
  board: number[] | string;
  /**
   * Why it ended.
   */
  endReason:
    'completed' | 'left' | 'timeout' | 'inactive' | 'flag' | 'resigned' | 'king_captured' | 'draw_agreed' | 'draw_rule';
  /**
   * Milliseconds since the Unix epoch (or, where a name says so, a length in milliseconds).
   */
  endedAt: number;
  /**
   * The game.
   */
  id: string;
  /**
   * Its kind.
   */
  kind: 'mancala' | 'dicechess';
  /**
   * Who left, when the reason is `left`.
   */
  leftUserId?: UserId | null;
  /**
   * How many moves were played.
   */
  moveCount: number;
  /**
   * The most who watched at one time.
   */
  peakSpectators: number;
  player1: PlayerSummary2;
  player2: PlayerSummary3;
  /**
   * Who won; `null` when nobody did and it was no draw either.
   */
  result?: Outcome | null;
  /**
   * Milliseconds since the Unix epoch (or, where a name says so, a length in milliseconds).
   */
  startedAt: number;
}
/**
 * `game_move`.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "GameMove".
 */
export interface GameMove {
  /**
   * A game's id: a version 7 UUID, made once when the game is offered. It has one spelling wherever it is read: hyphenated,
   * in lower case.
   */
  gameId: string;
  /**
   * The client's own id for this command.
   */
  id: string;
  /**
   * The move: for mancala the index of a pit, 0–5 or 7–12; for dice chess the micro-moves of a whole turn.
   */
  move: number | DiceChessTurn2;
  /**
   * Whether to offer a draw with it.
   */
  offerDraw?: boolean;
  /**
   * What the player saw.
   */
  position: string;
}
/**
 * `on_game_update`.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "GameUpdate".
 */
export interface GameUpdate {
  /**
   * What changed.
   */
  change:
    | {
        /**
         * Milliseconds since the Unix epoch (or, where a name says so, a length in milliseconds).
         */
        at: number;
        type: 'started';
      }
    | {
        /**
         * The clocks, if it has any.
         */
        clocks?: Clocks | null;
        /**
         * Whose offer of a draw waits for the other's answer now.
         */
        drawOfferedBy?: UserId | null;
        /**
         * There was no choice: the service made the move.
         */
        forced?: boolean;
        /**
         * What the next player may choose from; absent when the dice come first.
         */
        legalMoves?: InlineChoices | null;
        move: MoveRecord2;
        /**
         * Whose turn it is now; absent when the game is over.
         */
        turnPlayerId?: UserId | null;
        type: 'moved';
      }
    | {
        /**
         * The board with them.
         */
        board: number[] | string;
        /**
         * The clocks, if it has any.
         */
        clocks?: Clocks | null;
        /**
         * What chance has decided at once.
         */
        dice:
          | {
              [k: string]: unknown;
            }
          | DiceChessRoll;
        /**
         * Which throw of the game, from 0.
         */
        index: number;
        /**
         * What the player may choose from; absent when there is no choice.
         */
        legalMoves?: InlineChoices | null;
        /**
         * A user's public id, the only id that leaves the authenticating function: `kc:…`, `guest:…` or `legacy:…`.
         */
        playerId: string;
        type: 'rolled';
      }
    | {
        /**
         * A user's public id, the only id that leaves the authenticating function: `kc:…`, `guest:…` or `legacy:…`.
         */
        playerId: string;
        /**
         * What.
         */
        seed: string;
        type: 'seeded';
      }
    | {
        /**
         * Whether they will.
         */
        armed: boolean;
        type: 'draw_armed';
      }
    | {
        /**
         * Whether they accepted.
         */
        accepted: boolean;
        /**
         * The clocks, if it has any.
         */
        clocks?: Clocks | null;
        /**
         * A user's public id, the only id that leaves the authenticating function: `kc:…`, `guest:…` or `legacy:…`.
         */
        playerId: string;
        type: 'draw_answered';
      }
    | {
        type: 'hidden';
      }
    | {
        /**
         * Milliseconds since the Unix epoch (or, where a name says so, a length in milliseconds).
         */
        at: number;
        /**
         * The clocks, if it has any.
         */
        clocks?: Clocks | null;
        /**
         * Milliseconds given back to the clocks.
         */
        downtimeMs: number;
        type: 'resumed';
      };
  /**
   * The last version that the log has.
   */
  durableVersion: number;
  /**
   * A game's id: a version 7 UUID, made once when the game is offered. It has one spelling wherever it is read: hyphenated,
   * in lower case.
   */
  gameId: string;
  /**
   * What a client that has this frame holds.
   */
  position: string;
  /**
   * The version after this frame.
   */
  version: number;
}
/**
 * `leave_game`: resign.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "LeaveGame".
 */
export interface LeaveGame {
  /**
   * A game's id: a version 7 UUID, made once when the game is offered. It has one spelling wherever it is read: hyphenated,
   * in lower case.
   */
  gameId: string;
  /**
   * The client's own id for this command.
   */
  id: string;
}
/**
 * `on_live_games`: the five most watched.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "LiveGames".
 */
export interface LiveGames {
  /**
   * By spectators, then by latest move.
   */
  games: LiveGameSummary[];
}
/**
 * `new_game`: enter the queue.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "NewGame".
 */
export interface NewGame {
  /**
   * Which game.
   */
  kind: 'mancala' | 'dicechess';
  /**
   * How long a player may think; what is usual for the kind when absent.
   */
  timeControl?: TimeControl | null;
}
/**
 * `on_new_game_rejected`: the user is in a game already.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "NewGameRejected".
 */
export interface NewGameRejected {
  /**
   * A game's id: a version 7 UUID, made once when the game is offered. It has one spelling wherever it is read: hyphenated,
   * in lower case.
   */
  gameId: string;
}
/**
 * `offer_draw`: with the next complete turn, whoever's turn it is now.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "OfferDraw".
 */
export interface OfferDraw {
  /**
   * A game's id: a version 7 UUID, made once when the game is offered. It has one spelling wherever it is read: hyphenated,
   * in lower case.
   */
  gameId: string;
  /**
   * The client's own id for this command.
   */
  id: string;
  /**
   * `false` to withdraw what is not made yet.
   */
  offer?: boolean;
}
/**
 * `resync`: the whole state, in place of what cannot be sent step by step.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "Resync".
 */
export interface Resync {
  /**
   * The last version that the log has.
   */
  durableVersion: number;
  /**
   * The game, live or finished; absent when it is not to be had right now.
   */
  game?: GameView | null;
  /**
   * A game's id: a version 7 UUID, made once when the game is offered. It has one spelling wherever it is read: hyphenated,
   * in lower case.
   */
  gameId: string;
}
/**
 * Limits that a client must keep to.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "Settings".
 */
export interface Settings {
  /**
   * How many at once.
   */
  framesBurst: number;
  /**
   * Frames a second that are always allowed.
   */
  framesPerSecond: number;
  /**
   * A socket that sends nothing for this long is closed, in milliseconds; a pong counts.
   */
  idleCloseMs: number;
  /**
   * The largest frame, in bytes.
   */
  maxFrameBytes: number;
  /**
   * How long a player to move may be offline before they lose, in milliseconds.
   */
  turnTimeoutMs: number;
}
/**
 * `on_spectators`.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "SpectatorCount".
 */
export interface SpectatorCount {
  /**
   * The last version that the log has.
   */
  durableVersion: number;
  /**
   * A game's id: a version 7 UUID, made once when the game is offered. It has one spelling wherever it is read: hyphenated,
   * in lower case.
   */
  gameId: string;
  /**
   * How many watch now.
   */
  now: number;
  /**
   * The most at one time.
   */
  peak: number;
  /**
   * How many different ones; a restart of the service may count someone again.
   */
  total: number;
}
/**
 * `unwatch_game`.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "UnwatchGame".
 */
export interface UnwatchGame {
  /**
   * A game's id: a version 7 UUID, made once when the game is offered. It has one spelling wherever it is read: hyphenated,
   * in lower case.
   */
  gameId: string;
}
/**
 * `on_waiting`: the user is in the queue.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "Waiting".
 */
export interface Waiting {
  /**
   * Which game.
   */
  kind: 'mancala' | 'dicechess';
  /**
   * How long a player may think.
   *
   * What is decoded is within the bounds: a time of [`TimeControl::SECONDS`], an increment of
   * [`TimeControl::INCREMENT_S`].
   */
  timeControl:
    | {
        type: 'unlimited';
      }
    | {
        /**
         * The time that each player begins with, in seconds.
         */
        initialS: number;
        type: 'suddenDeath';
      }
    | {
        /**
         * What each turn adds, in seconds.
         */
        incrementS: number;
        /**
         * The time that each player begins with, in seconds.
         */
        initialS: number;
        type: 'fischer';
      }
    | {
        /**
         * The time of a turn, in seconds.
         */
        seconds: number;
        type: 'perMove';
      };
}
/**
 * `watch_game`: get a game's frames, from `since` on.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "WatchGame".
 */
export interface WatchGame {
  /**
   * A game's id: a version 7 UUID, made once when the game is offered. It has one spelling wherever it is read: hyphenated,
   * in lower case.
   */
  gameId: string;
  /**
   * What the client has; absent for the whole game.
   */
  since?: Position | null;
}
/**
 * `on_welcome`: the socket is open, and authenticated if `userId` is there.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "Welcome".
 */
export interface Welcome {
  /**
   * The game the user is in.
   */
  activeGameId?: GameId | null;
  /**
   * The own name.
   */
  name?: string | null;
  settings: Settings1;
  /**
   * A guest's token, renewed: keep it in place of the one that was sent.
   */
  token?: string | null;
  /**
   * The own public id; absent for an anonymous socket.
   */
  userId?: UserId | null;
}
/**
 * What the client must know of the server.
 */
export interface Settings1 {
  /**
   * How many at once.
   */
  framesBurst: number;
  /**
   * Frames a second that are always allowed.
   */
  framesPerSecond: number;
  /**
   * A socket that sends nothing for this long is closed, in milliseconds; a pong counts.
   */
  idleCloseMs: number;
  /**
   * The largest frame, in bytes.
   */
  maxFrameBytes: number;
  /**
   * How long a player to move may be offline before they lose, in milliseconds.
   */
  turnTimeoutMs: number;
}
/**
 * What a client sends, by channel.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "ClientFrames".
 */
export interface ClientFrames {
  answer_draw: AnswerDraw;
  authenticate: Authenticate;
  cancel_new_game: null;
  client_seed: ClientSeed;
  game_move: GameMove;
  leave_game: LeaveGame;
  new_game: NewGame;
  offer_draw: OfferDraw;
  ping: null;
  subscribe_live_games: null;
  unsubscribe_live_games: null;
  unwatch_game: UnwatchGame;
  watch_game: WatchGame;
}
/**
 * What a client gets, by channel.
 *
 * This interface was referenced by `Interfaces`'s JSON-Schema
 * via the `definition` "ServerFrames".
 */
export interface ServerFrames {
  on_durable: Durable;
  on_error: ErrorFrame;
  on_game_ended: GameEnded;
  on_game_start: LiveGame1;
  on_game_update: GameUpdate;
  on_live_games: LiveGames;
  on_move_accepted: CommandAccepted;
  on_move_rejected: CommandRejected;
  on_new_game_rejected: NewGameRejected;
  on_spectators: SpectatorCount;
  on_user_connection_change: ConnectionChange;
  on_waiting: Waiting;
  on_welcome: Welcome;
  pong: null;
  resync: Resync;
}
