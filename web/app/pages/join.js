// What an invitation's link leads to. Joining is a click: something that only looks at the link must not use it up.

import { css, html, nothing } from 'lit';
import { Element } from '../element.js';
import { problemText, text, timeControlText } from '../i18n.js';
import { kindOf, otherSeat } from '../kinds.js';
import { api } from '../net/api.js';
import { newId } from '../net/ids.js';
import { termsOf } from '../net/invitation.js';
import { asProblem } from '../net/problem.js';
import { session } from '../net/session.js';
import { icons } from '../parts/icons.js';
import { nameOf } from '../parts/people.js';
import { router } from '../router.js';
import { sheet } from '../sheet.js';

/** Failures after which the same link may still work. */
const PASSING = ['network', 'unavailable', 'standby', 'rate-limited', 'too-many-games', 'active-game', 'host-busy'];

class JoinPage extends Element {
  static properties = { id: {}, joining: { state: true }, problem: { state: true }, busyWith: { state: true } };

  static styles = [
    sheet,
    css`
      :host {
        max-width: 34rem;
        margin-inline: auto;
        container-type: inline-size;
      }
      .card {
        display: grid;
        justify-items: center;
        gap: 1rem;
        margin-top: 1.4rem;
        padding: clamp(1.1rem, 4vw, 2rem);
        text-align: center;
      }
      h1 {
        font-size: 1.7rem;
      }
      mancala-board {
        --board-unit: calc((100cqw - 2 * clamp(1.1rem, 4vw, 2rem) - 2px) / 100);
        min-height: calc(44 * var(--board-unit));
      }
      dice-chess-board {
        --board-unit: calc((100cqw - 2 * clamp(1.1rem, 4vw, 2rem) - 2px) / 130);
        min-height: calc(100 * var(--board-unit));
      }
      [role='alert'] {
        padding: 0.7rem 1rem;
        border-radius: 0.8rem;
        background: var(--bad-soft);
        color: var(--bad-text);
        font-weight: 600;
      }
    `,
  ];

  constructor() {
    super();
    this.id = '';
    this.joining = false;
    this.problem = '';
    /** @type {string | null} */
    this.busyWith = null;
  }

  #token = new URLSearchParams(location.search).get('token');
  #terms = termsOf(this.#token);
  /** The same for every try, so that trying again joins once. */
  #command = newId();

  connectedCallback() {
    super.connectedCallback();
    this.entitle(() => text().joinTitle);
    if (!this.#token) this.problem = 'no-token';
  }

  async #join() {
    this.joining = true;
    this.problem = '';
    try {
      await session.ensure();
      await api.join(this.id, this.#token ?? '', this.#command);
      router.go(`/play/${this.id}`, { replace: true });
    } catch (error) {
      const problem = asProblem(error);
      this.problem = problem.name;
      this.busyWith = problem.gameId;
    } finally {
      this.joining = false;
    }
  }

  render() {
    const t = text();
    const kind = this.#terms?.kind ?? 'mancala';
    const seat = otherSeat(this.#terms?.seat ?? 'player1');
    const host = this.#terms ? nameOf(this.#terms.host) : t.joinUnknown;
    const hopeless = this.problem !== '' && !PASSING.includes(this.problem);
    return html`<div class="card">
      <h1>${t.joinTitle}</h1>
      <p class="muted">${t.joinHint(t.kinds[kind], host)}</p>
      ${kindOf(kind).preview(null, seat, seat === 'player1' ? { player1: t.you, player2: host } : { player1: host, player2: t.you })}
      ${this.#terms ? html`<span class="pill number">${icons.clock} ${timeControlText(this.#terms.timeControl)}</span>` : nothing}
      ${this.problem ? html`<p role="alert">${this.problem === 'no-token' ? t.noToken : problemText(this.problem)}</p>` : nothing}
      ${this.problem === 'active-game' && this.busyWith ? html`<a class="button" href="/play/${this.busyWith}">${t.continue}</a>` : nothing}
      ${hopeless
        ? html`<a class="button" href="/">${t.backHome}</a>`
        : html`<button type="button" class="primary" ?disabled=${this.joining} @click=${this.#join}>${this.joining ? t.joining : t.join}</button>`}
    </div>`;
  }
}

customElements.define('join-page', JoinPage);
