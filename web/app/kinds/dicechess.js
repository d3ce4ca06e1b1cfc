// Dice chess, for the pages. Its board, and the module that draws it, are loaded with the first game of this kind.

import { html, nothing } from 'lit';
import { dfenAfter } from '../board/chess/script.js';
import { turnInWords } from '../board/chess/words.js';
import { START, pieceOn } from '../games/dicechess/dfen.js';
import { picture } from '../board/chess/pieces.js';
import { text } from '../i18n.js';

/** @typedef {import('../board/chess/script.js').TurnRecord} TurnRecord */
/** @typedef {import('../../types/api.d.ts').Seat} Seat */

/** @param {unknown} moves @returns {TurnRecord[]} */
const turns = (moves) => /** @type {TurnRecord[]} */ (moves);

/** @type {Promise<unknown> | null} */
let loading = null;
const load = () => {
  loading ??= import('../board/dice-chess-board.js');
  // Asked again the next time.
  loading.catch(() => (loading = null));
};

/** Whose a turn was: they alternate, passes among them. @param {number} index @returns {Seat} */
const seatOf = (index) => (index % 2 === 0 ? 'player1' : 'player2');

/** @type {import('../kinds.js').KindView} */
export const dicechess = {
  tall: true,
  resigns: true,

  table({ moves, at, seat, names, speed = 1, rest, game, reviewing = false, hurry = false, play }) {
    load();
    const order = game?.command?.channel === 'game_move' ? game.command.payload.move : null;
    return html`<dice-chess-board
      .moves=${moves}
      .at=${at}
      .seat=${seat}
      .names=${names}
      .speed=${speed}
      .offer=${game?.offer ?? null}
      .playable=${!reviewing && (game?.myTurn ?? false)}
      .pending=${order}
      .hurry=${hurry}
      @rest=${rest ?? nothing}
      @turn=${(/** @type {CustomEvent<string[]>} */ { detail }) => play?.(detail)}
    ></dice-chess-board>`;
  },

  preview(board, seat, names) {
    load();
    return html`<dice-chess-board readonly .board=${board ?? START} .seat=${seat} .names=${names}></dice-chess-board>`;
  },

  boardAfter: (move) => (move ? /** @type {any} */ (turns([move])[0].dfenAfter) : null),

  score: () => null,

  inWords: (moves, index, names) => turnInWords(dfenAfter(turns(moves), index), turns(moves)[index], names[seatOf(index)]),

  entry(moves, index) {
    const { dice, moves: played } = turns(moves)[index];
    const seat = seatOf(index);
    const sign = html`<span class="dice ${seat}">${dice.map((face) => picture(pieceOn(face)))}</span>`;
    return { seat, sign, effect: played.length === 0 ? text().pass : nothing };
  },
};
