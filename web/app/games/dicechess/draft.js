// A turn that is not sent yet: a way down the tree of legal turns, which can be taken back step by step.

import { write } from './dfen.js';
import { after, diceFor, partsOf } from './play.js';

/** @typedef {import('./dfen.js').Position} Position */
/** The tree of legal turns: a micro-move and what may follow it. @typedef {{ [move: string]: Tree }} Tree */

export class Draft {
  /** @param {Position} position with the dice @param {Tree} tree */
  constructor(position, tree) {
    this.positions = [position];
    this.tree = tree;
    /** @type {string[]} */
    this.moves = [];
    this.#nodes = [tree];
  }

  /** @type {Tree[]} */
  #nodes;

  /** What is on the board. */
  get position() {
    return this.positions[this.positions.length - 1];
  }

  /** Whether it is a draft for this roll. @param {string} dfen */
  isFor(dfen) {
    return write(this.positions[0]) === dfen;
  }

  /** What may follow. */
  get offers() {
    return Object.keys(this.#nodes[this.#nodes.length - 1]);
  }

  /** Whether it is a whole turn; a roll that allows nothing has none. */
  get isComplete() {
    return this.moves.length > 0 && this.offers.length === 0;
  }

  /** Whether the roll allows nothing at all. */
  get isPass() {
    return Object.keys(this.tree).length === 0;
  }

  /** The squares from which something may move. */
  get sources() {
    return [...new Set(this.offers.map((move) => partsOf(move).from))];
  }

  /** The squares to which the piece on `from` may move. @param {string} from */
  targets(from) {
    return [...new Set(this.offers.filter((move) => move.startsWith(from)).map((move) => partsOf(move).to))];
  }

  /** The micro-moves from one square to another: more than one where a pawn is promoted. @param {string} from @param {string} to */
  between(from, to) {
    return this.offers.filter((move) => move.startsWith(from + to));
  }

  /** @param {string} move one of the offers */
  play(move) {
    const node = this.#nodes[this.#nodes.length - 1];
    if (!Object.hasOwn(node, move)) throw new Error(`${move} is not offered`);
    this.positions.push(after(this.position, move));
    this.moves.push(move);
    this.#nodes.push(node[move]);
  }

  /** Takes the last micro-move back. */
  undo() {
    if (this.moves.length === 0) return;
    this.positions.pop();
    this.moves.pop();
    this.#nodes.pop();
  }

  /** The dice that each micro-move has spent, in order. */
  get spent() {
    return this.moves.map((move, index) => diceFor(this.positions[index], move));
  }
}

/**
 * Which of the dice are spent, of dice that are shown in the order in which they were thrown.
 * @param {readonly string[]} dice as letters of pieces
 * @param {readonly string[]} spent by each micro-move
 */
export function spentOf(dice, spent) {
  const marks = dice.map(() => false);
  for (const die of spent.join('')) {
    const index = dice.findIndex((face, at) => face === die && !marks[at]);
    if (index >= 0) marks[index] = true;
  }
  return marks;
}
