// All of one's finished games, page by page.

import { css, html, nothing } from 'lit';
import { Element } from '../element.js';
import { problemText, text } from '../i18n.js';
import { api } from '../net/api.js';
import { asProblem } from '../net/problem.js';
import { session } from '../net/session.js';
import '../parts/game-card.js';
import { sheet } from '../sheet.js';

const PAGE = 12;

class HistoryPage extends Element {
  static properties = { games: { state: true }, next: { state: true }, problem: { state: true } };

  static styles = [
    sheet,
    css`
      h1 {
        margin-block: 1rem 1.4rem;
      }
      .cards {
        display: grid;
        grid-template-columns: repeat(auto-fill, minmax(min(17rem, 100%), 1fr));
        gap: 1rem;
      }
      button {
        margin: 1.6rem auto 0;
        display: flex;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {import('../../types/api.d.ts').FinishedGameSummary[] | null} */
    this.games = null;
    /** @type {string | null} */
    this.next = null;
    this.problem = '';
  }

  connectedCallback() {
    super.connectedCallback();
    this.entitle(() => text().allGames);
    void this.#more();
  }

  async #more() {
    this.problem = '';
    try {
      if (!session.userId) {
        this.games = [];
        return;
      }
      const page = await api.myGames(PAGE, this.next);
      this.games = [...(this.games ?? []), ...page.games];
      this.next = page.games.length > 0 ? (page.next ?? null) : null;
    } catch (error) {
      this.problem = asProblem(error).name;
    }
  }

  render() {
    const t = text();
    return html`
      <h1>${t.allGames}</h1>
      ${this.games === null && !this.problem ? html`<p class="muted">${t.loading}</p>` : nothing}
      ${this.games?.length === 0 ? html`<p class="muted">${t.noGames}</p>` : nothing}
      <div class="cards">${this.games?.map((game) => html`<game-card .game=${game}></game-card>`)}</div>
      ${this.problem ? html`<p role="alert">${problemText(this.problem)}</p>` : nothing}
      ${this.next || this.problem ? html`<button type="button" @click=${() => this.#more()}>${t.more}</button>` : nothing}
    `;
  }
}

customElements.define('history-page', HistoryPage);
