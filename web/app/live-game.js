// One game as the service tells it, kept up to date through whatever happens to the connection. It decides nothing:
// a command waits here until the service has answered it, and is sent again with the same id if it may have been lost.

import { changed, diceOf, treeOf } from './changes.js';
import { Emitter } from './emitter.js';
import { api } from './net/api.js';
import { clock, serviceNow } from './net/clock.js';
import { newId } from './net/ids.js';
import { asProblem } from './net/problem.js';
import { session } from './net/session.js';
import { socket } from './net/socket.js';
import { seedFor } from './own-seeds.js';
import { stopped } from './time-controls.js';

/** @typedef {import('../types/api.d.ts').LiveGame} View */
/** @typedef {import('../types/api.d.ts').GameRecord} GameRecord */
/** @typedef {import('../types/api.d.ts').GameEnded} GameEnded */
/** @typedef {import('../types/api.d.ts').GameUpdate} GameUpdate */
/** @typedef {import('../types/api.d.ts').GameView} GameView */
/** @typedef {import('../types/api.d.ts').Seat} Seat */
/** @typedef {import('../types/api.d.ts').ClientFrames} ClientFrames */
/** @typedef {'game_move' | 'leave_game' | 'offer_draw' | 'answer_draw' | 'client_seed'} Order */
/** What is sent, and sent again: its id makes it one. @typedef {{ [C in Order]: { channel: C, payload: ClientFrames[C] } }[Order]} Command */
/** A roll that is to be played; `tree` is null as long as it is not known. @typedef {{ dfen: string, dice: readonly number[], tree: import('./games/dicechess/draft.js').Tree | null }} Offer */

const ANSWER_WITHIN_MS = 4000;
const AGAIN_MS = 1000;
/** Problems that pass. */
const PASSING = ['unavailable', 'standby', 'game-elsewhere', 'rate-limited', 'network', 'conflict'];

/** @extends {Emitter<{ change: null, refused: string }>} */
export class LiveGame extends Emitter {
  /** @type {View | null} */
  view = null;
  /** How it ended, when that was seen. @type {GameEnded | null} */
  ended = null;
  /** The finished game, when it had ended before. @type {GameRecord | null} */
  record = null;
  missing = false;
  /** Not answered yet. @type {Command | null} */
  command = null;
  /** The roll that is to be played now, in games with dice. @type {Offer | null} */
  offer = null;
  /** Our last move that was answered but is not in the log. @type {{ version: number, since: number } | null} */
  undurable = null;

  #stop = /** @type {(() => void)[]} */ ([]);
  #timers = /** @type {Set<number>} */ (new Set());

  /** @param {string} id */
  constructor(id) {
    super();
    this.id = id;
  }

  /** Whose seat is ours, if any. @returns {Seat | null} */
  get seat() {
    if (!this.view || !session.userId) return null;
    if (this.view.player1.userId === session.userId) return 'player1';
    return this.view.player2.userId === session.userId ? 'player2' : null;
  }

  /** Whose turn it is. @returns {Seat | null} */
  get turn() {
    if (!this.view?.turnPlayerId || this.ended) return null;
    return this.view.turnPlayerId === this.view.player1.userId ? 'player1' : 'player2';
  }

  get myTurn() {
    return this.seat !== null && this.turn === this.seat;
  }

