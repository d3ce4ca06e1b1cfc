// What the pages must know of a kind of game, and the kinds there are.
//
// To add one: its file in kinds/, a line here, its name in both languages. A board is loaded when the first game of its
// kind is shown.

import { dicechess } from './kinds/dicechess.js';
import { mancala } from './kinds/mancala.js';

/** @typedef {import('../types/api.d.ts').Board} Board */
/** @typedef {import('../types/api.d.ts').Kind} Kind */
/** @typedef {import('../types/api.d.ts').MoveRecord} MoveRecord */
/** @typedef {import('../types/api.d.ts').GameRecord} GameRecord */
/** @typedef {import('../types/api.d.ts').Seat} Seat */
/** @typedef {import('./live-game.js').LiveGame} LiveGame */
/** @typedef {Record<Seat, string>} Names */

/**
 * A board that a history is shown on, and a live game played on.
 * @typedef {object} Table
 * @property {MoveRecord[]} moves
 * @property {number} at how many of them are shown
 * @property {Seat} seat who sits below
 * @property {Names} names
 * @property {number} [speed]
 * @property {() => void} [rest] called when the board has come to rest
 * @property {LiveGame | null} [game] what is played on it
 * @property {boolean} [reviewing] whether an earlier move is looked at
 * @property {boolean} [hurry] whether every second counts
 * @property {(move: any) => void} [play] called with what the player has chosen
 */

/**
 * A move in the list of moves.
 * @typedef {object} Entry
 * @property {Seat} seat whose it was
 * @property {unknown} sign the move for eyes, short
 * @property {unknown} effect what came of it
 */

/**
 * @typedef {object} KindView
 * @property {boolean} tall whether its board is as high as it is wide
 * @property {boolean} tells whether its board tells whose turn it is
 * @property {boolean} resigns whether leaving is called resigning
 * @property {(table: Table) => unknown} table its board, with what belongs to it
 * @property {(game: LiveGame) => unknown} choices what a player may do beside moving
 * @property {(record: GameRecord) => unknown} after what there is to look at once it is over
 * @property {(board: Board | null, seat: Seat, names: Names) => unknown} preview a board to be looked at; null: at the start
 * @property {(move: MoveRecord | undefined) => Board | null} boardAfter null: at the start
 * @property {(board: Board | null, seat: Seat) => number | null} score what a seat has; null where nothing is counted
 * @property {(moves: MoveRecord[], index: number, names: Names) => string} inWords
 * @property {(moves: MoveRecord[], index: number) => Entry} entry
 */

/** @type {Record<Kind, KindView>} */
const all = { mancala, dicechess };

export const KINDS = /** @type {Kind[]} */ (Object.keys(all));

/** @param {Kind} kind */
export const kindOf = (kind) => all[kind];

/** @param {Seat} seat @returns {Seat} */
export const otherSeat = (seat) => (seat === 'player1' ? 'player2' : 'player1');
