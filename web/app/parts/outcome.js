// How a game ended, in words.

import { text } from '../i18n.js';
import { kindOf } from '../kinds.js';
import { namesOf, seatOf } from './people.js';

/** @typedef {Pick<import('../../types/api.d.ts').FinishedGameSummary, 'player1' | 'player2' | 'result' | 'endReason' | 'leftUserId'>} Ended */

/** @param {Ended} game @param {string | null} userId */
export function outcome(game, userId) {
  const t = text();
  const names = namesOf(game);
  const seat = seatOf(game, userId);
  if (!game.result) return t.result.none;
  if (game.result === 'draw') return t.result.draw;
  if (!seat) return t.wins(names[game.result]);
  return game.result === seat ? t.result.won : t.result.lost;
}

/** Why it ended, if not by the rules. @param {Ended} game */
export function reason(game) {
  const t = text();
  const names = namesOf(game);
  const loser = game.result === 'player1' ? names.player2 : names.player1;
  switch (game.endReason) {
    case 'completed':
      return '';
    case 'inactive':
      return t.reason.inactive;
    case 'timeout':
      return t.reason.timeout(loser);
    case 'flag':
      return t.reason.flag(loser);
    case 'resigned':
      return t.reason.resigned(loser);
    case 'king_captured':
      return t.reason.king_captured;
    case 'draw_agreed':
      return t.reason.draw_agreed;
    case 'draw_rule':
      return t.reason.draw_rule;
    case 'left': {
      const seat = seatOf(game, game.leftUserId ?? null);
      return t.reason.left(seat ? names[seat] : loser);
    }
  }
}

/**
 * Both scores, one's own first; nothing in games without.
 * @param {Ended & Pick<import('../../types/api.d.ts').FinishedGameSummary, 'kind' | 'board'>} game
 * @param {string | null} userId
 */
export function scoreOf(game, userId) {
  const kind = kindOf(game.kind);
  const [first, second] = /** @type {const} */ (['player1', 'player2']).map((seat) => kind.score(game.board, seat));
  if (first === null || second === null) return '';
  return seatOf(game, userId) === 'player2' ? text().score(second, first) : text().score(first, second);
}
