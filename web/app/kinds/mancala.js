// Mangala, for the pages.

import { html, nothing } from 'lit';
import { ownerOf, pitNumber, storeOf } from '../games/mancala.js';
import { text } from '../i18n.js';
import { lazily } from '../lazily.js';
import { icons } from '../parts/icons.js';

/** @typedef {import('../games/mancala.js').Record} Move */

/** The pages say any kind's. @param {unknown} value @returns {number[]} */
const counts = (value) => /** @type {number[]} */ (value);
/** @param {unknown} moves @returns {Move[]} */
const own = (moves) => /** @type {Move[]} */ (moves);

const load = lazily(() => import('../board/mancala-board.js'));

/** What a move took, and whether it went on. @param {Move} move */
function effectsOf(move) {
  let took = 0;
  let again = false;
  for (const step of move.gameSteps) {
    if (step.type === 'GAME_STEP_LAST_STONE_IN_BANK') again = true;
    if (step.type === 'GAME_STEP_LAST_STONE_IN_EMPTY_PIT' || step.type === 'GAME_STEP_DOUBLE_STONE_IN_PIT') took += step.data.captured;
    if (step.type === 'GAME_STEP_BOARD_CLEARED') again = false;
  }
  return { took, again };
}

/** @type {import('../kinds.js').KindView} */
export const mancala = {
  tall: false,
  tells: false,
  resigns: false,

  table({ moves, at, seat, names, speed = 1, rest, game, reviewing = false, play }) {
    load();
    const order = game?.command?.channel === 'game_move' ? game.command.payload.move : null;
    return html`<mancala-board
      .moves=${moves}
      .at=${at}
      .seat=${seat}
      .names=${names}
      .speed=${speed}
      .mover=${reviewing ? null : (game?.turn ?? null)}
      .playable=${!reviewing && (game?.myTurn ?? false)}
      .pending=${order}
      @rest=${rest ?? nothing}
      @pit=${(/** @type {CustomEvent<number>} */ { detail: pit }) => play?.(pit)}
    ></mancala-board>`;
  },

  choices: () => nothing,
  after: () => nothing,

  preview(board, seat, names) {
    load();
    return html`<mancala-board readonly .board=${board} .seat=${seat} .names=${names}></mancala-board>`;
  },

  boardAfter: (move) => (move ? own([move])[0].boardSnapshot : null),

  score: (board, seat) => (board === null ? 0 : counts(board)[storeOf(seat)]),

  inWords(moves, index, names) {
    const t = text();
    const move = own(moves)[index];
    const { took, again } = effectsOf(move);
    const parts = [t.played(names[ownerOf(move.moveIndex)], pitNumber(move.moveIndex))];
    if (took > 0) parts.push(t.captured(took));
    if (again) parts.push(t.againTurn);
    return parts.join(', ');
  },

  entry(moves, index) {
    const move = own(moves)[index];
    const { took, again } = effectsOf(move);
    return { seat: ownerOf(move.moveIndex), sign: pitNumber(move.moveIndex), effect: took > 0 ? `+${took}` : again ? icons.again : nothing };
  },
};
