// The user's own live game, wherever in the client they are. A socket hears of the end of a game only while it watches
// it, so what was told once is asked again as long as there is a game.

import { Emitter } from '../emitter.js';
import { seatOf } from '../parts/people.js';
import { api } from './api.js';
import { session } from './session.js';
import { socket } from './socket.js';

/** @typedef {import('../../types/api.d.ts').LiveGameSummary} Live */

const AGAIN_MS = 10_000;
/** However often something hints at a change, it is asked no more often. */
const THROTTLE_MS = 2_000;

/** @extends {Emitter<{ change: Live | null }>} */
class OwnGame extends Emitter {
  /** @type {Live | null} */
  game = null;
  /** Counts the questions: the answer to an older one is worth nothing. */
  #asked = 0;
  #askedAt = -Infinity;
  #timer = 0;

  constructor() {
    super();
    socket.on('ready', () => void this.ask());
    socket.on('on_game_start', (game) => seatOf(game, session.userId) && game.id !== this.game?.id && void this.ask());
    socket.on('on_game_update', ({ gameId }) => gameId === this.game?.id && this.hint());
    socket.on('on_game_ended', ({ gameId }) => gameId === this.game?.id && void this.ask());
    socket.on('on_live_games', ({ games }) => this.#heard(games));
    session.on('change', () => void this.ask());
    document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && this.hint());
  }

  /** Something may have changed: asks, but not too often. */
  hint() {
    this.#again(Math.max(0, this.#askedAt + THROTTLE_MS - performance.now()));
  }

  async ask() {
    const turn = ++this.#asked;
    this.#askedAt = performance.now();
    this.#again(AGAIN_MS);
    const game = session.userId ? await api.activeGame().then(({ game }) => game ?? null, () => this.game) : null;
    if (turn === this.#asked) this.#become(game);
  }

  /** A list of live games says how one's own stands, if it is in it. @param {Live[]} games */
  #heard(games) {
    if (!this.game) return;
    const own = games.find(({ id }) => id === this.game?.id);
    if (own) this.#become(own);
    else this.hint();
  }

  /** @param {Live | null} game */
  #become(game) {
    this.game = game;
    if (!game) clearTimeout(this.#timer);
    this.emit('change', game);
  }

  /** @param {number} ms */
  #again(ms) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      // Who does not look needs no answer; who looks again asks.
      if (document.visibilityState === 'visible') void this.ask();
    }, ms);
  }
}

export const ownGame = new OwnGame();
