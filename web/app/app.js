// The frame around every page: the header, what the connection is like, the page itself, the footer.

import { css, html, nothing } from 'lit';
import { Element } from './element.js';
import { i18n, languages, problemText, text } from './i18n.js';
import { lazily } from './lazily.js';
import './parts/avatar.js';
import { icons } from './parts/icons.js';
import { config } from './net/config.js';
import { oidc } from './net/oidc.js';
import { ownGame } from './net/own-game.js';
import { asProblem } from './net/problem.js';
import { session } from './net/session.js';
import { socket } from './net/socket.js';
import { router } from './router.js';
import { sheet } from './sheet.js';
import { nextTheme, theme } from './theme.js';

/** @typedef {import('./net/config.js').ClientConfig} ClientConfig */

/** A page is loaded when it is first shown. @type {Record<string, () => Promise<unknown>>} */
const PAGES = {
  home: () => import('./pages/home.js'),
  new: () => import('./pages/lobby.js'),
  history: () => import('./pages/history.js'),
  play: () => import('./pages/game.js'),
  replay: () => import('./pages/replay.js'),
  join: () => import('./pages/join.js'),
  missing: () => import('./pages/missing.js'),
};
/** Whoever plays nothing needs no notice of it. */
const loadNotice = lazily(() => import('./parts/own-game-notice.js'));
/** A connection that is lost for less is not worth a word. */
const LOST_FOR_MS = 800;

class App extends Element {
  static properties = { config: { state: true }, lost: { state: true }, broken: { state: true }, signing: { state: true } };

  static styles = [
    sheet,
    css`
      :host {
        display: grid;
        grid-template: auto auto auto 1fr auto / minmax(0, 1fr);
        min-height: 100dvh;
      }
      .frame {
        width: min(var(--widest, 72rem), 100% - 2 * var(--gutter));
        margin-inline: auto;
        --gutter: clamp(0.9rem, 3vw, 2rem);
      }
      /* A board of a hundred by forty-four grows as long as its players and what can be done fit above and below it. */
      :host([table]) {
        --widest: max(72rem, 227dvh - 44rem);
      }
      .skip {
        position: absolute;
        left: 1rem;
        top: -4rem;
        z-index: 10;
      }
      .skip:focus {
        top: 0.6rem;
      }
      header {
        display: flex;
        align-items: center;
        gap: 0.3rem;
        padding-block: 0.8rem;
      }
      .brand {
        display: flex;
        align-items: center;
        gap: 0.55rem;
        margin-right: auto;
        padding: 0.25rem 0;
        color: inherit;
        font-weight: 800;
        font-size: 1.15rem;
        letter-spacing: -0.02em;
        text-decoration: none;
      }
      .brand img {
        width: 1.9rem;
        height: 1.9rem;
      }
      .me {
        display: flex;
        align-items: center;
        gap: 0.5rem;
        max-width: 13rem;
        margin-right: 0.4rem;
        font-weight: 600;
        --avatar: 1.8rem;
      }
      .me span {
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      header button {
        min-width: 2.75rem;
        padding-inline: 0.7rem;
      }
      .status {
        position: sticky;
        top: 0.5rem;
        z-index: 9;
      }
      .status p {
        display: flex;
        align-items: center;
        justify-content: center;
        gap: 0.8rem;
        flex-wrap: wrap;
        margin-bottom: 0.8rem;
        padding: 0.5rem 1rem;
        border-radius: var(--radius);
        background: var(--warn-soft);
        color: var(--warn-text);
        font-weight: 600;
      }
      .failed {
        grid-row: 3;
        margin-bottom: 0.8rem;
        padding: 0.7rem 1rem;
        border-radius: 0.8rem;
        background: var(--bad-soft);
        color: var(--bad-text);
        font-weight: 600;
      }
      .spin {
        width: 1em;
        height: 1em;
        border: 2px solid currentColor;
        border-right-color: transparent;
        border-radius: 50%;
        animation: turn 0.8s linear infinite;
      }
      main {
        grid-row: 4;
        padding-block: 0.6rem 3rem;
        outline: none;
      }
      footer {
        grid-row: 5;
        display: flex;
        flex-wrap: wrap;
        gap: 0.3rem 1.2rem;
        padding-block: 1.1rem 1.6rem;
        border-top: 1px solid var(--line);
        color: var(--muted);
        font-size: 0.84rem;
      }
      footer a {
        color: inherit;
      }
      @keyframes turn {
        to {
          rotate: 1turn;
        }
      }
      @media (max-width: 34rem) {
        .me span {
          display: none;
        }
      }
      @media (max-width: 24rem) {
        .brand span {
          display: none;
        }
        header button {
          padding-inline: 0.6rem;
        }
      }
    `,
  ];

  constructor() {
    super();
    /** @type {ClientConfig | null} */
    this.config = null;
    this.lost = false;
    /** Whether a page could not be loaded. */
    this.broken = false;
    /** What failed about signing in or out: a problem's name. */
    this.signing = oidc.problem;
  }

  willUpdate() {
    this.toggleAttribute('table', router.route.page === 'play' || router.route.page === 'replay');
  }

