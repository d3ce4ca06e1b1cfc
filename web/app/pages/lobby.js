// The way into a game: find an opponent, or invite one.

import { css, html, nothing } from 'lit';
import { Element } from '../element.js';
import { problemText, text } from '../i18n.js';
import { KINDS } from '../kinds.js';
import { api } from '../net/api.js';
import { asProblem } from '../net/problem.js';
import { seeking } from '../net/seeking.js';
import { session } from '../net/session.js';
import { socket } from '../net/socket.js';
import { choice } from '../parts/choice.js';
import { icons } from '../parts/icons.js';
import '../parts/invitation-link.js';
import { seatOf } from '../parts/people.js';
import '../parts/time-control-choice.js';
import { router } from '../router.js';
import { sheet } from '../sheet.js';
import { timeControlPresets, withinBounds } from '../time-controls.js';

/** @typedef {import('../../types/api.d.ts').InvitationLink} Invitation */
/** @typedef {import('../../types/api.d.ts').TimeControl} TimeControl */
/** @typedef {import('../../types/api.d.ts').Kind} Kind */

const KEY = 'turnstream.invitation';

/** An invitation outlives a reload. @returns {Invitation | null} */
function kept() {
  const invitation = JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
  return invitation && invitation.expiresAt > Date.now() ? invitation : null;
}

class LobbyPage extends Element {
  static properties = {
    kind: { state: true },
    timeControl: { state: true },
    seeking: { state: true },
    invitation: { state: true },
    busyWith: { state: true },
    problem: { state: true },
    working: { state: true },
  };

  static styles = [
    sheet,
    choice,
    css`
      :host {
        max-width: 34rem;
        margin-inline: auto;
      }
      h1 {
        margin-block: 1rem 1.4rem;
      }
      .card {
        padding: clamp(1.1rem, 4vw, 1.8rem);
      }
      .actions {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr));
        gap: 0.7rem;
      }
      .waiting {
        display: grid;
        justify-items: center;
        gap: 1rem;
        text-align: center;
      }
      .sow {
        display: flex;
        gap: 0.7rem;
        padding: 0.9rem 1.2rem;
        border-radius: 999px;
        background: linear-gradient(178deg, #8a5733, #5d351c);
      }
      .sow i {
        width: 1.4rem;
        height: 1.4rem;
        border-radius: 50%;
        background: radial-gradient(circle at 33% 27%, #ffffffd9 0 8%, #fff0 34%), radial-gradient(circle, #e0a22e, #8a5209);
        animation: hop 1.4s ease-in-out infinite;
      }
      .sow i:nth-child(2) {
        background: radial-gradient(circle at 33% 27%, #ffffffd9 0 8%, #fff0 34%), radial-gradient(circle, #2f9e94, #0d5450);
        animation-delay: 0.15s;
      }
      .sow i:nth-child(3) {
        background: radial-gradient(circle at 33% 27%, #ffffffd9 0 8%, #fff0 34%), radial-gradient(circle, #d9583a, #83240f);
        animation-delay: 0.3s;
      }
      .sow i:nth-child(4) {
        background: radial-gradient(circle at 33% 27%, #ffffffd9 0 8%, #fff0 34%), radial-gradient(circle, #4a7fc4, #1b3f78);
        animation-delay: 0.45s;
      }
      .busy {
        border-color: var(--accent);
        background: var(--accent-soft);
      }
      p[role='alert'] {
        padding: 0.7rem 1rem;
        border-radius: 0.8rem;
        background: var(--bad-soft);
        color: var(--bad-text);
        font-weight: 600;
      }
      @keyframes hop {
        0%,
        60%,
        100% {
          translate: 0 0;
        }
        30% {
          translate: 0 -0.6rem;
        }
      }
    `,
  ];

  constructor() {
    super();
    /** @type {Kind} */
    this.kind = KINDS[0];
    /** @type {TimeControl} */
    this.timeControl = timeControlPresets(this.kind)[0];
    this.seeking = false;
    /** @type {Invitation | null} */
    this.invitation = kept();
    /** The game that is in the way. @type {string | null} */
    this.busyWith = null;
    this.problem = '';
    this.working = false;
  }

  connectedCallback() {
    super.connectedCallback();
    this.entitle(() => text().lobbyTitle);
    this.until(
      socket.on('on_welcome', (welcome) => this.#welcomed(welcome.activeGameId ?? null)),
      socket.on('on_game_start', (game) => seatOf(game, session.userId) && this.#started(game.id)),
      socket.on('on_new_game_rejected', ({ gameId }) => {
        this.#sought();
        this.busyWith = gameId;
      }),
      socket.on('on_error', (error) => {
        if (!this.seeking || error.id || error.gameId) return;
        this.#sought();
        this.problem = error.type.split('/').at(-1) ?? '';
      }),
      () => this.seeking && seeking.cancel(),
    );
    this.tick(15_000);
    if (this.invitation) void this.#begun();
  }

  /** Whether who comes here wants a friend rather than a stranger. The kind and the time are chosen first. */
  #withFriend = new URLSearchParams(location.search).has('invite');

  /** The invited may have come while nobody was here. */
  async #begun() {
    const { game } = await api.activeGame().catch(() => ({ game: null }));
    if (game && game.id === this.invitation?.id) this.#started(game.id);
  }

  /** @param {string | null} activeGame */
  #welcomed(activeGame) {
    if (activeGame && activeGame === this.invitation?.id) this.#started(activeGame);
    else if (activeGame && this.seeking) this.#started(activeGame);
  }

