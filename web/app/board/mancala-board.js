// The board: the same in a game, in a replay and on a card. It is told a history and how much of it to show; a step
// forward is played stone by stone, anything else is set. Everything on it is measured in --board-unit, of which it is
// 100 wide: 1vw by default, and a hundredth of `width` when that is given.

import { html, nothing } from 'lit';
import { Element } from '../element.js';
import { applyStep, legal, opening, otherSeat, ownerOf, pitNumber, pitsOf, play, storeOf, transfers } from '../games/mancala.js';
import { text } from '../i18n.js';
import { sheet } from '../sheet.js';
import { look } from './look.js';
import { Piles, middle, spot } from './stones.js';

/** @typedef {import('../../types/api.d.ts').Seat} Seat */
/** @typedef {import('../games/mancala.js').Record} MoveRecord */

/** Between two stones of a move, and after its last. */
const STONE_MS = 190;
const EFFECT_MS = 520;
/** More moves than this at once are not shown one by one. */
const MOST_PLAYED = 3;

const same = (/** @type {number[]} */ a, /** @type {number[]} */ b) => a.every((count, place) => count === b[place]);

export class MancalaBoard extends Element {
  static properties = {
    moves: { attribute: false },
    at: { type: Number },
    board: { attribute: false },
    seat: { type: String },
    names: { attribute: false },
    mover: { type: String },
    playable: { type: Boolean },
    pending: { type: Number },
    readonly: { type: Boolean, reflect: true },
    speed: { type: Number },
    width: { type: Number },
    shown: { state: true },
    marks: { state: true },
    hint: { state: true },
    busy: { type: Boolean, reflect: true },
  };

  static styles = [sheet, look];

  constructor() {
    super();
    /** The game's moves. @type {MoveRecord[]} */
    this.moves = [];
    /** How many of them are on the board. */
    this.at = 0;
    /** What is on the board when there are no moves. @type {number[] | null} */
    this.board = null;
    /** Who sits below. @type {Seat} */
    this.seat = 'player1';
    /** @type {Record<Seat, string>} */
    this.names = { player1: '', player2: '' };
    /** Whose turn it is on the board. @type {Seat | null} */
    this.mover = null;
    /** Whether the player below may move. */
    this.playable = false;
    /** The pit that was chosen and is not played yet. @type {number | null} */
    this.pending = null;
    this.readonly = false;
    this.speed = 1;
    /** In pixels. @type {number | null} */
    this.width = null;
    this.busy = false;
    /** @type {number[]} */
    this.shown = opening();
    /** Places to point out. @type {{ taken: number | null, last: number | null, captured: number[] }} */
    this.marks = { taken: null, last: null, captured: [] };
    /** @type {number | null} */
    this.hint = null;
    this.#piles = new Piles(opening());
  }

  /** @type {Piles} */
  #piles;
  /** @type {HTMLElement[]} */
  #stones = [];
  /** The move to which the queue leads. */
  #reached = -1;
  /** Counts jumps, so that what was playing knows that it is over. */
  #era = 0;
  /** @type {Promise<void>} */
  #playing = Promise.resolve();

