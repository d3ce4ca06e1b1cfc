// The controls of a replay: from move to move, by itself, along a timeline. They decide nothing.

import { css, html, nothing } from 'lit';
import { Element } from '../element.js';
import { text } from '../i18n.js';
import { sheet } from '../sheet.js';
import { icons } from './icons.js';

const SPEEDS = [1, 2, 4];

export class ReplayControls extends Element {
  static properties = { at: { type: Number }, last: { type: Number }, playing: { type: Boolean }, speed: { type: Number } };

  static styles = [
    sheet,
    css`
      .controls {
        display: grid;
        gap: 0.4rem;
        padding: 0.8rem 1rem;
      }
      .buttons {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        justify-content: center;
        gap: 0.3rem;
      }
      .buttons button {
        min-width: 2.75rem;
        padding: 0.4rem;
      }
      .buttons [aria-disabled] {
        opacity: 0.5;
        cursor: default;
      }
      .buttons .big {
        min-width: 3.4rem;
        min-height: 3.4rem;
      }
      .buttons .big svg {
        width: 1.6rem;
        height: 1.6rem;
      }
      .speeds {
        display: flex;
        margin-left: 0.6rem;
        border: 1px solid var(--line-strong);
        border-radius: 999px;
        overflow: hidden;
      }
      .speeds button {
        min-height: 2.4rem;
        border: 0;
        border-radius: 0;
        font-size: 0.9rem;
      }
      .speeds [aria-pressed='true'] {
        background: var(--accent-soft);
        color: var(--accent-text);
      }
      .line {
        display: flex;
        align-items: center;
        gap: 0.8rem;
      }
      input[type='range'] {
        flex: 1;
        min-width: 0;
        height: 1.75rem;
        margin: 0;
        accent-color: var(--accent);
        cursor: pointer;
      }
      .line .number {
        min-width: 4.2em;
        text-align: right;
        color: var(--muted);
        font-weight: 600;
      }
    `,
  ];

  constructor() {
    super();
    /** The move that is shown, 0 before the first. */
    this.at = 0;
    this.last = 0;
    /** Whether it goes on by itself. */
    this.playing = false;
    this.speed = 1;
  }

  /** Where a key that stops it finds it. */
  focusToggle() {
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector('.big'))?.focus();
  }

  /** @param {'go' | 'toggle' | 'speed'} what @param {number} [detail] */
  #tell(what, detail) {
    this.dispatchEvent(new CustomEvent(what, { detail }));
  }

  render() {
    const t = text();
    const { at, last } = this;
    // What cannot be pressed now keeps the focus.
    const button = (/** @type {string} */ name, /** @type {unknown} */ picture, /** @type {() => void} */ press, disabled = false, extra = '') =>
      html`<button type="button" class="quiet ${extra}" aria-label=${name} title=${name} aria-disabled=${disabled ? 'true' : nothing} @click=${press}>${picture}</button>`;
    const step = (/** @type {string} */ name, /** @type {unknown} */ picture, /** @type {number} */ to, /** @type {number} */ end) => button(name, picture, () => this.#tell('go', to), at === end);
    return html`<div class="card controls">
      <div class="buttons">
        ${step(t.first, icons.first, 0, 0)} ${step(t.previous, icons.previous, at - 1, 0)}
        ${button(this.playing ? t.pause : t.playOn, this.playing ? icons.pause : icons.play, () => this.#tell('toggle'), last === 0, 'big')}
        ${step(t.next, icons.next, at + 1, last)} ${step(t.last, icons.last, last, last)}
        <div class="speeds" role="group" aria-label=${t.speed}>
          ${SPEEDS.map((speed) => html`<button type="button" aria-pressed=${speed === this.speed} @click=${() => this.#tell('speed', speed)}>${speed}×</button>`)}
        </div>
      </div>
      <div class="line">
        <input
          type="range"
          min="0"
          max=${last}
          .value=${String(at)}
          aria-label=${t.timeline}
          aria-valuetext=${t.reviewing(at, last)}
          @input=${(/** @type {any} */ event) => this.#tell('go', Number(event.target.value))}
        />
        <span class="number">${at} / ${last}</span>
      </div>
    </div>`;
  }
}

customElements.define('replay-controls', ReplayControls);
