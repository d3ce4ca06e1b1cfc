// Shows a history: a step forward is played frame by frame, anything else is set. It keeps what is seen of the history
// now; drafts of turns to come are not its affair.

import { dfenAfter, framesOf, restingAt } from './script.js';

/** @typedef {import('./script.js').TurnRecord} TurnRecord */
/** @typedef {import('./script.js').Frame} Frame */

/** How long a micro-move is looked at, dice before they are played with, and a pass. */
const STEP_MS = 420;
const DICE_MS = 500;
const PASS_MS = 1500;
/** More turns than this at once are not shown one by one. */
const MOST_PLAYED = 3;

export class Show {
  /** @param {() => void} changed @param {() => void} rests */
  constructor(changed, rests) {
    this.changed = changed;
    this.rests = rests;
  }

  /** @type {Frame} */
  frame = restingAt([], 0);
  busy = false;
  speed = 1;
  /** Counts the throws that were seen. */
  cast = 0;
  /** @type {readonly TurnRecord[]} */
  #turns = [];
  /** The turn to which the queue leads, and the DFEN there. */
  #reached = -1;
  #goal = '';
  /** Counts jumps, so that what was playing knows that it is over. */
  #era = 0;
  /** @type {Promise<void>} */
  #playing = Promise.resolve();

  /**
   * Goes on to `at`: by playing, or at once.
   * @param {readonly TurnRecord[]} turns
   * @param {number} at
   * @param {(turn: TurnRecord) => boolean} seen whether a turn is on the board already
   */
  follow(turns, at, seen) {
    const continues = this.#reached >= 0 && this.#reached <= turns.length && dfenAfter(turns, this.#reached) === this.#goal;
    const ahead = at - this.#reached;
    this.#turns = turns;
    if (ahead === 0 && continues) return;
    if (!continues || ahead < 0 || ahead > MOST_PLAYED || isCalm()) return this.jump(at);
    for (let turn = this.#reached; turn < at; turn++) this.#enqueue(turn, seen(turns[turn]));
    this.#reached = at;
    this.#goal = dfenAfter(turns, at);
  }

  /** Sets the board. */
  jump(at = this.#reached) {
    this.#era++;
    this.#reached = at;
    this.#goal = dfenAfter(this.#turns, at);
    this.#become(restingAt(this.#turns, at), false);
    this.rests();
  }

  /** @param {Frame} frame @param {boolean} busy */
  #become(frame, busy) {
    this.frame = frame;
    this.busy = busy;
    this.changed();
  }

  /** @param {number} turn @param {boolean} seen */
  #enqueue(turn, seen) {
    const era = this.#era;
    const frames = framesOf(dfenAfter(this.#turns, turn), this.#turns[turn]);
    const last = restingAt(this.#turns, turn + 1);
    if (seen && !this.busy) {
      this.frame = last;
      return;
    }
    this.busy = true;
    this.#playing = this.#playing.then(() => this.#play(frames, last, turn + 1, era)).catch(() => this.jump());
  }

  /** @param {Frame[]} frames @param {Frame} last @param {number} at @param {number} era */
  async #play(frames, last, at, era) {
    const wait = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms / this.speed));
    for (const [n, frame] of frames.entries()) {
      if (era !== this.#era) return;
      if (n === 0) this.cast++;
      this.#become(frame, true);
      await wait(frame.passes ? PASS_MS : n === 0 ? DICE_MS : STEP_MS);
    }
    if (era !== this.#era) return;
    this.#become(last, at !== this.#reached);
    if (!this.busy) this.rests();
  }
}

/** Without motion, or unseen, nothing is played. */
export const isCalm = () => matchMedia('(prefers-reduced-motion: reduce)').matches || document.visibilityState === 'hidden';
