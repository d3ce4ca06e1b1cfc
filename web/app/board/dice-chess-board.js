// The board of dice chess with its dice: the same in a game, in a replay and on a card. It is told a history and how
// much of it to show. A turn of one's own is drafted here, along the tree of legal turns, and handed over when it is
// whole.

import { css, html } from 'lit';
import { Element } from '../element.js';
import { read, write } from '../games/dicechess/dfen.js';
import { Draft, spentOf } from '../games/dicechess/draft.js';
import { text } from '../i18n.js';
import { sheet } from '../sheet.js';
import './chess/chess-squares.js';
import './chess/promotion-choice.js';
import { dfenAfter, lettersOf, looksLike, seatOfTurn, squaresOf } from './chess/script.js';
import { Show, isCalm } from './chess/show.js';
import './chess/turn-tray.js';
import { diceInWords, moverIn, movesInSigns, ofTheDraft, turnInSigns, whileNothingIsDue } from './chess/words.js';

/** @typedef {import('../../types/api.d.ts').Seat} Seat */
/** @typedef {import('./chess/script.js').TurnRecord} TurnRecord */
/** @typedef {import('./chess/script.js').Frame} Frame */
/** @typedef {import('../games/dicechess/draft.js').Tree} Tree */

/**
 * The roll that is to be played now. `tree` is null as long as it is not known.
 * @typedef {{ dfen: string, dice: readonly number[], tree: Tree | null }} Offer
 */

const GLIDE_MS = 240;
/** How long a whole turn can still be taken back before it is sent by itself, and for who has no time. */
const SEND_AFTER_MS = 1600;
const SEND_IN_A_HURRY_MS = 500;

export class DiceChessBoard extends Element {
  static properties = {
    moves: { attribute: false },
    at: { type: Number },
    board: { attribute: false },
    offer: { attribute: false },
    seat: { type: String },
    names: { attribute: false },
    playable: { type: Boolean },
    pending: { attribute: false },
    readonly: { type: Boolean, reflect: true },
    hurry: { type: Boolean },
    waits: {},
    asked: { type: Boolean },
    speed: { type: Number },
    width: { type: Number },
    promotions: { state: true },
    sendsInMs: { state: true },
    busy: { type: Boolean, reflect: true },
  };

  static styles = [
    sheet,
    css`
      :host {
        display: grid;
        align-content: start;
        gap: 0.7rem;
        width: calc(100 * var(--board-unit, 1vw));
      }
      promotion-choice {
        position: absolute;
      }
      /* On a phone that lies on its side there is no room below the board. */
      @media (max-height: 32rem) and (min-width: 36rem) {
        :host(:not([readonly])) {
          grid-template-columns: auto minmax(0, 1fr);
          align-items: start;
          width: 100%;
        }
      }
    `,
  ];

  constructor() {
    super();
    /** The game's turns. @type {TurnRecord[]} */
    this.moves = [];
    /** How many of them are on the board. */
    this.at = 0;
    /** What is on the board when there are no turns. @type {string | null} */
    this.board = null;
    /** What is to be played now, once the last turn is shown. @type {Offer | null} */
    this.offer = null;
    /** Who sits below. @type {Seat} */
    this.seat = 'player1';
    /** @type {Record<Seat, string>} */
    this.names = { player1: '', player2: '' };
    /** Whether the player below may play. */
    this.playable = false;
    /** The turn that was handed over and is not played yet. @type {readonly string[] | null} */
    this.pending = null;
    this.readonly = false;
    /** Whether every second counts. */
    this.hurry = false;
    /** What is waited for before there are dice. */
    this.waits = '';
    /** Whether something is asked in place of the dice: what is inside this element. */
    this.asked = false;
    this.speed = 1;
    /** In pixels. @type {number | null} */
    this.width = null;
    /** @type {string[]} */
    this.promotions = [];
    this.sendsInMs = 0;
    this.busy = false;
  }

