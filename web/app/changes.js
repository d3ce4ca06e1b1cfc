// What a change of a live game does to what is known of it. Whatever concerns the connection is not its affair.

import { kindOf } from './kinds.js';

/** @typedef {import('../types/api.d.ts').LiveGame} View */
/** @typedef {import('../types/api.d.ts').Change} Change */

/** The game after a change. @param {View} view @param {Change} change @returns {View} */
export function changed(view, change) {
  switch (change.type) {
    case 'moved': {
      const history = [...view.history, change.move];
      return {
        ...view,
        history,
        moveTimes: [...view.moveTimes, change.move.at],
        moveCount: history.length,
        board: kindOf(view.kind).boardAfter(change.move) ?? view.board,
        turnPlayerId: change.turnPlayerId,
        dice: null,
        legalMoves: change.legalMoves,
        drawOfferedBy: change.drawOfferedBy,
        // An offer that was armed is made with the turn.
        drawArmed: change.drawOfferedBy ? false : view.drawArmed,
        clocks: change.clocks ?? view.clocks,
      };
    }
    case 'rolled':
      return {
        ...view,
        board: change.board,
        dice: change.dice,
        // Nothing to choose from is a forced pass.
        legalMoves: 'legalMoves' in change ? change.legalMoves : {},
        seedsUntil: null,
        clocks: change.clocks ?? view.clocks,
      };
    case 'seeded':
      return view.fairness ? { ...view, fairness: { ...view.fairness, clientSeeds: { ...view.fairness.clientSeeds, [seatOf(view, change.playerId)]: change.seed } } } : view;
    case 'draw_armed':
      return { ...view, drawArmed: change.armed };
    case 'draw_answered':
      return { ...view, drawOfferedBy: null, clocks: change.clocks ?? view.clocks };
    case 'resumed':
      return { ...view, clocks: change.clocks ?? view.clocks };
    case 'started':
    case 'hidden':
      return view;
  }
}

/** @param {View} view @param {string} userId */
const seatOf = (view, userId) => (view.player1.userId === userId ? 'player1' : 'player2');

/** The dice that are to be played. @param {View} view @returns {readonly number[] | null} */
export const diceOf = (view) => /** @type {number[] | null | undefined} */ (view.dice) ?? null;

/** The tree of legal turns; null if it is too large to be sent along. @param {View} view @returns {import('./games/dicechess/draft.js').Tree | null} */
export const treeOf = (view) => /** @type {any} */ (view.legalMoves === undefined ? {} : view.legalMoves);
