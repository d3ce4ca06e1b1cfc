// Where everything lies on a board of 100 by 44 units, and which stone is where. Stones keep their identity, so that
// they can be seen to move.

import { STONES, ownerOf } from '../games/mancala.js';

/** @typedef {import('../../types/api.d.ts').Seat} Seat */
/** @typedef {{ x: number, y: number }} Point */

const isStore = (/** @type {number} */ place) => place === 6 || place === 13;
/** The angle between two stones that leaves no rows. */
const GOLDEN = Math.PI * (3 - Math.sqrt(5));

/** The middle of a place, for who sits below. @param {number} place @param {Seat} below @returns {Point} */
export function middle(place, below) {
  const own = ownerOf(place) === below;
  if (isStore(place)) return { x: own ? 91.2 : 8.8, y: 22 };
  const column = place % 7;
  return { x: own ? 22 + 11.2 * column : 78 - 11.2 * column, y: own ? 30.6 : 13.4 };
}

/** Where the `n`th stone of a place lies. @param {number} place @param {number} n @param {Seat} below @returns {Point} */
export function spot(place, n, below) {
  const { x, y } = middle(place, below);
  // A heap: what does not fit into the layer lies on top of it.
  const layer = isStore(place) ? 30 : 10;
  const inLayer = n % layer;
  const radius = isStore(place) ? Math.sqrt((inLayer + 0.3) / layer) : 3.05 * Math.sqrt((inLayer + 0.4) / layer);
  const angle = inLayer * GOLDEN + place * 1.7 + Math.floor(n / layer) * 0.9;
  const [wide, high] = isStore(place) ? [3.6, 10.6] : [1, 1];
  return { x: x + Math.cos(angle) * radius * wide, y: y + Math.sin(angle) * radius * high };
}

/** Which stones lie where: a pile of stone numbers for each place. */
export class Piles {
  /** @param {number[]} board */
  constructor(board) {
    let next = 0;
    this.piles = board.map((count) => Array.from({ length: count }, () => next++ % STONES));
  }

  get board() {
    return this.piles.map((pile) => pile.length);
  }

  /** Moves stones. @param {number} from @param {number} to @param {number} count @returns {number[]} which */
  move(from, to, count) {
    if (from === to) return this.piles[from].slice(0, 1);
    const moved = this.piles[from].splice(this.piles[from].length - count, count);
    this.piles[to].push(...moved);
    return moved;
  }

  /** Becomes `board` with as few stones moved as possible. @param {number[]} board */
  become(board) {
    const spare = this.piles.flatMap((pile, place) => pile.splice(Math.min(pile.length, board[place])));
    this.piles.forEach((pile, place) => {
      while (pile.length < board[place] && spare.length > 0) pile.push(/** @type {number} */ (spare.shift()));
    });
  }
}

