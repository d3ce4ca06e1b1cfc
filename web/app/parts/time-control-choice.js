// Chooses how long players may think: what is usual, or one's own within the bounds.

import { css, html, nothing } from 'lit';
import { Element } from '../element.js';
import { timeControlText, text } from '../i18n.js';
import { sheet } from '../sheet.js';
import { BOUNDS, sameControl, timeControlPresets, withinBounds } from '../time-controls.js';
import { choice } from './choice.js';

/** @typedef {import('../../types/api.d.ts').TimeControl} TimeControl */
/** @typedef {'suddenDeath' | 'fischer' | 'perMove'} Timed */

const TIMED = /** @type {Timed[]} */ (['fischer', 'suddenDeath', 'perMove']);

export class TimeControlChoice extends Element {
  static properties = {
    kind: {},
    value: { attribute: false },
    custom: { state: true },
    type: { state: true },
    minutes: { state: true },
    seconds: { state: true },
    increment: { state: true },
  };

  static styles = [
    sheet,
    choice,
    css`
      .presets {
        display: grid;
        grid-template-columns: repeat(auto-fill, minmax(min(10rem, 46%), 1fr));
        gap: 0.5rem;
      }
      .own {
        margin-top: 0.5rem;
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(7rem, 1fr));
        gap: 0.7rem;
        padding: 0.9rem;
        border-radius: 0.9rem;
        background: var(--sunken);
      }
      .own label {
        display: grid;
        gap: 0.25rem;
        font-weight: 600;
        font-size: 0.9rem;
      }
      .own label.kind {
        grid-column: 1 / -1;
      }
      .own input,
      .own select {
        width: 100%;
        min-height: 2.75rem;
        padding: 0.4rem 0.7rem;
        border: 1px solid var(--line-strong);
        border-radius: 0.7rem;
        background: var(--raised);
        color: inherit;
      }
      .own p {
        grid-column: 1 / -1;
        color: var(--muted);
        font-size: 0.88rem;
      }
      .own p[role] {
        color: var(--bad-text);
        font-weight: 600;
      }
    `,
  ];

  constructor() {
    super();
    this.kind = 'mancala';
    /** @type {TimeControl} */
    this.value = { type: 'unlimited' };
    this.custom = false;
    /** @type {Timed} */
    this.type = 'fischer';
    this.minutes = 10;
    this.seconds = 0;
    this.increment = 5;
  }

  /** @param {TimeControl} value @param {boolean} custom */
  #choose(value, custom) {
    this.custom = custom;
    this.value = value;
    this.dispatchEvent(new CustomEvent('choose', { detail: value }));
  }

  /** What the fields say. @returns {TimeControl} */
  get #own() {
    const time = 60 * this.minutes + this.seconds;
    if (this.type === 'fischer') return { type: 'fischer', initialS: time, incrementS: this.increment };
    return this.type === 'suddenDeath' ? { type: 'suddenDeath', initialS: time } : { type: 'perMove', seconds: time };
  }

  /** @param {Partial<Pick<TimeControlChoice, 'type' | 'minutes' | 'seconds' | 'increment'>>} fields */
  #change(fields) {
    Object.assign(this, fields);
    this.#choose(this.#own, true);
  }

  render() {
    const t = text();
    return html`
      <div class="presets">
        ${timeControlPresets(this.kind).map((preset) =>
          this.#preset(timeControlText(preset), t.timeShort[preset.type], !this.custom && sameControl(preset, this.value), () => this.#choose(preset, false)),
        )}
        ${this.#preset(t.ownTime, t.ownTimeHint, this.custom, () => this.#change({}))}
      </div>
      ${this.custom ? this.#fields() : nothing}
    `;
  }

  /** @param {string} label @param {string} hint @param {boolean} checked @param {() => void} choose */
  #preset(label, hint, checked, choose) {
    return html`<label class="choice small">
      <input type="radio" name="time" .checked=${checked} @change=${choose} />
      <b class="number">${label}</b>${hint ? html`<small>${hint}</small>` : nothing}
    </label>`;
  }

  #fields() {
    const t = text();
    const [least, most] = BOUNDS.time;
    return html`<div class="own">
      <label class="kind">
        ${t.timeControl}
        <select @change=${(/** @type {any} */ event) => this.#change({ type: event.target.value })}>
          ${TIMED.map((type) => html`<option value=${type} ?selected=${type === this.type}>${t.timeControls[type]}</option>`)}
        </select>
      </label>
      ${this.#number(t.minutes, this.minutes, most / 60, (minutes) => this.#change({ minutes }))}
      ${this.#number(t.seconds, this.seconds, 59, (seconds) => this.#change({ seconds }))}
      ${this.type === 'fischer' ? this.#number(t.increment, this.increment, BOUNDS.increment[1], (increment) => this.#change({ increment })) : nothing}
      ${withinBounds(this.#own)
        ? html`<p>${t.timeHints[this.type]}</p>`
        : html`<p role="alert">${t.timeBounds(timeControlText({ type: 'suddenDeath', initialS: least }), timeControlText({ type: 'suddenDeath', initialS: most }))}</p>`}
    </div>`;
  }

  /** @param {string} label @param {number} value @param {number} most @param {(value: number) => void} change */
  #number(label, value, most, change) {
    const read = (/** @type {any} */ event) => change(event.target.value === '' ? NaN : Number(event.target.value));
    return html`<label>${label}<input type="number" inputmode="numeric" min="0" max=${most} step="1" .value=${String(value)} @input=${read} /></label>`;
  }
}

customElements.define('time-control-choice', TimeControlChoice);
