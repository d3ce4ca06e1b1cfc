// How people are shown.

import { text } from '../i18n.js';

/** @typedef {import('../../types/api.d.ts').PlayerSummary} PlayerSummary */
/** @typedef {import('../../types/api.d.ts').Seat} Seat */

/** @param {PlayerSummary | null | undefined} player */
export const nameOf = (player) => player?.name ?? text().someone;

/** The names of a game's seats. @param {{ player1: PlayerSummary, player2: PlayerSummary }} game @returns {Record<Seat, string>} */
export const namesOf = (game) => ({ player1: nameOf(game.player1), player2: nameOf(game.player2) });

/** Which seat a user has in a game. @param {{ player1: PlayerSummary, player2: PlayerSummary }} game @param {string | null} userId @returns {Seat | null} */
export function seatOf(game, userId) {
  if (!userId) return null;
  if (game.player1.userId === userId) return 'player1';
  return game.player2.userId === userId ? 'player2' : null;
}

/** One of eight colours, always the same for the same user. @param {string} userId */
export const toneOf = (userId) => [...userId].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) >>> 0, 7) % 8;
