// Home: one's own game, what others play, what one played.

import { css, html, nothing } from 'lit';
import { Element } from '../element.js';
import { text } from '../i18n.js';
import { api } from '../net/api.js';
import { ownGame } from '../net/own-game.js';
import { session } from '../net/session.js';
import { socket } from '../net/socket.js';
import '../parts/demo-board.js';
import '../parts/game-card.js';
import { namesOf, seatOf } from '../parts/people.js';
import { sheet } from '../sheet.js';

/** @typedef {import('../../types/api.d.ts').LiveGameSummary} Live */
/** @typedef {import('../../types/api.d.ts').FinishedGameSummary} Finished */

/** As many as the service tells of while they are live. */
const SHOWN = 5;
const RECENT = 3;
/** A game that ended is in the lists a moment later, and later still when the database is slow. */
const AFTER_AN_END_MS = [1000, 3000, 10_000];
/** @type {import('../../types/api.d.ts').PopularGames} */
const NOTHING = { kind: 'finished', games: [] };

class HomePage extends Element {
  static properties = { active: { state: true }, popular: { state: true }, recent: { state: true } };

  static styles = [
    sheet,
    css`
      .hero {
        display: grid;
        grid-template-columns: minmax(0, 1fr) minmax(0, 1.25fr);
        align-items: center;
        gap: clamp(1.4rem, 4vw, 3.5rem);
        padding-block: clamp(0.8rem, 3vw, 2.4rem) clamp(1.2rem, 4vw, 2.8rem);
      }
      .hero .words {
        display: grid;
        gap: 1rem;
      }
      @media (max-width: 52rem) {
        .hero {
          grid-template-columns: minmax(0, 1fr);
        }
      }
      .hero p {
        max-width: 34rem;
        color: var(--muted);
        font-size: 1.1rem;
      }
      .hero .row {
        margin-top: 0.4rem;
      }
      .banner {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.8rem 1.2rem;
        margin-bottom: 1.6rem;
        padding: 1rem 1.2rem;
        border-color: var(--accent);
        background: var(--accent-soft);
      }
      .banner div {
        flex: 1;
        min-width: 12rem;
        overflow-wrap: anywhere;
      }
      section {
        margin-top: 1.4rem;
      }
      .head {
        display: flex;
        align-items: baseline;
        justify-content: space-between;
        gap: 1rem;
        margin-bottom: 0.8rem;
      }
      h2 .dot {
        display: inline-block;
        margin-right: 0.35em;
        animation: beat 2s ease-in-out infinite;
      }
      .cards {
        display: grid;
        grid-template-columns: repeat(auto-fill, minmax(min(17rem, 100%), 1fr));
        gap: 1rem;
      }
      .empty {
        padding: 1.6rem;
        border: 1px dashed var(--line-strong);
        border-radius: var(--radius);
        color: var(--muted);
        text-align: center;
      }
      @keyframes beat {
        50% {
          opacity: 0.35;
        }
      }
    `,
  ];

  constructor() {
    super();
    /** @type {Live | null} */
    this.active = null;
    /** @type {import('../../types/api.d.ts').PopularGames | null} */
    this.popular = null;
    /** @type {Finished[] | null} */
    this.recent = null;
  }

