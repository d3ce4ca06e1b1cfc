// Asks what a pawn becomes.

import { css, html } from 'lit';
import { Element } from '../../element.js';
import { text } from '../../i18n.js';
import { sheet } from '../../sheet.js';
import { picture } from './pieces.js';

export class PromotionChoice extends Element {
  static properties = { moves: { attribute: false } };

  static styles = [
    sheet,
    css`
      dialog {
        padding: 1.2rem;
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--raised);
        color: inherit;
        box-shadow: 0 20px 60px -20px #000a;
      }
      dialog::backdrop {
        background: #120a0573;
      }
      h2 {
        margin-bottom: 0.8rem;
      }
      .choice {
        display: flex;
        gap: 0.5rem;
      }
      button {
        width: 4.4rem;
        height: 4.4rem;
        padding: 0.3rem;
        border-radius: 0.9rem;
        background: #efdab4;
      }
      button:hover:not(:disabled) {
        background: #f8ecd2;
      }
      svg {
        width: 100%;
        height: 100%;
        fill: #46291a;
        stroke: #1a0c05;
        stroke-width: 1.3;
        stroke-linejoin: round;
        stroke-linecap: round;
      }
      .line {
        fill: none;
        stroke: #d3ab7c;
      }
      .mark {
        fill: #d3ab7c;
      }
      @media (max-width: 26rem) {
        button {
          width: 3.4rem;
          height: 3.4rem;
        }
      }
    `,
  ];

  constructor() {
    super();
    /** The micro-moves to choose from; none while nothing is asked. @type {string[]} */
    this.moves = [];
  }

  get #dialog() {
    return /** @type {HTMLDialogElement | null} */ (this.renderRoot.querySelector('dialog'));
  }

  updated() {
    if (this.moves.length > 0 && !this.#dialog?.open) this.#dialog?.showModal();
    if (this.moves.length === 0 && this.#dialog?.open) this.#dialog.close();
  }

  /** @param {string | null} move */
  #choose(move) {
    if (this.moves.length > 0) this.dispatchEvent(new CustomEvent('chosen', { detail: move }));
  }

  render() {
    const t = text();
    return html`<dialog aria-labelledby="title" @close=${() => this.#choose(null)}>
      <h2 id="title">${t.promoteTo}</h2>
      <div class="choice">
        ${this.moves.map((move) => {
          const piece = /** @type {'q'} */ (move[4]);
          return html`<button type="button" aria-label=${t.pieces[piece]} title=${t.pieces[piece]} @click=${() => this.#choose(move)}>${picture(piece)}</button>`;
        })}
      </div>
    </dialog>`;
  }
}

customElements.define('promotion-choice', PromotionChoice);
