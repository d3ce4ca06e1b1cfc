// A player beside the board: name, presence, clock, score, whose turn.

import { css, html, nothing } from 'lit';
import './avatar.js';
import { Element } from '../element.js';
import { text } from '../i18n.js';
import { sheet } from '../sheet.js';
import { nameOf } from './people.js';
import './player-clock.js';

export class PlayerPlate extends Element {
  static properties = {
    player: { attribute: false },
    score: { attribute: false },
    turn: { type: Boolean, reflect: true },
    connected: { attribute: false },
    clocks: { attribute: false },
    seat: {},
    own: { type: Boolean },
  };

  static styles = [
    sheet,
    css`
      .plate {
        display: flex;
        align-items: center;
        gap: 0.7rem;
        padding: 0.5rem 0.9rem 0.5rem 0.6rem;
        border: 1px solid transparent;
        border-radius: 999px;
        min-width: 0;
        transition: background-color 0.2s;
      }
      :host([turn]) .plate {
        border-color: var(--line);
        background: var(--raised);
        box-shadow: var(--shadow);
      }
      .who {
        flex: 1;
        min-width: 0;
      }
      .name {
        display: block;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
        font-weight: 700;
        line-height: 1.3;
      }
      .state {
        display: flex;
        align-items: center;
        gap: 0.4em;
        color: var(--muted);
        font-size: 0.84rem;
        line-height: 1.3;
      }
      .score {
        font-weight: 750;
        font-size: 1.7rem;
        line-height: 1;
        letter-spacing: -0.02em;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {import('./people.js').PlayerSummary | null} */
    this.player = null;
    /** @type {number | null} */
    this.score = null;
    this.turn = false;
    /** @type {boolean | null} */
    this.connected = null;
    /** @type {import('../../types/api.d.ts').Clocks | null} */
    this.clocks = null;
    /** @type {import('../../types/api.d.ts').Seat} */
    this.seat = 'player1';
    this.own = false;
  }

  render() {
    const t = text();
    const state = [this.own ? t.you : null, this.connected === null ? null : this.connected ? t.online : t.offline].filter(Boolean).join(' · ');
    return html`<div class="plate">
      <player-avatar .player=${this.player}></player-avatar>
      <div class="who">
        <span class="name">${nameOf(this.player)}</span>
        <span class="state">${this.connected === null ? nothing : html`<i class="dot ${this.connected ? 'on' : ''}"></i>`} ${state}</span>
      </div>
      ${this.clocks ? html`<player-clock .clocks=${this.clocks} .seat=${this.seat}></player-clock>` : nothing}
      ${this.score === null ? nothing : html`<span class="score number" aria-hidden="true">${this.score}</span>`}
    </div>`;
  }
}

customElements.define('player-plate', PlayerPlate);
