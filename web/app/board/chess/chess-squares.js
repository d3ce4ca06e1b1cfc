// The squares and the pieces on them, at any size: 100 --board-units wide. The board module draws the pieces and moves
// them; over them lies a button for each square, so that squares can be chosen by hand, by keyboard, and by ear. It
// knows no rules: it is told what may be chosen, and says what was.

import { BORDER_TYPE, Chessboard } from 'cm-chessboard';
import { html, nothing } from 'lit';
import { Element } from '../../element.js';
import { indexOf, nameOf, read, sideOf } from '../../games/dicechess/dfen.js';
import { text } from '../../i18n.js';
import { sheet } from '../../sheet.js';
import { Dragging } from './dragging.js';
import { look } from './look.js';
import { TILE, pieces } from './pieces.js';

/** @typedef {import('../../../types/api.d.ts').Seat} Seat */
/** @typedef {import('../../games/dicechess/dfen.js').Position} Position */

/** How a key moves the focus, for who looks from below: files, ranks. @type {Record<string, [number, number]>} */
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** Of the squares as they are seen. @param {number} n */
const isDark = (n) => (n + Math.floor(n / 8)) % 2 === 1;

export class ChessSquares extends Element {
  static properties = {
    dfen: { type: String },
    seat: { type: String },
    marked: { attribute: false },
    offers: { attribute: false },
    label: { type: String },
    readonly: { type: Boolean, reflect: true },
    playable: { type: Boolean, reflect: true },
    selected: { state: true },
    focused: { state: true },
  };

  static styles = [sheet, look];

  constructor() {
    super();
    /** What is on the board. */
    this.dfen = '8/8/8/8/8/8/8/8 w - -';
    /** Who sits below. @type {Seat} */
    this.seat = 'player1';
    /** Squares to point out. @type {string[]} */
    this.marked = [];
    /** From which squares something may move, and to which. @type {Map<string, string[]>} */
    this.offers = new Map();
    this.label = '';
    this.readonly = false;
    this.playable = false;
    /** @type {string | null} */
    this.selected = null;
    /** The one square that Tab reaches. */
    this.focused = 'e2';
  }

  /** @type {Chessboard | null} */
  #board = null;
  /** Milliseconds that the next change of the board takes. */
  glideMs = 0;
  #dragging = new Dragging(this);

