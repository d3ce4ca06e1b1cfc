// The one socket of a page. It says who it is, comes back by itself after whatever broke it, and asks again for what
// its page wants; the games that it watches say from where on.

import { Emitter } from '../emitter.js';
import { session } from './session.js';

/** @typedef {import('../../types/api.d.ts').ServerFrames} ServerFrames */
/** @typedef {import('../../types/api.d.ts').ClientFrames} ClientFrames */
/** @typedef {'connecting' | 'open' | 'lost' | 'replaced'} State */

const PING_EVERY_MS = 15_000;
const PONG_WITHIN_MS = 6_000;
const RETRY_MS = [100, 300, 700, 1500, 3000, 5000];
const CLOSE = { replaced: 4001, unauthenticated: 4003, rate: 4004 };

/** @extends {Emitter<ServerFrames & { state: State, ready: null }>} */
class Socket extends Emitter {
  /** @type {State} */
  state = 'connecting';
  /** @type {import('../../types/api.d.ts').Welcome | null} */
  welcome = null;
  #wanted = false;
  /** @type {WebSocket | null} */
  #socket = null;
  #attempts = 0;
  #retry = 0;
  #pinging = 0;
  #pong = 0;
  #user = session.userId;

  constructor() {
    super();
    session.on('change', () => {
      if (session.userId !== this.#user) this.#restart();
    });
    // After a sleep or a lost network the socket may look open for minutes.
    addEventListener('online', () => this.#check());
    addEventListener('offline', () => this.#check());
    addEventListener('pageshow', () => this.#check());
    document.addEventListener('visibilitychange', () => this.#check());
  }

  /** Opens it, if it is not. */
  open() {
    this.#wanted = true;
    if (!this.#socket && !this.#retry) void this.#connect();
  }

  /** Takes the seat back from a newer socket. */
  takeBack() {
    if (this.state === 'replaced') void this.#connect();
  }

  /** Whether frames reach the service now. */
  get isOpen() {
    return this.state === 'open';
  }

  /**
   * Sends a frame, if the socket is open: what must not be lost is sent again by its owner on `ready`.
   * @template {keyof ClientFrames} Channel
   * @param {Channel} channel
   * @param {ClientFrames[Channel]} [payload]
   */
  send(channel, payload) {
    if (this.isOpen) this.#raw(channel, payload);
  }

  /** @param {string} channel @param {unknown} [payload] */
  #raw(channel, payload) {
    if (this.#socket?.readyState === WebSocket.OPEN) {
      this.#socket.send(JSON.stringify(payload == null ? { channel } : { channel, payload }));
    }
  }

  async #connect() {
    clearTimeout(this.#retry);
    this.#retry = 0;
    this.#user = session.userId;
    const token = await session.token();
    if (this.#socket) return;
    const url = new URL('/ws', location.href);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(url, 'turnstream.v1');
    this.#socket = socket;
    socket.addEventListener('open', () => {
      if (token) {
        this.#raw('authenticate', { token });
      } else {
        // The service waits for a first frame to learn who this is. This one asks for nothing, and says nobody.
        this.#raw('unsubscribe_live_games');
      }
    });
    socket.addEventListener('message', (message) => this.#take(JSON.parse(message.data)));
    socket.addEventListener('close', (event) => {
      if (this.#socket === socket) this.#closed(event.code, token);
    });
    // A network that swallows packets answers neither way.
    this.#expectAnswer();
  }

  /** @param {{ channel: string, payload?: any }} frame */
  #take({ channel, payload }) {
    clearTimeout(this.#pong);
    if (channel === 'on_welcome') {
      this.welcome = payload;
      if (payload.token) session.renew(payload.token);
      this.#attempts = 0;
      clearInterval(this.#pinging);
      this.#pinging = setInterval(() => this.#check(), PING_EVERY_MS);
      this.#become('open');
      this.emit('on_welcome', payload);
      this.emit('ready', null);
      return;
    }
    this.emit(/** @type {any} */ (channel), payload);
  }

  /** @param {number} code @param {string | null} token */
  #closed(code, token) {
    clearTimeout(this.#pong);
    clearInterval(this.#pinging);
    this.#socket = null;
    if (code === CLOSE.replaced) return this.#become('replaced');
    if (code === CLOSE.unauthenticated && token) session.forget(token);
    this.#become('lost');
    const step = Math.min(this.#attempts++, RETRY_MS.length - 1);
    const wait = RETRY_MS[step] * (0.75 + Math.random() / 2) + (code === CLOSE.rate ? 5000 : 0);
    clearTimeout(this.#retry);
    if (this.#wanted) this.#retry = setTimeout(() => void this.#connect(), wait);
  }

  /** Makes sure that the socket is alive, or finds out that it is not. */
  #check() {
    if (!this.#wanted || this.state === 'replaced') return;
    if (!this.#socket) {
      if (document.visibilityState === 'visible') void this.#connect();
    } else if (this.state === 'open') {
      this.#raw('ping');
      this.#expectAnswer();
    }
  }

  #expectAnswer() {
    clearTimeout(this.#pong);
    const waitedFor = this.#socket;
    this.#pong = setTimeout(() => {
      if (this.#socket === waitedFor && waitedFor) this.#abandon(waitedFor);
    }, PONG_WITHIN_MS);
  }

  /** Gives up a socket that says nothing: its own closing could take minutes. @param {WebSocket} socket */
  #abandon(socket) {
    this.#socket = null;
    socket.close();
    this.#closed(0, null);
  }

  /** As somebody else. */
  #restart() {
    const socket = this.#socket;
    this.#socket = null;
    clearTimeout(this.#retry);
    clearTimeout(this.#pong);
    clearInterval(this.#pinging);
    socket?.close(1000);
    this.welcome = null;
    this.#become('connecting');
    if (this.#wanted) void this.#connect();
  }

  /** @param {State} state */
  #become(state) {
    if (state === this.state) return;
    this.state = state;
    this.emit('state', state);
  }
}

export const socket = new Socket();
