// A finished game, move by move. It begins at its end, or where ?move= says.

import { css, html, nothing } from 'lit';
import { Element } from '../element.js';
import { date, problemText, text } from '../i18n.js';
import { kindOf, otherSeat } from '../kinds.js';
import { api } from '../net/api.js';
import { asProblem } from '../net/problem.js';
import { session } from '../net/session.js';
import { gameLayout } from '../parts/game-layout.js';
import { icons } from '../parts/icons.js';
import '../parts/move-list.js';
import { outcome, reason, scoreOf } from '../parts/outcome.js';
import { namesOf, seatOf } from '../parts/people.js';
import '../parts/player-plate.js';
import '../parts/replay-controls.js';
import { router } from '../router.js';
import { sheet } from '../sheet.js';

/** @typedef {import('../../types/api.d.ts').GameRecord} GameRecord */
/** @typedef {import('../../types/api.d.ts').Seat} Seat */

/** What `?move=` may say: a number, as people write it. */
const MOVE = /^-?\d{1,9}$/;
/** Between two moves, while it plays by itself. */
const PAUSE_MS = 700;

class ReplayPage extends Element {
  static properties = {
    id: {},
    record: { state: true },
    problem: { state: true },
    at: { state: true },
    playing: { state: true },
    speed: { state: true },
    turned: { state: true },
  };

  static styles = [
    sheet,
    gameLayout,
    css`
      .either {
        display: grid;
        overflow-wrap: anywhere;
      }
      .either > * {
        grid-area: 1 / 1;
      }
      .away {
        visibility: hidden;
      }
    `,
  ];

  constructor() {
    super();
    this.id = '';
    /** @type {GameRecord | null} */
    this.record = null;
    this.problem = '';
    this.at = 0;
    this.playing = false;
    this.speed = 1;
    this.turned = false;
  }

  #timer = 0;

  connectedCallback() {
    super.connectedCallback();
    const keys = (/** @type {KeyboardEvent} */ event) => this.#key(event);
    addEventListener('keydown', keys);
    this.until(
      () => removeEventListener('keydown', keys),
      () => clearTimeout(this.#timer),
    );
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('id') && this.id) void this.#load();
  }

