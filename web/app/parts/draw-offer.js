// Offering a draw, and answering the other's offer before the dice are thrown.

import { css, html, nothing } from 'lit';
import { Element } from '../element.js';
import { text } from '../i18n.js';
import { sheet } from '../sheet.js';
import { icons } from './icons.js';

/**
 * `asked`: the other offers a draw. `asking`: our offer waits. `armed`: ours goes out with the next turn. `free`: we may
 * arm one.
 * @typedef {'asked' | 'asking' | 'armed' | 'free' | ''} DrawState
 */

export class DrawOffer extends Element {
  static properties = { state: {}, name: {}, waiting: { type: Boolean } };

  static styles = [
    sheet,
    css`
      .asked {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        justify-content: center;
        gap: 0.5rem 1rem;
        padding: 0.8rem 1rem;
        border: 1px solid var(--accent);
        border-radius: var(--radius);
        background: var(--accent-soft);
        text-align: center;
      }
      .asked p {
        flex: 1 1 14rem;
        min-width: 0;
        overflow-wrap: anywhere;
      }
      .asked b {
        display: block;
      }
      button[aria-pressed='true'] {
        border-color: var(--accent);
        background: var(--accent-soft);
        color: var(--accent-text);
      }
      button[aria-pressed] {
        width: 100%;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {DrawState} */
    this.state = '';
    /** The other player's name. */
    this.name = '';
    /** Whether a command is on its way. */
    this.waiting = false;
  }

  /** @param {'offer' | 'answer'} what @param {boolean} detail */
  #tell(what, detail) {
    this.dispatchEvent(new CustomEvent(what, { detail }));
  }

  render() {
    const t = text();
    switch (this.state) {
      case 'asked':
        return html`<div class="asked" role="alert">
          <p><b>${t.drawOffered(this.name)}</b> <span class="muted">${t.diceWait}</span></p>
          <div class="row">
            <button type="button" class="primary" ?disabled=${this.waiting} @click=${() => this.#tell('answer', true)}>${t.acceptDraw}</button>
            <button type="button" ?disabled=${this.waiting} @click=${() => this.#tell('answer', false)}>${t.declineDraw}</button>
          </div>
        </div>`;
      case 'asking':
        return html`<p class="muted">${t.drawAsking(this.name)}</p>`;
      case 'armed':
      case 'free': {
        const armed = this.state === 'armed';
        return html`<button type="button" aria-pressed=${armed} ?disabled=${this.waiting} @click=${() => this.#tell('offer', !armed)}>
          ${icons.hands} ${armed ? t.drawArmed : t.offerDraw}
        </button>`;
      }
      default:
        return nothing;
    }
  }
}

customElements.define('draw-offer', DrawOffer);
