// The queue for an opponent, as this window wants it. Whoever is away stays in the queue for a while, so both wishes are
// told again whenever the service can be told: to wait, and to wait no longer. The second outlives the page and a reload:
// a seek that was forgotten here would pull its player into a game.

import { socket } from './socket.js';

/** @typedef {import('../../types/api.d.ts').ClientFrames['new_game']} Terms */

/** There, as long as the service may believe that this window seeks; app.js looks for it too. */
const KEY = 'turnstream.seek';

class Seeking {
  /** What is sought. @type {Terms | null} */
  #terms = null;

  constructor() {
    socket.on('ready', () => this.#tell());
    // Frames are answered in order: what was sent before the ping has arrived.
    socket.on('pong', () => !this.#terms && sessionStorage.removeItem(KEY));
    this.#tell();
  }

  /** @param {Terms} terms */
  begin(terms) {
    this.#terms = terms;
    sessionStorage.setItem(KEY, 'sought');
    // A socket that is not ready yet tells it when it is.
    this.#tell();
  }

  /** The player wants no opponent any more. */
  cancel() {
    this.#terms = null;
    this.#tell();
  }

  /** There is a game, or there will be none: the service seeks no longer by itself. */
  over() {
    this.#terms = null;
    sessionStorage.removeItem(KEY);
  }

  #tell() {
    if (this.#terms) return socket.send('new_game', this.#terms);
    if (!sessionStorage.getItem(KEY)) return;
    socket.send('cancel_new_game');
    socket.send('ping');
  }
}

export const seeking = new Seeking();
