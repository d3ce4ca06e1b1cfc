// A live game: played, or watched. It goes on while an earlier move is looked at.

import { css, html, nothing } from 'lit';
import { Element } from '../element.js';
import { countdown, problemText, text, timeControlText } from '../i18n.js';
import { kindOf, otherSeat } from '../kinds.js';
import { LiveGame } from '../live-game.js';
import { serviceNow } from '../net/clock.js';
import { session } from '../net/session.js';
import { gameLayout } from '../parts/game-layout.js';
import { icons } from '../parts/icons.js';
import '../parts/move-list.js';
import { outcome, reason, scoreOf } from '../parts/outcome.js';
import { namesOf } from '../parts/people.js';
import { LOW_MS } from '../parts/player-clock.js';
import '../parts/player-plate.js';
import { router } from '../router.js';
import { sheet } from '../sheet.js';
import { leftOf } from '../time-controls.js';

/** @typedef {import('../../types/api.d.ts').LiveGame} View */
/** @typedef {import('../../types/api.d.ts').Seat} Seat */

/** What lasts less is not worth a word. */
const HINT_AFTER_MS = 1500;
/** When who hears the game is told how little time is left, most first. */
const ALARMS_MS = [60_000, 20_000, 10_000];

class GamePage extends Element {
  static properties = { id: {}, reviewed: { state: true }, refused: { state: true }, turned: { state: true } };

  static styles = [
    sheet,
    gameLayout,
    css`
      .facts {
        display: flex;
        flex-wrap: wrap;
        gap: 0.5rem;
      }
      dialog {
        width: min(26rem, calc(100vw - 2rem));
        padding: 1.6rem;
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--raised);
        color: inherit;
        box-shadow: 0 20px 60px -20px #000a;
      }
      dialog::backdrop {
        background: #120a05a6;
      }
      dialog h2 {
        margin-bottom: 0.5rem;
      }
      dialog .row {
        justify-content: flex-end;
        margin-top: 1.4rem;
      }
    `,
  ];

  constructor() {
    super();
    this.id = '';
    /** The move that is looked at instead of the last one. @type {number | null} */
    this.reviewed = null;
    /** Why a move was refused. */
    this.refused = '';
    this.turned = false;
  }

  /** @type {LiveGame | null} */
  #game = null;
  #sentAt = 0;