  connectedCallback() {
    super.connectedCallback();
    this.until(
      router.on('change', () => this.#arrive()),
      session.on('change', () => this.requestUpdate()),
      ownGame.on('change', (game) => game && loadNotice()),
      socket.on('state', () => this.#connection()),
    );
    const takeBack = () => socket.takeBack();
    addEventListener('focus', takeBack);
    this.until(() => removeEventListener('focus', takeBack));
    config().then(
      (config) => (this.config = config),
      () => {},
    );
    socket.open();
    // The window was loaded again while it looked for an opponent: it does so no longer.
    if (sessionStorage.getItem('turnstream.seek')) void import('./net/seeking.js').catch(() => {});
  }

  #timer = 0;

  #connection() {
    clearTimeout(this.#timer);
    if (socket.state === 'open') this.lost = false;
    else this.#timer = setTimeout(() => (this.lost = true), LOST_FOR_MS);
    this.requestUpdate();
  }

  /** On another page: whoever reads aloud begins there. */
  async #arrive() {
    this.broken = false;
    this.signing = '';
    this.requestUpdate();
    await this.updateComplete;
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector('main'))?.focus({ preventScroll: true });
  }

  #nextLanguage() {
    const next = languages[(languages.indexOf(i18n.language) + 1) % languages.length];
    // One that does not come now may come at the next click.
    i18n.choose(next).catch(() => {});
  }

  #page() {
    const { route } = router;
    const told = (/** @type {boolean} */ broken) => void (router.route === route && (this.broken = broken));
    PAGES[route.page]?.().then(
      () => told(false),
      () => told(true),
    );
    if (this.broken) {
      return html`<p role="alert">${text().problems.network}</p>
        <button type="button" @click=${() => location.reload()}>${text().again}</button>`;
    }
    switch (route.page) {
      case 'home':
        return html`<home-page></home-page>`;
      case 'new':
        return html`<lobby-page></lobby-page>`;
      case 'history':
        return html`<history-page></history-page>`;
      case 'play':
        return html`<game-page .id=${route.id}></game-page>`;
      case 'replay':
        return html`<replay-page .id=${route.id}></replay-page>`;
      case 'join':
        return html`<join-page .id=${route.id}></join-page>`;
      case 'missing':
        return html`<missing-page></missing-page>`;
    }
  }

  render() {
    const t = text();
    return html`
      <a class="skip button primary" href="#main" @click=${this.#skip}>${t.skip}</a>
      <header class="frame">
        <a class="brand" href="/" aria-label="turnstream: ${t.home}"><img src="/web/app/icon.svg" alt="" width="30" height="30" /> <span>turnstream</span></a>
        ${this.#me()}
        <button type="button" class="quiet" @click=${this.#nextLanguage}>
          <span aria-hidden="true">${i18n.language.toUpperCase()}</span><span class="hidden-text">${t.languageLabel}: ${t.language}</span>
        </button>
        <button
          type="button"
          class="quiet"
          aria-label="${t.theme}: ${t.themes[theme()]}"
          title=${t.themes[theme()]}
          @click=${() => {
            nextTheme();
            this.requestUpdate();
          }}
        >
          ${{ auto: icons.auto, light: icons.sun, dark: icons.moon }[theme()]}
        </button>
      </header>
      <div class="frame status" role="status">${this.#status()}</div>
      ${this.signing ? html`<p class="frame failed" role="alert">${problemText(this.signing)}</p>` : nothing}
      <main id="main" class="frame" tabindex="-1">${this.#page()}</main>
      ${this.#footer()}
    `;
  }

  /** @param {Event} event */
  #skip(event) {
    event.preventDefault();
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector('main'))?.focus();
  }

  #me() {
    const t = text();
    const me = session.userId
      ? html`<span class="me" title=${session.name ?? t.someone}>
          <player-avatar .player=${{ userId: session.userId, name: session.name, isGuest: session.isGuest }}></player-avatar>
          <span>${session.name ?? t.someone}</span>
        </span>`
      : nothing;
    if (!this.config?.signIn) return me;
    return session.isGuest
      ? html`${me}<button type="button" @click=${() => this.#sign(oidc.signIn())}>${t.signIn}</button>`
      : html`${me}<button type="button" class="quiet" @click=${() => this.#sign(oidc.signOut())}>${t.signOut}</button>`;
  }

  /** Signs in or out, and says so if that fails. @param {Promise<void>} doing */
  async #sign(doing) {
    this.signing = '';
    await doing.catch((error) => (this.signing = asProblem(error).name));
  }

  #status() {
    const t = text();
    if (socket.state === 'replaced') {
      return html`<p>${t.replaced} <button type="button" @click=${() => socket.takeBack()}>${t.takeBack}</button></p>`;
    }
    return this.lost ? html`<p><i class="spin"></i> ${t.reconnecting}</p>` : html`<own-game-notice></own-game-notice>`;
  }

  #footer() {
    const t = text();
    return html`<footer class="frame">
      ${this.config ? html`<span>${t.poweredBy(this.config.version)}</span>` : nothing}
      <span>${t.interfaces}: <a href="/openapi.json">HTTP</a>, <a href="/asyncapi.json">WebSocket</a></span>
    </footer>`;
  }
}

customElements.define('turnstream-app', App);