  /** @returns {SVGGElement | null} the piece on a square, to be dragged */
  pieceOn(/** @type {string} */ square) {
    return read(this.dfen).squares[indexOf(square)] ? (this.#board?.view.getPieceElement(square) ?? null) : null;
  }

  firstUpdated() {
    const place = /** @type {HTMLElement} */ (this.renderRoot.querySelector('.drawn'));
    this.#board = new Chessboard(place, {
      position: this.dfen,
      orientation: this.#below,
      // The pieces are in the same tree, so their ids are enough.
      assetsCache: false,
      assetsUrl: '',
      style: {
        cssClass: 'wood',
        // It would set inline styles, which the page's policy forbids.
        showCoordinates: false,
        borderType: BORDER_TYPE.none,
        pieces: { file: '', tileSize: TILE },
      },
    });
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#board?.destroy();
    this.#board = null;
  }

  get #below() {
    return this.seat === 'player1' ? 'w' : 'b';
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('offers') && this.selected && !this.offers.has(this.selected)) this.selected = null;
    if (changed.has('seat')) this.focused = this.seat === 'player1' ? 'e2' : 'e7';
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    const board = this.#board;
    if (!board) return;
    if (changed.has('seat') && board.getOrientation() !== this.#below) void board.setOrientation(this.#below);
    if (changed.has('dfen')) {
      board.props.style.animationDuration = this.glideMs;
      void board.setPosition(this.dfen, this.glideMs > 0);
    }
  }

  /** Whether something may move from here. @param {string} square */
  isSource(square) {
    return this.playable && this.offers.has(square);
  }

  /** @param {string} square */
  isTarget(square) {
    return this.playable && this.selected !== null && (this.offers.get(this.selected)?.includes(square) ?? false);
  }

  /** By a click or a key. @param {string} square */
  choose(square) {
    this.focused = square;
    if (this.isTarget(square)) return this.move(/** @type {string} */ (this.selected), square, true);
    this.selected = this.isSource(square) && this.selected !== square ? square : null;
  }

  /** @param {string} from @param {string} to @param {boolean} glide whether the piece still has to move there */
  move(from, to, glide) {
    this.selected = null;
    this.dispatchEvent(new CustomEvent('micro-move', { detail: { from, to, glide } }));
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'Escape' && this.selected) this.selected = null;
    else if (event.key in KEYS) this.#moveFocus(KEYS[event.key]);
    else return;
    // The page has other plans with these keys.
    event.stopPropagation();
    event.preventDefault();
  }

  /** @param {[number, number]} step */
  #moveFocus([files, ranks]) {
    const sign = this.seat === 'player1' ? 1 : -1;
    const index = indexOf(this.focused);
    const [file, rank] = [(index % 8) + sign * files, Math.floor(index / 8) + sign * ranks];
    if (file < 0 || file > 7 || rank < 0 || rank > 7) return;
    this.focused = nameOf(8 * rank + file);
    void this.updateComplete.then(() => this.focusSquare());
  }

  focusSquare() {
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector(`button[data-square="${this.focused}"]`))?.focus();
  }

  render() {
    const position = read(this.dfen);
    return html`
      <div class="board" role=${this.readonly ? 'img' : nothing} aria-label=${this.readonly ? this.label : nothing}>
        <div class="field">
          <div class="squares" aria-hidden="true">${this.#seen.map((square, n) => html`<i class=${this.#tone(square, n)}></i>`)}</div>
          <div class="drawn" aria-hidden="true"></div>
          <svg class="sprite" aria-hidden="true"><defs>${pieces}</defs></svg>
          ${this.readonly ? nothing : this.#buttons(position)}
        </div>
      </div>
    `;
  }

  /** The squares as they are seen, from the upper left one on. */
  get #seen() {
    const squares = Array.from({ length: 64 }, (_, n) => nameOf(8 * (7 - Math.floor(n / 8)) + (n % 8)));
    return this.seat === 'player1' ? squares : squares.reverse();
  }

  /** What a square looks like, below what stands on it. @param {string} square @param {number} n */
  #tone(square, n) {
    const classes = [isDark(n) ? 'dark' : 'light', this.marked.includes(square) && 'last', square === this.selected && 'selected'];
    return classes.filter(Boolean).join(' ');
  }

  /** @param {Position} position */
  #buttons(position) {
    return html`<div
      class="squares"
      role="group"
      aria-label=${this.label}
      @keydown=${this.#key}
      @pointerdown=${(/** @type {PointerEvent} */ event) => this.#dragging.begin(event)}
    >
      ${this.#seen.map((square, n) => this.#square(position, square, n))}
    </div>`;
  }

  /** @param {Position} position @param {string} square @param {number} n */
  #square(position, square, n) {
    const t = text();
    const piece = position.squares[indexOf(square)];
    const [source, target] = [this.isSource(square), this.isTarget(square)];
    const classes = [
      'at',
      source && 'from',
      square === this.selected && 'selected',
      target && 'target',
      target && piece && 'taken',
    ];
    const dark = isDark(n);
    const name = piece ? t.squareWith(square, t.sides[sideOf(piece)], t.pieces[/** @type {'p'} */ (piece.toLowerCase())]) : t.squareEmpty(square);
    return html`<button
      type="button"
      class=${classes.filter(Boolean).join(' ')}
      data-square=${square}
      aria-label="${name}${target ? `, ${t.canGoHere}` : source ? `, ${t.canMove}` : ''}"
      aria-pressed=${source ? String(square === this.selected) : nothing}
      aria-disabled=${source || target ? nothing : 'true'}
      tabindex=${square === this.focused ? 0 : -1}
      @focus=${() => (this.focused = square)}
      @click=${() => this.choose(square)}
    >
      ${n % 8 === 0 ? html`<span class="name rank ${dark ? 'on-dark' : ''}" aria-hidden="true">${square[1]}</span>` : nothing}
      ${n >= 56 ? html`<span class="name file ${dark ? 'on-dark' : ''}" aria-hidden="true">${square[0]}</span>` : nothing}
    </button>`;
  }
}

customElements.define('chess-squares', ChessSquares);
