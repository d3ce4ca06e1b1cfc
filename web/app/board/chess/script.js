// How a turn is shown: frame by frame, each with what is on the board, which squares and dice are pointed out, and for
// how long.

import { START, pieceOn, read, write } from '../../games/dicechess/dfen.js';
import { spentOf } from '../../games/dicechess/draft.js';
import { diceFor, partsOf, positionsOf } from '../../games/dicechess/play.js';

/** A turn: the dice in the order in which they were thrown, and what was played with them. @typedef {{ playerId: string, dice: number[], moves: string[], dfenAfter: string, at: number }} TurnRecord */
/** @typedef {import('../../games/dicechess/dfen.js').Position} Position */

/**
 * @typedef {object} Frame
 * @property {string} dfen
 * @property {string[]} marked squares
 * @property {readonly number[]} dice
 * @property {readonly boolean[]} spent
 * @property {boolean} passes whether the turn was a forced pass
 */

/** @param {readonly number[]} dice */
export const lettersOf = (dice) => dice.map(pieceOn);

/** The DFEN after so many turns. @param {readonly TurnRecord[]} turns @param {number} at */
export const dfenAfter = (turns, at) => (at > 0 ? turns[at - 1].dfenAfter : START);

/** The squares that micro-moves touch. @param {readonly string[]} moves */
export const squaresOf = (moves) => [...new Set(moves.flatMap((move) => [partsOf(move).from, partsOf(move).to]))];

/** The position that a turn begins with, its dice thrown. @param {string} before @param {readonly number[]} dice @returns {Position} */
export const rolled = (before, dice) => ({ ...read(before), dice: [...dice].sort((a, b) => a - b).map(pieceOn).join('') });

/** The frames of a turn, the thrown dice first. @param {string} before the DFEN before it @param {TurnRecord} turn @returns {Frame[]} */
export function framesOf(before, { dice, moves }) {
  const positions = positionsOf(rolled(before, dice), moves);
  const passes = moves.length === 0;
  return positions.map((position, n) => ({
    dfen: write(position),
    marked: squaresOf(moves.slice(0, n)),
    dice,
    spent: spentOf(
      lettersOf(dice),
      moves.slice(0, n).map((move, at) => diceFor(positions[at], move)),
    ),
    passes,
  }));
}

/** What is shown after so many turns, at rest. @param {readonly TurnRecord[]} turns @param {number} at @returns {Frame} */
export function restingAt(turns, at) {
  const turn = turns[at - 1];
  if (!turn) return { dfen: START, marked: [], dice: [], spent: [], passes: false };
  const last = framesOf(dfenAfter(turns, at - 1), turn).at(-1);
  return { ...(last ?? restingAt(turns, 0)), dfen: turn.dfenAfter };
}

/** Whether two positions look the same. @param {string} one @param {string} other */
export const looksLike = (one, other) => one.split(' ')[0] === other.split(' ')[0];
