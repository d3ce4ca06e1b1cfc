// A position of dice chess as text: DFEN, which is FEN with a set of en-passant squares and, as a seventh field, the
// dice that are still to be spent. Reading is total: any text is a position or nothing.

/** @typedef {'w' | 'b'} Side */
/** A piece as DFEN writes it: `P` is White's pawn, `k` Black's king. @typedef {string} Piece */

/**
 * @typedef {object} Position
 * @property {(Piece | null)[]} squares a1, b1, … h8
 * @property {Side} side to move
 * @property {string} castling some of `KQkq`, in this order
 * @property {number[]} enPassant squares that a double step has skipped, from a1 on
 * @property {number} halfMoves micro-moves since the last capture or pawn's move
 * @property {number} fullMove from 1
 * @property {string} dice still to be spent, as small letters of pieces, by their faces
 */

export const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

/** The pieces by a die's face: 1 is a pawn. */
export const FACES = 'pnbrqk';
export const MOST_HALF_MOVES = 127;
const MOST_FULL_MOVES = 2 ** 31 - 1;
const DICE = 3;
const RIGHTS = 'KQkq';

/** The square's index, from a1 = 0. @param {string} name */
export const indexOf = (name) => name.charCodeAt(0) - 97 + 8 * (name.charCodeAt(1) - 49);

/** @param {number} index */
export const nameOf = (index) => String.fromCharCode(97 + (index % 8), 49 + Math.floor(index / 8));

/** Whose a piece is. @param {Piece} piece @returns {Side} */
export const sideOf = (piece) => (piece < 'a' ? 'w' : 'b');

/** The piece on a die's face. @param {number} face */
export const pieceOn = (face) => FACES[face - 1];

/** @param {string} text @returns {Position | null} */
export function parse(text) {
  const fields = text.split(' ');
  if (fields.length < 4 || fields.length > 7) return null;
  const [placement, side, rights, skipped, half = '0', full = '1', pool = '-'] = fields;
  const squares = placed(placement);
  const castling = listed(rights, RIGHTS);
  const enPassant = targets(skipped);
  const halfMoves = number(half, 0, MOST_HALF_MOVES);
  const fullMove = number(full, 1, MOST_FULL_MOVES);
  const dice = diceOf(pool);
  if ((side !== 'w' && side !== 'b') || !squares || castling === null || !enPassant || dice === null) return null;
  if (halfMoves === null || fullMove === null) return null;
  return { squares, side, castling, enPassant, halfMoves, fullMove, dice };
}

/** The same for a text that the service wrote. @param {string} text */
export function read(text) {
  const position = parse(text);
  if (!position) throw new Error(`no DFEN: ${text}`);
  return position;
}

/** @param {Position} position */
export function write({ squares, side, castling, enPassant, halfMoves, fullMove, dice }) {
  const ranks = [];
  for (let rank = 7; rank >= 0; rank--) {
    const line = squares.slice(8 * rank, 8 * rank + 8).map((piece) => piece ?? ' ').join('');
    ranks.push(line.replace(/ +/g, (gap) => String(gap.length)));
  }
  const fields = [ranks.join('/'), side, castling || '-', enPassant.map(nameOf).join('') || '-', halfMoves, fullMove];
  if (dice) fields.push(side === 'w' ? dice.toUpperCase() : dice);
  return fields.join(' ');
}

/** @param {string} text */
function placed(text) {
  const ranks = text.split('/').map((line) => line.replace(/[1-8]/g, (gap) => ' '.repeat(Number(gap))));
  if (ranks.length !== 8 || !ranks.every((line) => /^[pnbrqkPNBRQK ]{8}$/.test(line))) return null;
  return [...ranks.toReversed().join('')].map((piece) => (piece === ' ' ? null : piece));
}

/** Some of `all`, each at most once, in its order. @param {string} text @param {string} all */
function listed(text, all) {
  if (text === '-') return '';
  const letters = [...text];
  const good = letters.length > 0 && new Set(letters).size === letters.length && letters.every((letter) => all.includes(letter));
  return good ? [...all].filter((letter) => letters.includes(letter)).join('') : null;
}

/** @param {string} text */
function targets(text) {
  if (text === '-') return [];
  if (!/^([a-h][36])+$/.test(text)) return null;
  const squares = (text.match(/../g) ?? []).map(indexOf);
  return new Set(squares).size === squares.length ? squares.toSorted((a, b) => a - b) : null;
}

/** @param {string} text @param {number} least @param {number} most */
function number(text, least, most) {
  const value = /^\d{1,12}$/.test(text) ? Number(text) : NaN;
  return value >= least && value <= most ? value : null;
}

/** @param {string} text */
function diceOf(text) {
  if (text === '-') return '';
  const dice = text.toLowerCase();
  if (dice.length < 1 || dice.length > DICE || ![...dice].every((die) => FACES.includes(die))) return null;
  return sortDice(dice);
}

/** @param {string} dice */
export const sortDice = (dice) => [...dice].sort((a, b) => FACES.indexOf(a) - FACES.indexOf(b)).join('');
