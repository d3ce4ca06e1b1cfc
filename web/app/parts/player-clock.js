// A player's clock. It is told what the service last said, and counts down by itself.

import { css, html } from 'lit';
import { Element } from '../element.js';
import { text } from '../i18n.js';
import { serviceNow } from '../net/clock.js';
import { sheet } from '../sheet.js';
import { clockText, leftOf } from '../time-controls.js';

/** @typedef {import('../../types/api.d.ts').Seat} Seat */

/** From here on it is pointed out that time runs short. */
export const LOW_MS = 20_000;
/** A little after the moment at which what is shown changes. */
const AFTER_MS = 5;

export class PlayerClock extends Element {
  static properties = { clocks: { attribute: false }, seat: {}, low: { type: Boolean, reflect: true }, running: { type: Boolean, reflect: true } };

  static styles = [
    sheet,
    css`
      :host {
        display: inline-block;
      }
      span {
        display: inline-block;
        min-width: 4.4em;
        padding: 0.2em 0.55em;
        border: 1px solid transparent;
        border-radius: 0.55em;
        background: var(--sunken);
        color: var(--muted);
        font-weight: 700;
        font-size: 1.25rem;
        line-height: 1.2;
        text-align: center;
      }
      :host([running]) span {
        background: var(--ink);
        color: var(--page);
      }
      :host([low]) span {
        border-color: var(--bad);
        background: var(--bad-soft);
        color: var(--bad-text);
      }
      :host([low][running]) span {
        background: var(--bad);
        color: var(--on-bad);
      }
    `,
  ];

  constructor() {
    super();
    /** @type {import('../../types/api.d.ts').Clocks | null} */
    this.clocks = null;
    /** @type {Seat} */
    this.seat = 'player1';
    this.low = false;
    this.running = false;
  }

  #timer = 0;

  disconnectedCallback() {
    super.disconnectedCallback();
    clearTimeout(this.#timer);
  }

  connectedCallback() {
    super.connectedCallback();
    this.requestUpdate();
  }

  get #left() {
    return this.clocks ? leftOf(this.clocks, this.seat, serviceNow()) : 0;
  }

  willUpdate() {
    const left = this.#left;
    this.running = this.clocks?.running?.seat === this.seat;
    this.low = left < LOW_MS;
    clearTimeout(this.#timer);
    if (!this.running || left === 0) return;
    const step = left < LOW_MS ? 100 : 1000;
    this.#timer = setTimeout(() => this.requestUpdate(), (left % step) + AFTER_MS);
  }

  render() {
    const shown = clockText(this.#left);
    return html`<span class="number" role="timer" aria-label="${text().clock}: ${shown}">${shown}</span>`;
  }
}

customElements.define('player-clock', PlayerClock);
