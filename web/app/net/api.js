// The HTTP interface. Whoever asks is known by the session's token, if there is one.

import { session } from './session.js';
import { Problem } from './problem.js';

/** @template T @typedef {Promise<T>} Answer */

/** @param {string} path @param {{ method?: string, body?: object, anonymous?: boolean }} [options] */
async function ask(path, { method = 'GET', body, anonymous = false } = {}) {
  /** @type {Record<string, string>} */
  const headers = {};
  const token = anonymous ? null : await session.token();
  if (token) headers.authorization = `Bearer ${token}`;
  if (body) headers['content-type'] = 'application/json';
  const response = await fetch(path, { method, headers, body: body && JSON.stringify(body) }).catch((error) => {
    throw new Problem({ detail: String(error) });
  });
  const renewed = response.headers.get('x-renewed-token');
  if (renewed) session.renew(renewed);
  if (response.ok) return response.json();
  const document = await response.json().catch(() => ({ status: response.status }));
  if (response.status === 401 && token) session.forget(token);
  throw new Problem(document, Number(response.headers.get('retry-after')) || null);
}

/** @param {object} body */
const post = (body) => ({ method: 'POST', body });

export const api = {
  /** @returns {Answer<import('../../types/api.d.ts').ActiveGame>} */
  activeGame: () => ask('/games/me/active'),

  /** @param {number} limit @param {string | null} [before] @returns {Answer<import('../../types/api.d.ts').FinishedGames>} */
  myGames: (limit, before) => ask(`/games/me?limit=${limit}${before ? `&before=${encodeURIComponent(before)}` : ''}`),

  /** @param {number} limit @returns {Answer<import('../../types/api.d.ts').PopularGames>} */
  popularGames: (limit) => ask(`/games/popular?limit=${limit}`, { anonymous: true }),

  /** @param {string} id @returns {Answer<import('../../types/api.d.ts').GameView>} */
  game: (id) => ask(`/game/${id}`),

  /** What the player to move may choose from, however much it is. @param {string} id @returns {Answer<import('../../types/api.d.ts').LegalMoves>} */
  legalMoves: (id) => ask(`/games/${id}/moves`),

  /** @param {import('../../types/api.d.ts').NewInvitation} terms @returns {Answer<import('../../types/api.d.ts').InvitationLink>} */
  invite: (terms) => ask('/games', post(terms)),

  /** @param {string} game @param {string} token @param {string} id @returns {Answer<import('../../types/api.d.ts').CommandAnswer>} */
  join: (game, token, id) => ask(`/games/${game}/join`, post({ token, id })),
};
