// What is said of the dice and of a turn: below the board, in the list of moves, and aloud.

import { text } from '../../i18n.js';
import { pieceOn, read } from '../../games/dicechess/dfen.js';
import { notation, positionsOf } from '../../games/dicechess/play.js';
import { rolled } from './script.js';

/** @typedef {import('./script.js').TurnRecord} TurnRecord */
/** @typedef {import('../../games/dicechess/dfen.js').Position} Position */

/** What dice say, in words. @param {readonly number[]} dice */
export const diceInWords = (dice) => dice.map((face) => text().pieces[/** @type {'p'} */ (pieceOn(face))]).join(', ');

/** A turn's micro-moves for eyes. @param {readonly Position[]} positions before each @param {readonly string[]} moves */
export const movesInSigns = (positions, moves) => moves.map((move, n) => notation(positions[n], move)).join('  ');

/** The same of a turn that was played. @param {string} before the DFEN before it @param {TurnRecord} turn */
export const turnInSigns = (before, { dice, moves }) => movesInSigns(positionsOf(rolled(before, dice), moves), moves);

/** A turn in a sentence. @param {string} before @param {TurnRecord} turn @param {string} name */
export function turnInWords(before, turn, name) {
  const t = text();
  const dice = diceInWords(turn.dice);
  return turn.moves.length > 0 ? t.playedTurn(name, dice, turnInSigns(before, turn).replaceAll('  ', ', ')) : t.passedTurn(name, dice);
}

/** Who is to move in a position. @param {string} dfen @returns {import('../../../types/api.d.ts').Seat} */
export const moverIn = (dfen) => (read(dfen).side === 'w' ? 'player1' : 'player2');

/** Below a board on which no turn is due. @param {import('./script.js').Frame} frame @param {string} name whose dice lie there @param {string} waits what is waited for */
export function whileNothingIsDue({ dice, passes }, name, waits) {
  const t = text();
  if (passes) return t.passes(name);
  return waits || (dice.length > 0 ? t.rolledBy(name) : t.start);
}

/** To who is to play. @param {import('../../games/dicechess/draft.js').Draft | null} draft null as long as the tree is not known @param {boolean} goes whether it is about to be sent */
export function ofTheDraft(draft, goes) {
  const t = text();
  if (!draft) return t.loadingTurns;
  if (draft.isPass) return t.youPass;
  if (draft.isComplete) return goes ? t.turnGoes : t.turnReady;
  return draft.moves.length > 0 ? t.goOn : t.yourRoll;
}