  connectedCallback() {
    super.connectedCallback();
    this.entitle(() => '');
    const subscribe = () => socket.send('subscribe_live_games');
    this.until(
      socket.on('ready', subscribe),
      socket.on('on_live_games', ({ games }) => this.#live(games)),
      ownGame.on('change', (game) => this.#mine(game)),
      session.on('change', () => void this.#askRecent()),
      () => socket.send('unsubscribe_live_games'),
      () => this.#timers.forEach(clearTimeout),
    );
    subscribe();
    void ownGame.ask();
    void this.#askRecent();
    void this.#askPopular();
  }

  /** @type {number[]} */
  #timers = [];
  /** Counts what the socket told of live games, and what was asked. */
  #heard = 0;
  #asked = 0;
  /** What the socket told last: whether any game is live. */
  #anyLive = false;

  /** @returns {Promise<void>} */
  async #askPopular() {
    const [asked, heard] = [++this.#asked, this.#heard];
    const popular = await api.popularGames(SHOWN).catch(() => this.popular ?? NOTHING);
    if (asked !== this.#asked) return;
    // What the socket told meanwhile is newer than the answer.
    if (heard !== this.#heard && this.#anyLive) return;
    if (heard !== this.#heard && popular.kind === 'live') return this.#askPopular();
    this.popular = popular;
  }

  async #askRecent() {
    if (!session.userId) {
      this.recent = [];
      return;
    }
    const answer = await api.myGames(RECENT).catch(() => null);
    if (answer) this.recent = answer.games;
  }

  /** @param {Live | null} game */
  #mine(game) {
    const ended = this.active && this.active.id !== game?.id;
    this.active = game;
    if (ended) this.#afterAnEnd();
  }

  /** Asks for the lists, in which a game that has just ended need not be yet. */
  #afterAnEnd() {
    const ask = () => {
      void this.#askRecent();
      if (!this.#anyLive) void this.#askPopular();
    };
    this.#timers.forEach(clearTimeout);
    this.#timers = AFTER_AN_END_MS.map((ms) => setTimeout(ask, ms));
    ask();
  }

  /** @param {Live[]} games */
  #live(games) {
    this.#heard++;
    this.#anyLive = games.length > 0;
    if (this.#anyLive) this.popular = { kind: 'live', games };
    // The last live game ended: what was popular is shown instead.
    else if (this.popular?.kind === 'live') this.#afterAnEnd();
  }

  render() {
    const t = text();
    return html`
      ${this.#banner()}
      ${this.active
        ? nothing
        : html`<div class="hero">
            <div class="words">
              <h1>${t.heroTitle}</h1>
              <p>${t.heroText}</p>
              <div class="row">
                <a class="button primary" href="/new">${t.play}</a>
                <a class="button" href="/new?invite">${t.invite}</a>
              </div>
            </div>
            <demo-board aria-hidden="true"></demo-board>
          </div>`}
      ${this.#popularGames()} ${this.#recentGames()}
    `;
  }

  #banner() {
    const game = this.active;
    if (!game) return nothing;
    const t = text();
    const seat = seatOf(game, session.userId) ?? 'player1';
    const opponent = namesOf(game)[seat === 'player1' ? 'player2' : 'player1'];
    const turn = game.turnPlayerId === session.userId ? t.yourTurn : t.turnOf(opponent);
    return html`<aside class="banner card" aria-label=${t.yourGame}>
      <div>
        <h2>${t.yourGame}</h2>
        <p>${t.against(opponent)} · <strong>${turn}</strong></p>
      </div>
      <a class="button primary" href="/play/${game.id}">${t.continue}</a>
    </aside>`;
  }

  #popularGames() {
    const t = text();
    if (!this.popular) return nothing;
    const live = this.popular.kind === 'live' && this.popular.games.length > 0;
    return html`<section aria-labelledby="popular">
      <div class="head">
        <h2 id="popular">${live ? html`<i class="dot on"></i> ${t.liveGames}` : t.popularGames}</h2>
      </div>
      ${this.popular.games.length === 0
        ? html`<p class="empty">${t.noPopular}</p>`
        : html`<div class="cards">${this.popular.games.map((game) => html`<game-card .game=${game}></game-card>`)}</div>`}
    </section>`;
  }

  #recentGames() {
    const t = text();
    if (!this.recent || !session.userId) return nothing;
    return html`<section aria-labelledby="recent">
      <div class="head">
        <h2 id="recent">${t.recentGames}</h2>
        ${this.recent.length > 0 ? html`<a href="/history">${t.allGames}</a>` : nothing}
      </div>
      ${this.recent.length === 0
        ? html`<p class="empty">${t.noRecent}</p>`
        : html`<div class="cards">${this.recent.map((game) => html`<game-card .game=${game}></game-card>`)}</div>`}
    </section>`;
  }
}

customElements.define('home-page', HomePage);
