// Below the board: the dice, what they allow, and what can be done with a turn before it is sent.

import { css, html, nothing } from 'lit';
import { Element } from '../../element.js';
import { text } from '../../i18n.js';
import { icons } from '../../parts/icons.js';
import { sheet } from '../../sheet.js';
import './dice-row.js';

export class TurnTray extends Element {
  static properties = {
    dice: { attribute: false },
    spent: { attribute: false },
    side: { type: String },
    cast: { type: Number },
    says: { type: String },
    steps: { type: String },
    canUndo: { type: Boolean },
    canSend: { type: Boolean },
    sendsInMs: { type: Number },
    act: { type: Boolean, reflect: true },
  };

  static styles = [
    sheet,
    css`
      :host {
        container-type: inline-size;
      }
      .tray {
        display: grid;
        grid-template-columns: auto minmax(0, 1fr) auto;
        align-items: center;
        gap: 0.4rem 1rem;
        min-height: 3.9rem;
        padding: 0.5rem 0.7rem;
        border-radius: var(--radius);
        background: var(--sunken);
      }
      :host([act]) .tray {
        background: var(--accent-soft);
        color: var(--accent-text);
      }
      .says {
        display: grid;
        gap: 0.1rem;
        min-width: 0;
        line-height: 1.3;
        overflow-wrap: anywhere;
      }
      .says b {
        font-weight: 650;
      }
      .steps {
        color: var(--muted);
        font-size: 0.88rem;
        overflow-wrap: anywhere;
      }
      .buttons {
        display: flex;
        gap: 0.4rem;
      }
      .buttons button {
        min-width: 2.75rem;
        padding-inline: 0.9rem;
      }
      .send {
        position: relative;
        overflow: hidden;
      }
      .send span {
        position: relative;
      }
      .send.soon::before {
        content: '';
        position: absolute;
        inset: 0;
        background: #0003;
        transform-origin: left;
        animation: fill var(--sends-in, 1.5s) linear forwards;
      }
      @keyframes fill {
        from {
          scale: 0 1;
        }
      }
      /* Beside the board: one below the other. */
      @media (max-height: 32rem) and (min-width: 36rem) {
        .tray {
          grid-template-columns: minmax(0, 1fr);
        }
      }
      @container (max-width: 34rem) {
        .tray {
          gap: 0.4rem 0.7rem;
        }
        .undo span {
          display: none;
        }
        .buttons button {
          padding-inline: 0.75rem;
        }
        .says {
          font-size: 0.94rem;
        }
      }
      @container (max-width: 25rem) {
        dice-row {
          --die: 2.15rem;
        }
      }
    `,
  ];

  constructor() {
    super();
    /** @type {readonly number[]} */
    this.dice = [];
    /** @type {readonly boolean[]} */
    this.spent = [];
    /** @type {'w' | 'b'} */
    this.side = 'w';
    this.cast = 0;
    /** What there is to say. */
    this.says = '';
    /** The turn so far. */
    this.steps = '';
    this.canUndo = false;
    this.canSend = false;
    /** After so many milliseconds the turn is sent by itself; 0: it is not. */
    this.sendsInMs = 0;
    /** Whether it is for us to act. */
    this.act = false;
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    if (changed.has('sendsInMs')) this.style.setProperty('--sends-in', `${this.sendsInMs}ms`);
  }

  /** Where a key that sends the turn finds it. */
  focusSend() {
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector('.send'))?.focus();
  }

  /** @param {'undo' | 'send'} what */
  #tell(what) {
    this.dispatchEvent(new CustomEvent(what));
  }

  render() {
    const t = text();
    return html`<div class="tray">
      <dice-row .dice=${this.dice} .spent=${this.spent} .side=${this.side} .cast=${this.cast}></dice-row>
      <p class="says"><b>${this.says}</b>${this.steps ? html`<span class="steps number">${this.steps}</span>` : nothing}</p>
      <div class="buttons">
        ${this.canUndo ? html`<button type="button" class="undo" aria-label=${t.takeMoveBack} title=${t.takeMoveBack} @click=${() => this.#tell('undo')}>${icons.undo} <span>${t.takeMoveBack}</span></button>` : nothing}
        ${this.canSend
          ? html`<button type="button" class="primary send ${this.sendsInMs > 0 ? 'soon' : ''}" @click=${() => this.#tell('send')}><span>${t.sendTurn}</span></button>`
          : nothing}
      </div>
    </div>`;
  }
}

customElements.define('turn-tray', TurnTray);
