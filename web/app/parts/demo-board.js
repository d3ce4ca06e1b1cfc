// A board that plays by itself, so that who comes here sees the game before it is explained.

import { css, html } from 'lit';
import '../board/mancala-board.js';
import { Element } from '../element.js';
import { legal, opening, play } from '../games/mancala.js';
import { sheet } from '../sheet.js';

/** @typedef {import('../games/mancala.js').Record} MoveRecord */
/** @typedef {import('../../types/api.d.ts').Seat} Seat */

const PAUSE_MS = 1600;
const MOVES = 16;

/** A game that always takes what captures or goes on, if there is such a move. @returns {MoveRecord[]} */
function game() {
  /** @type {MoveRecord[]} */
  const moves = [];
  let board = opening();
  /** @type {Seat | null} */
  let seat = 'player1';
  while (seat && moves.length < MOVES) {
    const mover = /** @type {Seat} */ (seat);
    const choices = legal(board, mover).map((pit) => ({ pit, ...play(board, mover, pit) }));
    const best = choices.toSorted((a, b) => b.steps.length - b.board[0] - (a.steps.length - a.board[0]));
    const chosen = best.find(({ steps }) => steps.at(-1)?.type !== 'GAME_STEP_GAME_MOVE') ?? best[moves.length % best.length];
    moves.push({ moveIndex: chosen.pit, boardSnapshot: chosen.board, gameSteps: chosen.steps, playerId: '', at: 0 });
    board = chosen.board;
    seat = chosen.next;
  }
  return moves;
}

class DemoBoard extends Element {
  static properties = { at: { state: true } };

  static styles = [
    sheet,
    css`
      :host {
        container-type: inline-size;
      }
      mancala-board {
        --board-unit: 1cqw;
      }
    `,
  ];

  constructor() {
    super();
    this.at = 5;
  }

  #moves = game();
  #timer = 0;

  disconnectedCallback() {
    super.disconnectedCallback();
    clearTimeout(this.#timer);
  }

  #soon() {
    clearTimeout(this.#timer);
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    this.#timer = setTimeout(() => (this.at = (this.at + 1) % (this.#moves.length + 1)), PAUSE_MS);
  }

  render() {
    return html`<mancala-board readonly .moves=${this.#moves} .at=${this.at} .speed=${0.8} @rest=${this.#soon}></mancala-board>`;
  }
}

customElements.define('demo-board', DemoBoard);