  /** @type {Draft | null} */
  draft = null;
  #show = new Show(
    () => {
      this.busy = this.#show.busy;
      this.#glide = true;
      this.requestUpdate();
    },
    () => this.dispatchEvent(new CustomEvent('rest')),
  );
  /** Counts the rolls that were offered. */
  #cast = 0;
  #sending = 0;
  /** Whether a piece still has to glide to where it belongs. */
  #glide = false;

  disconnectedCallback() {
    super.disconnectedCallback();
    clearTimeout(this.#sending);
  }

  get #squares() {
    return /** @type {import('./chess/chess-squares.js').ChessSquares | null} */ (this.renderRoot.querySelector('chess-squares'));
  }

  /** The roll that is to be played, if it is what is shown. */
  get #offered() {
    return !this.busy && this.at === this.moves.length ? this.offer : null;
  }

  get #mayPlay() {
    return this.playable && this.#offered !== null && this.pending === null;
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    this.#show.speed = this.speed;
    const drafted = this.draft;
    if (changed.has('offer')) this.#renewDraft();
    if (changed.has('at') || changed.has('moves')) {
      const seen = (/** @type {TurnRecord} */ turn) => drafted?.isComplete === true && looksLike(write(drafted.position), turn.dfenAfter);
      this.#show.follow(this.moves, this.at, seen);
      this.busy = this.#show.busy;
    }
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    if (!changed.has('width')) return;
    if (this.width) this.style.setProperty('--board-unit', `${this.width / 100}px`);
    else this.style.removeProperty('--board-unit');
  }

  /** A draft lives as long as its roll is to be played. */
  #renewDraft() {
    const { offer } = this;
    if (offer?.tree && this.draft?.isFor(offer.dfen)) return;
    this.#stopSending();
    this.promotions = [];
    const mine = offer?.tree && moverIn(offer.dfen) === this.seat;
    this.draft = offer?.tree && mine ? new Draft(read(offer.dfen), offer.tree) : null;
    if (offer) this.#cast++;
  }

  /** @param {CustomEvent<{ from: string, to: string, glide: boolean }>} event */
  #microMove({ detail: { from, to, glide } }) {
    const moves = this.draft?.between(from, to) ?? [];
    this.#glide = glide;
    if (moves.length > 1) this.promotions = moves;
    else if (moves.length === 1) this.#play(moves[0]);
  }

  /** @param {CustomEvent<string | null>} event */
  #promoted({ detail: move }) {
    this.promotions = [];
    if (move) this.#play(move);
  }

  /** Adds a micro-move to the draft. @param {string} move */
  #play(move) {
    const { draft } = this;
    if (!draft || !this.#mayPlay) return;
    draft.play(move);
    this.requestUpdate();
    if (draft.isComplete) void this.#completed();
  }

  /** Who plays by keyboard sends a whole turn with a key; to the others one more click would cost time. */
  async #completed() {
    if (this.#squares?.renderRoot.querySelector('button:focus-visible')) {
      await this.updateComplete;
      const tray = /** @type {import('./chess/turn-tray.js').TurnTray | null} */ (this.renderRoot.querySelector('turn-tray'));
      await tray?.updateComplete;
      return tray?.focusSend();
    }
    this.sendsInMs = this.hurry ? SEND_IN_A_HURRY_MS : SEND_AFTER_MS;
    this.#sending = setTimeout(() => this.#send(), this.sendsInMs);
  }

  #stopSending() {
    clearTimeout(this.#sending);
    this.sendsInMs = 0;
  }

  async #undo() {
    this.#stopSending();
    this.#glide = true;
    this.draft?.undo();
    this.requestUpdate();
    await this.updateComplete;
    this.#squares?.focusSquare();
  }

  #send() {
    this.#stopSending();
    // Also while an earlier turn is looked at: what goes out by itself does not wait for who looks away.
    if (!this.draft?.isComplete || !this.offer || this.pending !== null) return;
    this.dispatchEvent(new CustomEvent('turn', { detail: [...this.draft.moves] }));
  }

  /** Who cannot wait sees at once where the show leads. */
  #hurryUp() {
    if (this.busy && this.playable) this.#show.jump();
  }

  /** What is seen now: the draft, the offered roll, or the history. @returns {Frame} */
  get #frame() {
    const offer = this.#offered;
    const { draft } = this;
    const { frame } = this.#show;
    if (!offer) return this.board !== null && this.moves.length === 0 ? { ...frame, dfen: this.board } : frame;
    if (!draft) return { ...frame, dfen: offer.dfen, dice: offer.dice, spent: [], passes: false };
    const marked = draft.moves.length > 0 ? squaresOf(draft.moves) : frame.marked;
    return { dfen: write(draft.position), marked, dice: offer.dice, spent: spentOf(lettersOf(offer.dice), draft.spent), passes: false };
  }

  render() {
    const frame = this.#frame;
    const t = text();
    if (this.readonly) {
      const label = t.chessBoardOf(this.names.player1, this.names.player2);
      return html`<chess-squares readonly .dfen=${frame.dfen} .marked=${frame.marked} .seat=${this.seat} .label=${label}></chess-squares>`;
    }
    const draft = this.#mayPlay ? this.draft : null;
    const offers = new Map((draft?.sources ?? []).map((from) => [from, draft?.targets(from) ?? []]));
    return html`
      <chess-squares
        .dfen=${frame.dfen}
        .glideMs=${this.#glide && !isCalm() ? Math.round(GLIDE_MS / this.speed) : 0}
        .marked=${frame.marked}
        .seat=${this.seat}
        .label=${t.chessBoard}
        .offers=${offers}
        ?playable=${draft !== null}
        @pointerdown=${this.#hurryUp}
        @micro-move=${this.#microMove}
      ></chess-squares>
      ${this.asked ? html`<slot></slot>` : this.#tray(frame, draft)}
      <promotion-choice .moves=${this.promotions} @chosen=${this.#promoted}></promotion-choice>
      <p class="hidden-text" role="status" aria-live="polite">${draft ? t.diceAre(diceInWords(frame.dice)) : ''}</p>
    `;
  }

  /** @param {Frame} frame @param {Draft | null} draft that may be played on */
  #tray(frame, draft) {
    return html`<turn-tray
      .dice=${frame.dice}
      .spent=${frame.spent}
      .side=${this.#mover === 'player1' ? 'w' : 'b'}
      .cast=${this.#cast + this.#show.cast}
      .says=${this.#says(frame)}
      .steps=${this.#steps}
      .canUndo=${(draft?.moves.length ?? 0) > 0}
      .canSend=${draft?.isComplete ?? false}
      .sendsInMs=${this.sendsInMs}
      ?act=${draft !== null && !draft.isPass}
      @undo=${this.#undo}
      @send=${this.#send}
    ></turn-tray>`;
  }

  /** Whose dice are shown. @returns {Seat} */
  get #mover() {
    const offer = this.#offered;
    if (offer) return moverIn(offer.dfen);
    // While a turn is played the side does not change.
    return this.busy ? moverIn(this.#show.frame.dfen) : seatOfTurn(this.at - 1);
  }

  /** @param {Frame} frame */
  #says(frame) {
    const name = this.names[this.#mover];
    const offer = this.#offered;
    if (frame.passes || !offer) return whileNothingIsDue(frame, name, this.busy ? '' : this.waits);
    const mine = this.#mover === this.seat && this.playable;
    if (this.pending) return text().turnSent;
    return mine ? ofTheDraft(this.draft, this.sendsInMs > 0) : text().rolledBy(name);
  }

  /** The micro-moves of what is shown. */
  get #steps() {
    const turn = this.moves[this.at - 1];
    if (this.draft && this.draft.moves.length > 0 && this.#offered) return movesInSigns(this.draft.positions, this.draft.moves);
    // A pass is over at once: who looked away learns of it here.
    if (this.#offered) return turn?.moves.length === 0 ? text().passes(this.names[seatOfTurn(this.at - 1)]) : '';
    return turn && !this.busy ? turnInSigns(dfenAfter(this.moves, this.at - 1), turn) : '';
  }
}

customElements.define('dice-chess-board', DiceChessBoard);