  /** @param {string} id */
  #started(id) {
    this.#sought();
    sessionStorage.removeItem(KEY);
    router.go(`/play/${id}`, { replace: true });
  }

  /** The service seeks no longer. */
  #sought() {
    this.seeking = false;
    seeking.over();
  }

  /** @param {() => Promise<void>} what */
  async #try(what) {
    this.problem = '';
    this.busyWith = null;
    this.working = true;
    try {
      await session.ensure();
      await what();
    } catch (error) {
      const problem = asProblem(error);
      if (problem.name === 'active-game' && problem.gameId) this.busyWith = problem.gameId;
      else this.problem = problem.name;
    } finally {
      this.working = false;
    }
  }

  #seek() {
    return this.#try(async () => {
      this.seeking = true;
      seeking.begin({ kind: this.kind, timeControl: this.timeControl });
    });
  }

  #cancel() {
    this.seeking = false;
    seeking.cancel();
  }

  #invite() {
    return this.#try(async () => {
      this.invitation = await api.invite({ kind: this.kind, timeControl: this.timeControl });
      sessionStorage.setItem(KEY, JSON.stringify(this.invitation));
    });
  }

  /** The link stays good: nobody but the service could take it back, and it does not. */
  #forgetInvitation() {
    this.invitation = null;
    sessionStorage.removeItem(KEY);
  }

  render() {
    const t = text();
    const unready = this.working || !withinBounds(this.timeControl);
    if (this.busyWith) return this.#busy(this.busyWith);
    if (this.seeking) return this.#searching();
    if (this.invitation) return this.#waiting(this.invitation);
    const find = html`<button type="button" class=${this.#withFriend ? '' : 'primary'} ?disabled=${unready} @click=${this.#seek}>${t.findOpponent}</button>`;
    const invite = html`<button type="button" class=${this.#withFriend ? 'primary' : ''} ?disabled=${unready} @click=${this.#invite}>${icons.link} ${t.invite}</button>`;
    return html`
      <h1>${t.lobbyTitle}</h1>
      <form class="card stack" @submit=${(/** @type {Event} */ event) => event.preventDefault()}>
        <fieldset>
          <legend>${t.kind}</legend>
          ${KINDS.map((kind) => this.#kindChoice(kind))}
        </fieldset>
        <fieldset>
          <legend>${t.timeControl}</legend>
          <time-control-choice
            .kind=${this.kind}
            .value=${this.timeControl}
            @choose=${(/** @type {CustomEvent<TimeControl>} */ { detail }) => (this.timeControl = detail)}
          ></time-control-choice>
        </fieldset>
        ${this.problem ? html`<p role="alert">${problemText(this.problem)}</p>` : nothing}
        <div class="actions">
          ${this.#withFriend ? [invite, find] : [find, invite]}
        </div>
      </form>
    `;
  }

  /** @param {Kind} kind */
  #kindChoice(kind) {
    const t = text();
    const choose = () => {
      this.kind = kind;
      this.timeControl = timeControlPresets(kind)[0];
    };
    return html`<label class="choice">
      <input type="radio" name="kind" .checked=${kind === this.kind} @change=${choose} />
      <b>${t.kinds[kind]}</b><small>${t.kindHints[kind]}</small>
    </label>`;
  }

  #searching() {
    const t = text();
    return html`
      <h1>${t.lobbyTitle}</h1>
      <div class="card waiting" role="status">
        <div class="sow" aria-hidden="true"><i></i><i></i><i></i><i></i></div>
        <h2>${t.searching}</h2>
        <p class="muted">${t.searchingHint}</p>
        <button type="button" @click=${this.#cancel}>${t.cancel}</button>
      </div>
    `;
  }

  /** @param {Invitation} invitation */
  #waiting(invitation) {
    const t = text();
    const left = Math.ceil((invitation.expiresAt - Date.now()) / 60_000);
    return html`
      <h1>${t.lobbyTitle}</h1>
      <div class="card waiting">
        <div class="sow" aria-hidden="true"><i></i><i></i><i></i><i></i></div>
        <h2>${t.inviteTitle}</h2>
        <p class="muted">${t.inviteHint}</p>
        <invitation-link .link=${invitation.joinUrl}>
          <button type="button" class="quiet" @click=${this.#forgetInvitation}>${t.back}</button>
        </invitation-link>
        <p class="muted">${left > 0 ? t.expiresIn(left) : t.expired}</p>
      </div>
    `;
  }

  /** @param {string} game */
  #busy(game) {
    const t = text();
    return html`
      <h1>${t.lobbyTitle}</h1>
      <div class="card waiting busy" role="alert">
        <h2>${t.gameInProgress}</h2>
        <p>${t.gameInProgressHint}</p>
        <div class="row">
          <a class="button primary" href="/play/${game}">${t.continue}</a>
          <button type="button" @click=${() => (this.busyWith = null)}>${t.cancel}</button>
        </div>
      </div>
    `;
  }
}

customElements.define('lobby-page', LobbyPage);