  async #load() {
    this.record = null;
    this.problem = '';
    try {
      const game = await api.game(this.id);
      if (game.status === 'live') return router.go(`/play/${this.id}`, { replace: true });
      this.#show(game.record);
    } catch (error) {
      this.problem = asProblem(error).name;
    }
  }

  /** @param {GameRecord} record */
  #show(record) {
    this.record = record;
    const asked = new URLSearchParams(location.search).get('move');
    const last = record.moves.length;
    this.at = MOVE.test(asked ?? '') ? Math.min(Math.max(Number(asked), 0), last) : last;
    // An address that says something else is put right.
    if (asked !== null && asked !== String(this.at)) this.#go(this.at);
    this.entitle(() => `${text().replayTitle}: ${namesOf(record).player1} – ${namesOf(record).player2}`);
  }

  get #last() {
    return this.record?.moves.length ?? 0;
  }

  /** @param {number} at */
  #go(at) {
    this.at = Math.min(Math.max(at, 0), this.#last);
    history.replaceState(null, '', `?move=${this.at}`);
  }

  /** By hand, which stops what plays by itself. @param {number} at */
  #step(at) {
    this.#pause();
    this.#go(at);
  }

  #pause() {
    this.playing = false;
    clearTimeout(this.#timer);
  }

  #toggle() {
    if (this.#last === 0) return;
    if (this.playing) return this.#pause();
    this.playing = true;
    if (this.at >= this.#last) {
      this.#go(0);
      this.#soon();
    } else {
      this.#go(this.at + 1);
      if (this.#calm) this.#soon();
    }
  }

  #fromStart() {
    this.#pause();
    this.#go(0);
    this.playing = true;
    this.#soon();
    // Whoever started it with a key stops it with the same.
    const controls = this.renderRoot.querySelector('replay-controls');
    /** @type {import('../parts/replay-controls.js').ReplayControls | null} */ (controls)?.focusToggle();
  }

  /** Without motion the board is at rest at once, and says so only once. */
  get #calm() {
    return matchMedia('(prefers-reduced-motion: reduce)').matches;
  }

  /** The board has shown the move: after a pause comes the next. */
  #soon() {
    clearTimeout(this.#timer);
    if (!this.playing) return;
    this.#timer = setTimeout(() => {
      if (this.at < this.#last) this.#go(this.at + 1);
      if (this.at >= this.#last) this.playing = false;
    }, PAUSE_MS / this.speed);
  }

  #rested = () => this.#soon();

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || !this.record) return;
    const target = /** @type {Element} */ (event.composedPath()[0]);
    if (target instanceof HTMLInputElement && event.key.startsWith('Arrow')) return;
    if (event.key === 'ArrowLeft') this.#step(this.at - 1);
    else if (event.key === 'ArrowRight') this.#step(this.at + 1);
    else if (event.key === 'Home') this.#step(0);
    else if (event.key === 'End') this.#step(this.#last);
    // Space presses what has the focus, if it can be pressed.
    else if (event.key === ' ' && !target.closest('button, a, summary')) this.#toggle();
    else return;
    event.preventDefault();
  }

  render() {
    const t = text();
    if (this.problem) {
      const missing = this.problem === 'not-found';
      return html`<div class="state">
        <h1>${missing ? t.noGame : problemText(this.problem)}</h1>
        ${missing ? html`<p class="muted">${t.noGameHint}</p>` : html`<button type="button" @click=${this.#load}>${t.more}</button>`}
        <a class="button" href="/">${t.backHome}</a>
      </div>`;
    }
    return this.record ? this.#table(this.record) : html`<p class="state muted">${t.loading}</p>`;
  }

  /** @param {GameRecord} record */
  #table(record) {
    const t = text();
    const names = namesOf(record);
    const own = seatOf(record, session.userId) ?? 'player1';
    const below = this.turned ? otherSeat(own) : own;
    const kind = kindOf(record.kind);
    // Beside a high board there is room for what belongs below a low one.
    const head = this.#head(record);
    return html`
      <div class="game ${kind.tall ? 'tall' : ''}">
        <div class="table">
          ${kind.tall ? nothing : head}
          ${this.#plate(record, otherSeat(below))}
          ${kind.table({ moves: record.moves, at: this.at, seat: below, names, speed: this.speed, rest: this.#rested })}
          ${this.#plate(record, below)} ${kind.tall ? nothing : this.#controls()}
        </div>
        <div class="side">
          ${kind.tall ? html`${head} ${this.#controls()}` : nothing}
          <section class="card" aria-labelledby="moves">
            <h2 id="moves">${t.moveList}</h2>
            <move-list .kind=${record.kind} .moves=${record.moves} .at=${this.at} .names=${names} @jump=${(/** @type {CustomEvent<number>} */ event) => this.#step(event.detail)}></move-list>
          </section>
          ${kind.after(record)}
          <p class="muted" role="status" aria-live="polite">${this.at > 0 ? kind.inWords(record.moves, this.at - 1, names) : t.start}</p>
          <div class="row">
            ${record.peakSpectators > 0 ? html`<span class="pill">${icons.eye} ${t.watched(record.peakSpectators)}</span>` : nothing}
            <time class="pill" datetime=${new Date(record.endedAt).toISOString()}>${date(record.endedAt)}</time>
          </div>
          <button type="button" class="quiet" @click=${() => (this.turned = !this.turned)}>${icons.turn} ${t.flip}</button>
        </div>
      </div>
    `;
  }

  /** @param {GameRecord} record @param {Seat} seat */
  #plate(record, seat) {
    const kind = kindOf(record.kind);
    const board = kind.boardAfter(record.moves[this.at - 1]);
    return html`<player-plate
      .player=${record[seat]}
      .score=${kind.score(board, seat)}
      .own=${record[seat].userId === session.userId}
    ></player-plate>`;
  }

  /**
   * At the end the result, before it whose game this is. Both keep their room, so that nothing moves on the way.
   * @param {GameRecord} record
   */
  #head(record) {
    const t = text();
    const names = namesOf(record);
    const ended = this.at === this.#last;
    return html`<div class="card result">
      <div class="either">
        <div class=${ended ? '' : 'away'}>
          <h1>${outcome(record, session.userId)}</h1>
          <p class="muted number">${[scoreOf(record, session.userId), reason(record)].filter(Boolean).join(' · ')}</p>
        </div>
        <div class=${ended ? 'away' : ''}>
          <h1>${t.replayTitle}</h1>
          <p class="muted">${names.player1} ${t.versus} ${names.player2}</p>
        </div>
      </div>
      ${this.#last > 0 ? html`<button type="button" class="primary" @click=${this.#fromStart}>${icons.play} ${t.watchFromStart}</button>` : nothing}
    </div>`;
  }

  #controls() {
    return html`<replay-controls
      .at=${this.at}
      .last=${this.#last}
      .playing=${this.playing}
      .speed=${this.speed}
      @go=${(/** @type {CustomEvent<number>} */ { detail }) => this.#step(detail)}
      @toggle=${() => this.#toggle()}
      @speed=${(/** @type {CustomEvent<number>} */ { detail }) => (this.speed = detail)}
    ></replay-controls>`;
  }
}

customElements.define('replay-page', ReplayPage);