  /** The board after `at` moves. @param {number} at */
  #boardAt(at) {
    return at > 0 ? this.moves[at - 1].boardSnapshot : this.moves.length > 0 ? opening() : (this.board ?? opening());
  }

  firstUpdated() {
    const layer = /** @type {HTMLElement} */ (this.renderRoot.querySelector('.stones'));
    this.#stones = this.#piles.piles.flat().map((stone) => {
      const element = document.createElement('i');
      element.className = `stone hue${(stone * 7) % 5}`;
      layer.append(element);
      return element;
    });
    this.#jump(false);
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    if (changed.has('width')) {
      if (this.width) this.style.setProperty('--board-unit', `${this.width / 100}px`);
      else this.style.removeProperty('--board-unit');
    }
    if (changed.has('seat') || changed.has('readonly')) this.#place();
    if (changed.has('at') || changed.has('moves') || changed.has('board')) this.#follow();
    if (changed.has('seat') && changed.get('seat')) this.#jump(false);
  }

  /** Sets where the places are. */
  #place() {
    for (const element of /** @type {NodeListOf<HTMLElement>} */ (this.renderRoot.querySelectorAll('[data-place]'))) {
      const { x, y } = middle(Number(element.dataset.place), this.seat);
      element.style.setProperty('--x', String(x));
      element.style.setProperty('--y', String(y));
    }
  }

  /** Goes where the properties say: by playing, or at once. */
  #follow() {
    const ahead = this.at - this.#reached;
    const continues = this.#reached >= 0 && this.#reached <= this.moves.length && same(this.#boardAt(this.#reached), this.#goal);
    if (ahead === 0 && continues) return;
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches || document.visibilityState === 'hidden';
    if (!continues || ahead < 0 || ahead > MOST_PLAYED || calm) return this.#jump(this.moves.length === 0);
    for (let move = this.#reached; move < this.at; move++) this.#enqueue(this.moves[move]);
    this.#reached = this.at;
    this.#goal = this.#boardAt(this.at);
  }

  /** The board to which the queue leads. @type {number[]} */
  #goal = opening();

  /** Sets the board. @param {boolean} glide whether stones may be seen to move there */
  #jump(glide) {
    this.#era++;
    this.#reached = this.at;
    this.#goal = this.#boardAt(this.at);
    this.#piles.become(this.#goal);
    this.shown = this.#goal;
    this.busy = false;
    this.toggleAttribute('still', !glide);
    this.#layOut();
    this.#markLast();
    this.#rest();
  }

  /** Moves every stone to its spot. */
  #layOut() {
    this.#piles.piles.forEach((pile, place) => pile.forEach((stone, n) => this.#put(stone, place, n)));
    for (const stone of this.#stones) stone.classList.remove('held');
  }

  /** @param {number} stone @param {number} place @param {number} n */
  #put(stone, place, n) {
    const element = this.#stones[stone];
    if (!element) return;
    const { x, y } = spot(place, n, this.seat);
    element.style.setProperty('--x', x.toFixed(2));
    element.style.setProperty('--y', y.toFixed(2));
    element.style.zIndex = String(n);
  }

  #markLast() {
    const move = this.at > 0 ? this.moves[this.at - 1] : null;
    const sown = move?.gameSteps.filter((step) => step.type === 'GAME_STEP_GAME_MOVE') ?? [];
    this.marks = { taken: move?.moveIndex ?? null, last: sown.at(-1)?.index ?? null, captured: [] };
  }

  #rest() {
    this.dispatchEvent(new CustomEvent('rest'));
  }

  /** @param {MoveRecord} move */
  #enqueue(move) {
    const era = this.#era;
    this.busy = true;
    this.removeAttribute('still');
    this.#playing = this.#playing.then(() => this.#play(move, era)).catch(() => this.#jump(false));
  }

  /** Plays a move stone by stone. @param {MoveRecord} move @param {number} era */
  async #play(move, era) {
    const seat = ownerOf(move.moveIndex);
    const over = () => era !== this.#era;
    const wait = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms / this.speed));
    if (over()) return;
    this.style.setProperty('--flight', `${Math.round(300 / this.speed)}ms`);
    this.marks = { taken: move.moveIndex, last: null, captured: [] };
    for (const stone of this.#piles.piles[move.moveIndex]) this.#stones[stone]?.classList.add('held');
    await wait(STONE_MS);
    for (const step of move.gameSteps) {
      if (over()) return;
      const sows = step.type === 'GAME_STEP_GAME_MOVE';
      const moved = transfers(this.shown, seat, move.moveIndex, step);
      if (!sows && moved.length > 0) {
        this.marks = { ...this.marks, captured: moved.map(([from]) => from) };
        await wait(EFFECT_MS);
        if (over()) return;
      }
      this.shown = applyStep(this.shown, seat, move.moveIndex, step);
      for (const [from, to, count] of moved) this.#fly(from, to, count);
      this.marks = { ...this.marks, last: sows ? step.index : this.marks.last };
      await wait(sows ? STONE_MS : EFFECT_MS);
    }
    if (over()) return;
    if (!same(this.shown, move.boardSnapshot)) {
      this.shown = move.boardSnapshot;
      this.#piles.become(move.boardSnapshot);
    }
    this.#layOut();
    this.marks = { ...this.marks, captured: [] };
    if (same(move.boardSnapshot, this.#goal) && move === this.moves[this.#reached - 1]) {
      this.busy = false;
      this.#rest();
    }
  }

  /** @param {number} from @param {number} to @param {number} count */
  #fly(from, to, count) {
    for (const stone of this.#piles.move(from, to, count)) {
      this.#put(stone, to, this.#piles.piles[to].indexOf(stone));
      this.#stones[stone]?.classList.remove('held');
    }
  }

  /** @param {number} pit */
  #choose(pit) {
    if (!this.#mayPlay(pit)) return;
    this.dispatchEvent(new CustomEvent('pit', { detail: pit }));
  }

  /** @param {number} pit */
  #mayPlay(pit) {
    return this.playable && !this.busy && this.pending === null && legal(this.shown, this.seat).includes(pit);
  }

  /** Shows where the last stone would fall. @param {number | null} pit */
  #preview(pit) {
    const sown = pit !== null && this.#mayPlay(pit) ? play(this.shown, this.seat, pit).steps.filter((step) => step.type === 'GAME_STEP_GAME_MOVE') : [];
    this.hint = sown.at(-1)?.index ?? null;
  }

  render() {
    const above = otherSeat(this.seat);
    const t = text();
    const label = t.boardOf(this.names.player1, this.shown[6], this.names.player2, this.shown[13]);
    return html`
      <div class="board" role=${this.readonly ? 'img' : 'group'} aria-label=${this.readonly ? label : t.boardLabel}>
        ${this.#store(above)} ${pitsOf(above).toReversed().map((pit) => this.#pit(pit))} ${pitsOf(this.seat).map((pit) => this.#pit(pit))}
        ${this.#store(this.seat)}
        <div class="stones" aria-hidden="true"></div>
      </div>
    `;
  }

  /** @param {number} place */
  #classes(place) {
    const { taken, last, captured } = this.marks;
    return [
      ownerOf(place) === this.seat ? 'below' : 'above',
      place === taken && 'taken',
      place === last && 'last',
      captured.includes(place) && 'captured',
      place === this.hint && 'hint',
      place === this.pending && 'pending',
      this.mover === ownerOf(place) && 'turn',
    ]
      .filter(Boolean)
      .join(' ');
  }

  /** @param {number} pit */
  #pit(pit) {
    const stones = this.shown[pit];
    const count = html`<span class="count number" aria-hidden="true">${stones}</span>`;
    const classes = `pit ${this.#classes(pit)}`;
    if (this.readonly) return html`<div class=${classes} data-place=${pit} aria-hidden="true">${count}</div>`;
    // As the list of moves calls it: drawn and not written, since it is in the name already.
    const number = html`<i class="pit-number number" data-number=${pitNumber(pit)}></i>`;
    const own = ownerOf(pit) === this.seat;
    const t = text();
    const name = own ? t.pit(pitNumber(pit), stones) : t.pitOf(this.names[ownerOf(pit)], pitNumber(pit), stones);
    // A pit of one's own keeps the focus while it cannot be played.
    return html`<button
      type="button"
      class=${classes}
      data-place=${pit}
      aria-label=${name}
      ?disabled=${!own}
      aria-disabled=${own && !this.#mayPlay(pit) ? 'true' : nothing}
      @click=${() => this.#choose(pit)}
      @pointerenter=${() => this.#preview(pit)}
      @pointerleave=${() => this.#preview(null)}
      @focus=${() => this.#preview(pit)}
      @blur=${() => this.#preview(null)}
    >
      ${count}${number}
    </button>`;
  }

  /** @param {Seat} seat */
  #store(seat) {
    const store = storeOf(seat);
    const stones = this.shown[store];
    return html`<div
      class="store ${this.#classes(store)}"
      data-place=${store}
      role=${this.readonly ? nothing : 'img'}
      aria-label=${this.readonly ? nothing : text().storeOf(this.names[seat], stones)}
      aria-hidden=${this.readonly ? 'true' : nothing}
    >
      <span class="count number" aria-hidden="true">${stones}</span>
    </div>`;
  }
}

customElements.define('mancala-board', MancalaBoard);
