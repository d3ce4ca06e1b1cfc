// What this player gives to the dice of their games, so that the service alone cannot decide them. It is kept here, so
// that its owner finds it again in what is revealed at the end.

import { newId } from './net/ids.js';

const KEY = 'turnstream.seeds';
/** The newest ones. */
const KEPT = 50;

/** @returns {[string, string][]} by game */
function kept() {
  try {
    const seeds = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(seeds) ? seeds : [];
  } catch {
    return [];
  }
}

/** The own seed for a game, if one was made here. @param {string} game @returns {string | null} */
export const seedOf = (game) => kept().find(([id]) => id === game)?.[1] ?? null;

/** The own seed for a game: the same as long as it is remembered. @param {string} game */
export function seedFor(game) {
  const known = seedOf(game);
  if (known) return known;
  const seed = newId();
  localStorage.setItem(KEY, JSON.stringify([[game, seed], ...kept()].slice(0, KEPT)));
  return seed;
}
