// The moves of a game; choosing one shows the board after it.

import { css, html, nothing } from 'lit';
import { Element } from '../element.js';
import { text } from '../i18n.js';
import { kindOf } from '../kinds.js';
import { sheet } from '../sheet.js';

/** @typedef {import('../../types/api.d.ts').MoveRecord} MoveRecord */
/** @typedef {import('../../types/api.d.ts').Seat} Seat */

/** In pixels, around the current move. */
const MARGIN = 8;

export class MoveList extends Element {
  static properties = { kind: {}, moves: { attribute: false }, at: { type: Number }, names: { attribute: false } };

  static styles = [
    sheet,
    css`
      :host {
        min-height: 0;
      }
      ol {
        display: grid;
        grid-template-columns: repeat(auto-fill, minmax(5.6rem, 1fr));
        gap: 0.3rem;
        max-height: var(--list-height, 15rem);
        padding: 0.2rem;
        overflow-y: auto;
        overscroll-behavior: contain;
        scrollbar-width: thin;
      }
      button {
        position: relative;
        display: grid;
        grid-template-columns: 1.5rem 0.7rem 1fr auto;
        gap: 0.3rem;
        width: 100%;
        min-height: 2.2rem;
        padding: 0.2rem 0.5rem;
        border-color: transparent;
        border-radius: 0.6rem;
        background: transparent;
        font-weight: 600;
        text-align: left;
      }
      .n {
        color: var(--muted);
        font-weight: 500;
        font-size: 0.82rem;
      }
      .who {
        width: 0.7rem;
        height: 0.7rem;
        border: 2px solid var(--accent);
        border-radius: 50%;
      }
      .player1 {
        background: var(--accent);
      }
      .took {
        color: var(--good);
        font-size: 0.86rem;
      }
      .took svg {
        width: 0.9rem;
        height: 0.9rem;
        color: var(--muted);
      }
      .dicechess {
        grid-template-columns: repeat(auto-fill, minmax(7.4rem, 1fr));
      }
      .dice {
        display: flex;
      }
      .dicechess button {
        gap: 0.2rem;
        padding-inline: 0.35rem;
      }
      .dice svg {
        width: 1rem;
        height: 1.2rem;
        fill: currentColor;
        stroke: none;
      }
      .dice .line,
      .dice .mark {
        fill: none;
      }
      button[aria-current] {
        border-color: var(--accent);
        background: var(--accent-soft);
      }
    `,
  ];

  constructor() {
    super();
    /** @type {import('../kinds.js').Kind} */
    this.kind = 'mancala';
    /** @type {MoveRecord[]} */
    this.moves = [];
    this.at = 0;
    /** @type {Record<Seat, string>} */
    this.names = { player1: '', player2: '' };
  }

  connectedCallback() {
    super.connectedCallback();
    // Another width has other columns.
    const observer = new ResizeObserver(() => this.#reveal());
    observer.observe(this);
    this.until(() => observer.disconnect());
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    if (changed.has('at') || changed.has('moves')) this.#reveal();
  }

  /** To the current move. @param {FocusOptions} [options] */
  focus(options) {
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector('[aria-current]'))?.focus(options);
  }

  /** Scrolls to the current move. */
  #reveal() {
    const list = this.renderRoot.querySelector('ol');
    const current = /** @type {HTMLElement | null} */ (this.renderRoot.querySelector('[aria-current]'));
    if (!list || !current) return;
    // The list scrolls, the page does not.
    const [seen, wanted] = [list.getBoundingClientRect(), current.getBoundingClientRect()];
    if (wanted.bottom > seen.bottom) list.scrollTop += wanted.bottom - seen.bottom + MARGIN;
    else if (wanted.top < seen.top) list.scrollTop -= seen.top - wanted.top + MARGIN;
  }

  /** @param {number} n */
  #jump(n) {
    this.dispatchEvent(new CustomEvent('jump', { detail: n }));
  }

  render() {
    const t = text();
    if (this.moves.length === 0) return html`<p class="muted">${t.noMoves}</p>`;
    const kind = kindOf(this.kind);
    return html`<ol class=${this.kind}>
      ${this.moves.map((_, index) => {
        const { seat, sign, effect } = kind.entry(this.moves, index);
        return html`<li>
          <button
            type="button"
            aria-current=${index + 1 === this.at ? 'step' : nothing}
            @click=${() => this.#jump(index + 1)}
          >
            <span class="hidden-text">${index + 1}. ${kind.inWords(this.moves, index, this.names)}</span>
            <span class="n number" aria-hidden="true">${index + 1}</span><i class="who ${seat}"></i
            ><span class="number" aria-hidden="true">${sign}</span>
            <span class="took number" aria-hidden="true">${effect}</span>
          </button>
        </li>`;
      })}
    </ol>`;
  }
}

customElements.define('move-list', MoveList);