  connectedCallback() {
    super.connectedCallback();
    const keys = (/** @type {KeyboardEvent} */ event) => this.#key(event);
    addEventListener('keydown', keys);
    this.until(() => removeEventListener('keydown', keys));
    this.until(session.on('change', () => this.requestUpdate()));
    this.tick(500);
    this.entitle(() => this.#title);
    if (this.id) this.#follow();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#game?.stop();
    this.#game = null;
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('id') && this.isConnected && this.#game?.id !== this.id) this.#follow();
  }

  #follow() {
    this.#game?.stop();
    this.reviewed = null;
    this.refused = '';
    const game = new LiveGame(this.id);
    this.#game = game;
    game.on('change', () => this.#changed(game));
    game.on('refused', (problem) => (this.refused = problem));
    game.follow();
  }

  /** @param {LiveGame} game */
  #changed(game) {
    // What had ended before is looked at as a replay.
    if (game.record && !game.ended && this.isConnected && game === this.#game) return router.go(`/replay/${game.id}`, { replace: true });
    if (game.ended) this.#dialog?.close();
    if (game.view) document.title = `${this.#title} · turnstream`;
    this.requestUpdate();
  }

  get #title() {
    const view = this.#game?.view;
    if (!view) return '';
    const names = namesOf(view);
    return `${this.#game?.myTurn ? `● ${text().yourTurn} · ` : ''}${names.player1} – ${names.player2}`;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || this.renderRoot.querySelector('dialog[open]')) return;
    if (event.key === 'ArrowLeft') this.#review((this.reviewed ?? this.#moves.length) - 1);
    else if (event.key === 'ArrowRight' && this.reviewed !== null) this.#review(this.reviewed + 1);
    else if (event.key === 'Escape') this.reviewed = null;
    else return;
    event.preventDefault();
  }

  get #moves() {
    return this.#game?.view?.history ?? [];
  }

  /** @param {number} at */
  #review(at) {
    const move = Math.max(0, at);
    // Before the first move there is nothing else to look at.
    this.reviewed = move >= this.#moves.length ? null : move;
  }

  /** The button goes away with the banner that it is in; who used it finds themselves at the move they came back to. */
  async #backToLive() {
    this.reviewed = null;
    await this.updateComplete;
    const list = /** @type {import('../parts/move-list.js').MoveList | null} */ (this.renderRoot.querySelector('move-list'));
    await list?.updateComplete;
    list?.focus({ preventScroll: true });
  }

  #play = (/** @type {any} */ move) => {
    this.refused = '';
    this.#sentAt = Date.now();
    this.#game?.play(move);
  };

  get #dialog() {
    return /** @type {HTMLDialogElement | null} */ (this.renderRoot.querySelector('dialog'));
  }

  #leave() {
    this.#dialog?.close();
    this.#game?.leave();
  }

  render() {
    const game = this.#game;
    if (game?.missing) return this.#noGame();
    if (!game?.view) return html`<p class="state muted">${text().loading}</p>`;
    return this.#table(game, game.view);
  }

  #noGame() {
    const t = text();
    return html`<div class="state">
      <h1>${t.noGame}</h1>
      <p class="muted">${t.noGameHint}</p>
      <a class="button" href="/">${t.backHome}</a>
    </div>`;
  }

  /** @param {LiveGame} game @param {View} view */
  #table(game, view) {
    const t = text();
    const own = game.seat;
    const below = own ?? (this.turned ? 'player2' : 'player1');
    const names = namesOf(view);
    const at = this.reviewed ?? view.history.length;
    const reviewing = this.reviewed !== null;
    const hurry = this.#left(game, view) < LOW_MS;
    const kind = kindOf(view.kind);
    return html`
      <h1 class="hidden-text">${names.player1} ${t.versus} ${names.player2}</h1>
      <div class="game ${kind.tall ? 'tall' : ''}">
        <div class="table">
          ${game.ended ? this.#result(game, view) : nothing} ${this.#plate(game, view, otherSeat(below))}
          ${kind.table({ moves: view.history, at, seat: below, names, game, reviewing, hurry, play: this.#play })}
          ${this.#plate(game, view, below)} ${this.#notes(game, view)}
          <p class="hidden-text" role="status" aria-live="polite">${this.#spoken(game, view)}</p>
        </div>
        <div class="side">
          <section class="card" aria-labelledby="moves">
            <h2 id="moves">${t.moveList}</h2>
            <move-list .kind=${view.kind} .moves=${view.history} .at=${at} .names=${names} @jump=${(/** @type {CustomEvent<number>} */ event) => this.#review(event.detail)}></move-list>
          </section>
          <div class="facts">
            <span class="pill">${icons.eye} <span class="number">${t.watching(view.spectatorCount)}</span></span>
            <span class="pill number">${icons.clock} ${timeControlText(view.timeControl)}</span>
            ${own ? nothing : html`<span class="pill">${t.spectating}</span>`}
          </div>
          ${kind.choices(game)}
          ${own && !game.ended
            ? html`<button type="button" class="quiet" @click=${() => this.#dialog?.showModal()}>${icons.door} ${kind.resigns ? t.resign : t.leave}</button>`
            : nothing}
          ${own ? nothing : html`<button type="button" class="quiet" @click=${() => (this.turned = !this.turned)}>${icons.turn} ${t.flip}</button>`}
        </div>
      </div>
      <dialog aria-labelledby="leave">
        <h2 id="leave">${kind.resigns ? t.resignTitle : t.leaveTitle}</h2>
        <p>${t.leaveText}</p>
        <div class="row">
          <button type="button" @click=${() => this.#dialog?.close()}>${t.stay}</button>
          <button type="button" class="danger" @click=${this.#leave}>${kind.resigns ? t.resign : t.leave}</button>
        </div>
      </dialog>
    `;
  }

  /** @param {LiveGame} game @param {View} view @param {Seat} seat */
  #plate(game, view, seat) {
    const at = this.reviewed ?? view.history.length;
    const kind = kindOf(view.kind);
    const board = kind.boardAfter(view.history[at - 1]);
    return html`<player-plate
      .player=${view[seat]}
      .score=${kind.score(board, seat)}
      .turn=${game.turn === seat}
      .own=${game.seat === seat}
      .connected=${game.ended ? null : (view.connections?.[seat].connected ?? null)}
      .clocks=${view.clocks ?? null}
      .seat=${seat}
    ></player-plate>`;
  }

  /** How long we can still think, in milliseconds. @param {LiveGame} game @param {View} view */
  #left(game, view) {
    return view.clocks && game.seat && !game.ended ? leftOf(view.clocks, game.seat, serviceNow()) : Infinity;
  }

  /** What there is to say below the board. @param {LiveGame} game @param {View} view */
  #notes(game, view) {
    const t = text();
    const now = Date.now();
    const slow = game.command && now - this.#sentAt > HINT_AFTER_MS;
    const undurable = game.undurable && now - game.undurable.since > HINT_AFTER_MS;
    return html`
      ${this.reviewed !== null ? this.#reviewing(game, view) : kindOf(view.kind).tells ? nothing : this.#turn(game, view)} ${this.#absence(game, view)}
      ${slow ? html`<p class="note">${t.sending}</p>` : nothing} ${undurable ? html`<p class="note warn" role="status">${t.notDurable}</p>` : nothing}
      ${this.refused ? html`<p class="note warn" role="alert">${problemText(this.refused)}</p>` : nothing}
    `;
  }

  /** @param {LiveGame} game @param {View} view */
  #turn(game, view) {
    const t = text();
    if (!game.turn) return nothing;
    return game.myTurn
      ? html`<p class="note act">${t.yourTurn}</p>`
      : html`<p class="note muted">${game.seat ? t.waitingFor(namesOf(view)[game.turn]) : t.turnOf(namesOf(view)[game.turn])}</p>`;
  }

  /** @param {LiveGame} game @param {View} view */
  #reviewing(game, view) {
    const t = text();
    return html`<p class="note ${game.myTurn ? 'act' : ''}">
      <span class="number">${t.reviewing(this.reviewed ?? 0, view.history.length)}</span>
      ${game.myTurn ? html`<strong>${t.yourTurn}</strong>` : nothing}
      <button type="button" @click=${this.#backToLive}>${t.backToLive}</button>
    </p>`;
  }

  /** Who is away, and what follows if they stay away. @param {LiveGame} game @param {View} view */
  #absence(game, view) {
    const t = text();
    if (game.ended || !view.connections) return nothing;
    const names = namesOf(view);
    return /** @type {Seat[]} */ (['player1', 'player2']).map((seat) => {
      const { connected, forfeitAt } = view.connections?.[seat] ?? { connected: true };
      if (connected || seat === game.seat) return nothing;
      const time = forfeitAt ? countdown(forfeitAt - serviceNow()) : null;
      return html`<p class="note warn">
        <span>${t.offlineFor(names[seat])}</span>
        ${time ? html`<span class="number" role="timer">${t.forfeitIn(names[seat], time)}</span>` : nothing}
      </p>`;
    });
  }

  /** @param {LiveGame} game @param {View} view */
  #result(game, view) {
    const t = text();
    const ended = game.ended;
    if (!ended) return nothing;
    const summary = { ...view, ...ended.game };
    return html`<div class="card result" role="status">
      <div>
        <h1>${outcome(summary, session.userId)}</h1>
        <p class="muted number">${[scoreOf(summary, session.userId), reason(summary)].filter(Boolean).join(' · ')}</p>
      </div>
      <div class="row">
        <a class="button primary" href="/replay/${game.id}">${t.watchReplay}</a>
        ${game.seat ? html`<a class="button" href="/new">${t.playAgain}</a>` : nothing}
      </div>
    </div>`;
  }

  /** The last move, for who hears the game. @param {LiveGame} game @param {View} view */
  #spoken(game, view) {
    const last = view.history.length - 1;
    const left = this.#left(game, view);
    const hurry = ALARMS_MS.findLast((alarm) => left < alarm);
    const turn = [game.myTurn ? text().yourTurn : '', hurry && left > 0 ? text().timeLeft(countdown(hurry)) : ''].filter(Boolean).join('. ');
    return last >= 0 ? `${kindOf(view.kind).inWords(view.history, last, namesOf(view))}. ${turn}` : turn;
  }
}

customElements.define('game-page', GamePage);
