// Dice chess, for the pages. Its board, and the module that draws it, are loaded with the first game of this kind.

import { html, nothing } from 'lit';
import { dfenAfter, seatOfTurn } from '../board/chess/script.js';
import { turnInWords } from '../board/chess/words.js';
import { START, pieceOn } from '../games/dicechess/dfen.js';
import { picture } from '../board/chess/pieces.js';
import { text } from '../i18n.js';
import { lazily } from '../lazily.js';
import { seedOf } from '../own-seeds.js';
import { icons } from '../parts/icons.js';
import { namesOf } from '../parts/people.js';

/** @typedef {import('../board/chess/script.js').TurnRecord} TurnRecord */
/** @typedef {import('../live-game.js').LiveGame} LiveGame */

/** @param {unknown} moves @returns {TurnRecord[]} */
const turns = (moves) => /** @type {TurnRecord[]} */ (moves);

const load = lazily(() => import('../board/dice-chess-board.js'));
const loadDraws = lazily(() => import('../parts/draw-offer.js'));
const loadFairness = lazily(() => import('../parts/fair-dice.js'));

/** Where the offer of a draw stands, for who plays. @param {LiveGame} game @returns {import('../parts/draw-offer.js').DrawState} */
function drawState({ view, seat, ended }) {
  if (!view || !seat || ended) return '';
  if (view.drawOfferedBy) return view.drawOfferedBy === view[seat].userId ? 'asking' : 'asked';
  return view.drawArmed ? 'armed' : 'free';
}

/** @param {LiveGame} game @param {import('../parts/draw-offer.js').DrawState} state */
function draw(game, state) {
  const { view, seat } = game;
  if (!view || !seat || !state || state !== drawState(game)) return nothing;
  loadDraws();
  return html`<draw-offer
    .state=${state}
    .name=${namesOf(view)[seat === 'player1' ? 'player2' : 'player1']}
    .waiting=${game.command !== null}
    @offer=${(/** @type {CustomEvent<boolean>} */ { detail }) => game.offerDraw(detail)}
    @answer=${(/** @type {CustomEvent<boolean>} */ { detail }) => game.answerDraw(detail)}
  ></draw-offer>`;
}

/** What the board waits for, when it is not for a turn. @param {LiveGame | null | undefined} game */
function waits(game) {
  if (game?.view?.seedsUntil) return text().diceSoon;
  return game?.view?.drawOfferedBy ? text().diceAfterAnswer : '';
}

/** @type {import('../kinds.js').KindView} */
export const dicechess = {
  tall: true,
  tells: true,
  resigns: true,

  table({ moves, at, seat, names, speed = 1, rest, game, reviewing = false, hurry = false, play }) {
    load();
    const asked = !reviewing && game ? drawState(game) === 'asked' : false;
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
      .waits=${reviewing ? '' : waits(game)}
      ?asked=${asked}
      @rest=${rest ?? nothing}
      @turn=${(/** @type {CustomEvent<string[]>} */ { detail }) => play?.(detail)}
      >${asked && game ? draw(game, 'asked') : nothing}</dice-chess-board
    >`;
  },

  choices(game) {
    const state = drawState(game);
    return state === 'asked' ? nothing : draw(game, state);
  },

  after(record) {
    if (!record.fairness) return nothing;
    loadFairness();
    const rolls = turns(record.moves).map(({ dice }) => dice);
    return html`<section class="card"><fair-dice .fairness=${record.fairness} .rolls=${rolls} .ownSeed=${seedOf(record.id)}></fair-dice></section>`;
  },

  preview(board, seat, names) {
    load();
    return html`<dice-chess-board readonly .board=${board ?? START} .seat=${seat} .names=${names}></dice-chess-board>`;
  },

  boardAfter: (move) => (move ? turns([move])[0].dfenAfter : null),

  score: () => null,

  inWords: (moves, index, names) => turnInWords(dfenAfter(turns(moves), index), turns(moves)[index], names[seatOfTurn(index)]),

  entry(moves, index) {
    const { dice, moves: played } = turns(moves)[index];
    const seat = seatOfTurn(index);
    const sign = html`<span class="dice">${dice.map((face) => picture(pieceOn(face)))}</span>`;
    return { seat, sign, effect: played.length === 0 ? icons.pass : nothing };
  },
};