  /** Follows the game from now on. */
  follow() {
    const mine = (/** @type {(frame: any) => void} */ take) => (/** @type {any} */ frame) => {
      if ((frame.gameId ?? frame.id) === this.id) take.call(this, frame);
    };
    this.#stop = [
      socket.on('ready', () => this.#watch(true)),
      socket.on('state', () => this.#changed()),
      socket.on('on_game_start', mine(this.#whole)),
      socket.on('resync', mine((frame) => this.#resync(frame.game))),
      socket.on('on_game_update', mine(this.#update)),
      socket.on('on_game_ended', mine(this.#end)),
      socket.on('on_durable', mine((frame) => this.#durable(frame.durableVersion))),
      socket.on('on_move_accepted', mine(this.#accepted)),
      socket.on('on_move_rejected', mine(this.#rejected)),
      socket.on('on_error', mine(this.#failed)),
      socket.on('on_user_connection_change', mine(({ connections }) => this.#patch({ connections }))),
      socket.on('on_spectators', mine(({ now }) => this.#patch({ spectatorCount: now }))),
    ];
    socket.open();
    this.#watch(false);
  }

  /** Follows it no longer. */
  stop() {
    socket.send('unwatch_game', { gameId: this.id });
    for (const stop of this.#stop) stop();
    for (const timer of this.#timers) clearTimeout(timer);
    this.#stop = [];
    this.#timers.clear();
  }

  /** @param {ClientFrames['game_move']['move']} move */
  play(move) {
    if (this.command || !this.view || !this.myTurn) return;
    this.#order({ channel: 'game_move', payload: { ...this.#newCommand(), position: this.view.position, move } });
  }

  leave() {
    if (!this.seat || this.ended) return;
    this.#order({ channel: 'leave_game', payload: this.#newCommand() });
  }

  /** Offers a draw with our next turn, or does not any more. @param {boolean} offer */
  offerDraw(offer) {
    if (!this.command) this.#order({ channel: 'offer_draw', payload: { ...this.#newCommand(), offer } });
  }

  /** @param {boolean} accept */
  answerDraw(accept) {
    if (!this.command) this.#order({ channel: 'answer_draw', payload: { ...this.#newCommand(), accept } });
  }

  /** Gives our share of the dice, while the first roll waits for it. */
  #giveSeed() {
    const { view, seat } = this;
    if (!seat || !view?.seedsUntil || view.fairness?.clientSeeds[seat] || this.command) return;
    this.#order({ channel: 'client_seed', payload: { ...this.#newCommand(), seed: seedFor(this.id) } });
  }

  #newCommand() {
    return { gameId: this.id, id: newId() };
  }

  /** @param {Command} command */
  #order(command) {
    this.command = command;
    this.#send();
    this.#changed();
  }

  /** Sends the waiting command, and again while it is not answered: the id makes it one. */
  #send() {
    const command = this.command;
    if (!command) return;
    socket.send(command.channel, command.payload);
    this.#later(ANSWER_WITHIN_MS, () => this.command === command && this.#send());
  }

  /** @param {boolean} again after the connection was lost, perhaps */
  #watch(again) {
    if (this.record || this.missing) return;
    const since = this.view && !this.ended ? this.view.position : undefined;
    socket.send('watch_game', since ? { gameId: this.id, since } : { gameId: this.id });
    if (again) {
      this.#send();
      if (since) void this.#askConnections();
    }
  }

  /** Frames that were missed say nothing of who is there. */
  async #askConnections() {
    const game = await api.game(this.id).catch(() => null);
    if (game?.status === 'live') this.#patch({ connections: game.connections, spectatorCount: game.spectatorCount });
  }

  /** @param {View} view */
  #whole(view) {
    // A clock that runs is told as of the answer.
    if (view.clocks?.running) clock.hear(view.clocks.running.since);
    this.view = view;
    this.ended = null;
    this.missing = false;
    this.offer = null;
    this.#renewOffer();
    this.#giveSeed();
    this.#durable(view.durableVersion);
  }

  /** @param {GameView | null | undefined} game */
  #resync(game) {
    if (!game) return this.#later(AGAIN_MS, () => this.#watch(false));
    if (game.status === 'live') return this.#whole(/** @type {View} */ (game));
    this.record = game.record;
    this.command = null;
    this.#changed();
  }

  /** @param {GameUpdate} frame */
  #update(frame) {
    const view = this.view;
    if (!view || frame.version <= view.version) return;
    // A frame is missing: ask for it.
    if (frame.version !== view.version + 1) return this.#watch(false);
    const { change } = frame;
    const at = change.type === 'moved' ? change.move.at : 'at' in change ? change.at : null;
    if (at !== null) clock.hear(at);
    // Seen is as good as answered.
    if (change.type === 'moved' && !change.forced && change.move.playerId === session.userId && this.command?.channel === 'game_move') this.command = null;
    this.view = { ...changed(view, change), version: frame.version, position: frame.position };
    this.#renewOffer();
    this.#durable(frame.durableVersion);
  }

  /** What is to be played now. A tree that is too large to be sent along is asked for. */
  #renewOffer() {
    const { view } = this;
    const dice = view && !this.ended ? diceOf(view) : null;
    if (!view || !dice) {
      this.offer = null;
      return;
    }
    const dfen = String(view.board);
    if (this.offer?.dfen === dfen) return;
    this.offer = { dfen, dice, tree: treeOf(view) };
    if (!this.offer.tree && this.myTurn) void this.#askTree(this.offer);
  }

  /** @param {Offer} offer */
  async #askTree(offer) {
    const { moves } = await api.legalMoves(this.id).catch(() => ({ moves: null }));
    if (this.offer !== offer) return;
    if (!moves) return this.#later(AGAIN_MS, () => void this.#askTree(offer));
    this.offer = { ...offer, tree: /** @type {import('./games/dicechess/draft.js').Tree} */ (moves) };
    this.#changed();
  }

  /** @param {GameEnded} frame */
  #end(frame) {
    if (!this.view || frame.version <= this.view.version) return;
    this.ended = frame;
    this.command = null;
    this.view = { ...this.view, version: frame.version, position: frame.position, board: frame.board, turnPlayerId: null };
    if (this.view.clocks) this.view.clocks = stopped(this.view.clocks, serviceNow(), frame.endReason === 'flag');
    this.offer = null;
    this.#durable(frame.durableVersion);
  }

  /** @param {import('../types/api.d.ts').CommandAccepted} frame */
  #accepted(frame) {
    if (frame.id === this.command?.payload.id) this.command = null;
    if (!frame.durable) this.undurable = { version: frame.version, since: Date.now() };
    this.#durable(frame.durableVersion);
  }

  /** @param {import('../types/api.d.ts').CommandRejected} frame */
  #rejected(frame) {
    if (frame.id !== this.command?.payload.id) return;
    this.#refuse(frame.type.split('/').at(-1) ?? '');
    if (frame.game) this.#whole(frame.game);
  }

  /** @param {string} problem */
  #refuse(problem) {
    const refused = this.command;
    this.command = null;
    // A seed that comes too late is nobody's loss.
    if (refused?.channel !== 'client_seed') this.emit('refused', problem);
    this.#changed();
  }

  /** @param {import('../types/api.d.ts').ErrorFrame} frame */
  #failed(frame) {
    const problem = frame.type.split('/').at(-1) ?? '';
    if (frame.id) {
      if (frame.id !== this.command?.payload.id) return;
      if (PASSING.includes(problem)) return this.#later(AGAIN_MS, () => this.#send());
      return this.#refuse(problem);
    }
    if (problem === 'not-found') void this.#lookUp();
    else if (PASSING.includes(problem)) this.#later(AGAIN_MS, () => this.#watch(false));
  }

  /** What cannot be watched may be finished. */
  async #lookUp() {
    try {
      this.#resync(await api.game(this.id));
    } catch (error) {
      if (asProblem(error).name !== 'not-found') return this.#later(AGAIN_MS, () => this.#watch(false));
      this.missing = true;
      this.#changed();
    }
  }

  /** @param {number} version */
  #durable(version) {
    if (this.view && version > this.view.durableVersion) this.view = { ...this.view, durableVersion: version };
    if (this.undurable && version >= this.undurable.version) this.undurable = null;
    this.#changed();
  }

  /** @param {Partial<View>} part */
  #patch(part) {
    if (!this.view) return;
    this.view = { ...this.view, ...part };
    this.#changed();
  }

  #changed() {
    this.emit('change', null);
  }

  /** @param {number} ms @param {() => void} what */
  #later(ms, what) {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      what();
    }, ms);
    this.#timers.add(timer);
  }
}
