// A player's sign: the first letter of the name, in a colour of their own.

import { css, html } from 'lit';
import { Element } from '../element.js';
import { sheet } from '../sheet.js';
import { nameOf, toneOf } from './people.js';

export class PlayerAvatar extends Element {
  static properties = { player: { attribute: false } };

  static styles = [
    sheet,
    css`
      :host {
        display: inline-grid;
        flex: none;
        width: var(--avatar, 2.2rem);
        height: var(--avatar, 2.2rem);
      }
      span {
        display: grid;
        place-items: center;
        border-radius: 50%;
        color: #fff;
        font-weight: 700;
        font-size: calc(var(--avatar, 2.2rem) * 0.45);
        line-height: 1;
      }
      .tone0 {
        background: #0f766e;
      }
      .tone1 {
        background: #9a3412;
      }
      .tone2 {
        background: #1d4ed8;
      }
      .tone3 {
        background: #86198f;
      }
      .tone4 {
        background: #4d6b12;
      }
      .tone5 {
        background: #9f1239;
      }
      .tone6 {
        background: #5b21b6;
      }
      .tone7 {
        background: #7a4d05;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {import('./people.js').PlayerSummary | null} */
    this.player = null;
  }

  render() {
    return html`<span class="tone${toneOf(this.player?.userId ?? '')}" aria-hidden="true">${[...nameOf(this.player)][0]}</span>`;
  }
}

customElements.define('player-avatar', PlayerAvatar);
