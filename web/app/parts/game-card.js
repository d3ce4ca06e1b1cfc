// A game on a card: who plays, how it stands, and where a click leads.

import { css, html, nothing } from 'lit';
import './avatar.js';
import { Element } from '../element.js';
import { date, text } from '../i18n.js';
import { kindOf } from '../kinds.js';
import { session } from '../net/session.js';
import { sheet } from '../sheet.js';
import { icons } from './icons.js';
import { namesOf, seatOf } from './people.js';

/** @typedef {import('../../types/api.d.ts').LiveGameSummary} Live */
/** @typedef {import('../../types/api.d.ts').FinishedGameSummary} Finished */

export class GameCard extends Element {
  static properties = { game: { attribute: false } };

  static styles = [
    sheet,
    css`
      :host {
        container-type: inline-size;
      }
      a {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 0.8rem;
        height: 100%;
        grid-template-rows: auto 1fr auto;
        padding: 1rem;
        color: inherit;
        text-decoration: none;
        transition:
          border-color 0.15s,
          translate 0.15s;
      }
      a:hover {
        border-color: var(--line-strong);
        translate: 0 -2px;
      }
      .players {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 0.35rem;
      }
      .player {
        display: flex;
        align-items: center;
        gap: 0.55rem;
        --avatar: 1.7rem;
      }
      .name {
        flex: 1;
        min-width: 0;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
        font-weight: 600;
      }
      .player .number {
        font-weight: 700;
        font-size: 1.1rem;
      }
      .turn .name::after {
        content: '';
        display: inline-block;
        width: 0.5em;
        height: 0.5em;
        margin-left: 0.5em;
        border-radius: 50%;
        background: var(--good-dot);
        vertical-align: 0.08em;
      }
      mancala-board {
        --board-unit: calc((100cqw - 2rem - 2px) / 100);
        min-height: calc(44 * var(--board-unit));
      }
      dice-chess-board {
        --board-unit: calc((100cqw - 2rem - 2px) / 140);
        min-height: calc(100 * var(--board-unit));
        margin-inline: auto;
      }
      mancala-board,
      dice-chess-board {
        align-self: center;
      }
      .facts {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.3rem 0.5rem;
        font-size: 0.88rem;
      }
      .facts svg {
        width: 1rem;
        height: 1rem;
      }
      .end {
        margin-left: auto;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {Live | Finished | null} */
    this.game = null;
  }

  render() {
    const game = this.game;
    if (!game) return nothing;
    const live = !('endedAt' in game);
    const seat = seatOf(game, session.userId) ?? 'player1';
    const kind = kindOf(game.kind);
    const player = (/** @type {'player1' | 'player2'} */ which) => html`
      <div class="player ${live && game.turnPlayerId === game[which].userId ? 'turn' : ''}">
        <player-avatar .player=${game[which]}></player-avatar>
        <span class="name">${namesOf(game)[which]}</span>
        <span class="number">${kind.score(game.board, which)}</span>
      </div>
    `;
    return html`<a class="card" href="/${live ? 'play' : 'replay'}/${game.id}">
      <div class="players">${player(seat === 'player1' ? 'player2' : 'player1')} ${player(seat)}</div>
      ${kind.preview(game.board, seat, namesOf(game))}
      ${live ? this.#liveFacts(game) : this.#finishedFacts(game)}
    </a>`;
  }

  /** @param {Live} game */
  #liveFacts(game) {
    const t = text();
    return html`<div class="facts muted">
      <span class="pill">${icons.eye} ${t.watching(game.spectatorCount)}</span>
      <span class="end number">${t.moves(game.moveCount)}</span>
    </div>`;
  }

  /** @param {Finished} game */
  #finishedFacts(game) {
    return html`<div class="facts muted">
      ${this.#result(game)} ${game.peakSpectators > 0 && !seatOf(game, session.userId) ? html`<span>${text().watched(game.peakSpectators)}</span>` : nothing}
      <time class="end number" datetime=${new Date(game.endedAt).toISOString()}>${date(game.endedAt)}</time>
    </div>`;
  }

  /** The result from this user's side, or by name for who was not there. @param {Finished} game */
  #result(game) {
    const t = text();
    const seat = seatOf(game, session.userId);
    if (!game.result) return html`<span class="pill">${t.noResult}</span>`;
    if (game.result === 'draw') return html`<span class="pill">${t.draw}</span>`;
    if (!seat) return html`<span class="pill good">${t.wins(namesOf(game)[game.result])}</span>`;
    return game.result === seat ? html`<span class="pill good">${t.won}</span>` : html`<span class="pill bad">${t.lost}</span>`;
  }
}

customElements.define('game-card', GameCard);
