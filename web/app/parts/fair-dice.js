// Lets anybody check that the dice of a finished game were fair, in the browser and with nobody's help.

import { css, html, nothing } from 'lit';
import { Element } from '../element.js';
import { verify } from '../games/dicechess/fair.js';
import { text } from '../i18n.js';
import { sheet } from '../sheet.js';
import { icons } from './icons.js';

/** @typedef {import('../games/dicechess/fair.js').Fairness} Fairness */
/** @typedef {import('../games/dicechess/fair.js').Verdict} Verdict */

export class FairDice extends Element {
  static properties = { fairness: { attribute: false }, rolls: { attribute: false }, ownSeed: {}, verdict: { state: true }, failed: { state: true } };

  static styles = [
    sheet,
    css`
      :host {
        display: grid;
        gap: 0.6rem;
        min-width: 0;
      }
      p {
        font-size: 0.92rem;
      }
      .verdict {
        display: flex;
        align-items: center;
        gap: 0.5em;
        padding: 0.5rem 0.8rem;
        border-radius: 0.8rem;
        font-weight: 600;
      }
      .verdict svg {
        flex: none;
      }
      .fair {
        background: var(--good-soft);
        color: var(--good);
      }
      .unfair {
        background: var(--bad-soft);
        color: var(--bad-text);
      }
      summary {
        cursor: pointer;
        color: var(--muted);
        font-size: 0.88rem;
        font-weight: 600;
      }
      dl {
        display: grid;
        gap: 0.1rem;
        margin-top: 0.5rem;
        font-size: 0.82rem;
      }
      dt {
        color: var(--muted);
        font-weight: 600;
      }
      dd {
        margin-bottom: 0.4rem;
        font-family: ui-monospace, monospace;
        overflow-wrap: anywhere;
      }
    `,
  ];

  constructor() {
    super();
    /** What the service revealed. @type {Fairness | null} */
    this.fairness = null;
    /** All rolls of the game, in order. @type {readonly (readonly number[])[]} */
    this.rolls = [];
    /** What this player gave to the dice, if that is known here. @type {string | null} */
    this.ownSeed = null;
    /** @type {Verdict | null} */
    this.verdict = null;
    this.failed = false;
  }

  async #verify() {
    if (!this.fairness) return;
    this.failed = false;
    try {
      this.verdict = await verify(this.fairness, this.rolls);
    } catch {
      // What was revealed is not even a seed; or the browser cannot compute it.
      this.failed = true;
    }
  }

  render() {
    const t = text();
    const { fairness } = this;
    if (!fairness) return nothing;
    const own = html` <b>(${t.yoursKept})</b>`;
    const { player1: white, player2: black } = fairness.clientSeeds;
    return html`
      <h2>${t.fairDice}</h2>
      <p class="muted">${t.fairDiceText}</p>
      <div role="status">${this.#verdict()}</div>
      ${this.verdict ? nothing : html`<button type="button" @click=${this.#verify}>${icons.dice} ${t.verifyDice}</button>`}
      <details>
        <summary>${t.fairDiceDetails}</summary>
        <dl>
          <dt>${t.commitment}</dt>
          <dd>${fairness.commit}</dd>
          <dt>${t.serverSeed}</dt>
          <dd>${fairness.seed}</dd>
          <dt>${t.whiteSeed}</dt>
          <dd>${white}${white === this.ownSeed ? own : nothing}</dd>
          <dt>${t.blackSeed}</dt>
          <dd>${black}${black === this.ownSeed ? own : nothing}</dd>
        </dl>
      </details>
    `;
  }

  #verdict() {
    const t = text();
    if (this.failed) return html`<p class="verdict unfair">${t.diceUnverifiable}</p>`;
    if (!this.verdict) return nothing;
    const { committed, rolls, fair } = this.verdict;
    if (fair) return html`<p class="verdict fair">${icons.check} ${t.diceFair(rolls.length)}</p>`;
    const wrong = rolls.filter(({ same }) => !same).map(({ index }) => index + 1);
    return html`<p class="verdict unfair">${committed ? t.diceWrong(wrong.join(', ')) : t.commitmentWrong}</p>`;
  }
}

customElements.define('fair-dice', FairDice);
