// What a micro-move does to a position. The service says which ones are legal; this draws them before they are sent,
// and step by step in a replay.

import { MOST_HALF_MOVES, indexOf, sideOf } from './dfen.js';

/** @typedef {import('./dfen.js').Position} Position */
/** @typedef {import('./dfen.js').Side} Side */

const A1 = 0;
const H1 = 7;
const A8 = 56;
const H8 = 63;
/** @type {Record<number, string>} */
const CORNERS = { [H1]: 'K', [A1]: 'Q', [H8]: 'k', [A8]: 'q' };
const RIGHTS = { w: 'KQ', b: 'kq' };

const rank = (/** @type {number} */ square) => Math.floor(square / 8);
const file = (/** @type {number} */ square) => square % 8;

/** The parts of a micro-move such as `e7e8q`. @param {string} move */
export const partsOf = (move) => ({ from: move.slice(0, 2), to: move.slice(2, 4), promotion: move[4] ?? null });

/** What a micro-move captures: where, and which piece. @param {Position} position @param {string} move */
export function capturedBy(position, move) {
  const [from, to] = [indexOf(move.slice(0, 2)), indexOf(move.slice(2, 4))];
  const piece = position.squares[from];
  const direct = position.squares[to];
  if (direct) return { square: to, piece: direct };
  const skipped = piece?.toLowerCase() === 'p' && file(from) !== file(to) && position.enPassant.includes(to);
  const square = skipped ? pawnThatSkipped(to) : -1;
  const pawn = position.squares[square];
  return pawn ? { square, piece: pawn } : null;
}

/** The rook's part of a castling: from where to where. @param {Position} position @param {string} move */
export function castledRook(position, move) {
  const [from, to] = [indexOf(move.slice(0, 2)), indexOf(move.slice(2, 4))];
  if (position.squares[from]?.toLowerCase() !== 'k' || Math.abs(file(to) - file(from)) !== 2) return null;
  return to > from ? { from: from + 3, to: from + 1 } : { from: from - 4, to: from - 1 };
}

/** The dice that a micro-move spends. @param {Position} position @param {string} move */
export function diceFor(position, move) {
  const piece = position.squares[indexOf(move)]?.toLowerCase() ?? '';
  return castledRook(position, move) ? 'rk' : piece;
}

/** The position after a legal micro-move; the same side is to move. @param {Position} before @param {string} move @returns {Position} */
export function after(before, move) {
  const { from, to, promotion } = partsOf(move);
  const [start, end] = [indexOf(from), indexOf(to)];
  const piece = before.squares[start];
  if (!piece) throw new Error(`nothing stands on ${from}`);
  const squares = [...before.squares];
  const captured = capturedBy(before, move);
  if (captured) squares[captured.square] = null;
  squares[start] = null;
  squares[end] = promotion ? (before.side === 'w' ? promotion.toUpperCase() : promotion) : piece;
  const rook = castledRook(before, move);
  if (rook) [squares[rook.from], squares[rook.to]] = [null, squares[rook.from]];

  const pawn = piece.toLowerCase() === 'p';
  const king = captured?.piece.toLowerCase() === 'k';
  return {
    ...before,
    squares,
    castling: rightsAfter(before, piece, start, captured),
    enPassant: targetsAfter(before, pawn, start, end, captured?.square ?? null),
    halfMoves: pawn || captured ? 0 : Math.min(before.halfMoves + 1, MOST_HALF_MOVES),
    dice: king ? '' : without(before.dice, diceFor(before, move)),
  };
}

/** The position after the turn's end: the other side is to move and has not rolled. @param {Position} position @returns {Position} */
export function endTurn(position) {
  const side = position.side === 'w' ? 'b' : 'w';
  // What the side now to move has skipped, its opponent has had the chance to capture.
  const stale = side === 'w' ? 2 : 5;
  return {
    ...position,
    side,
    dice: '',
    fullMove: position.fullMove + (position.side === 'b' ? 1 : 0),
    enPassant: position.enPassant.filter((square) => rank(square) !== stale),
  };
}

/** Whether both kings are there. @param {Position} position */
export const hasBothKings = ({ squares }) => squares.includes('K') && squares.includes('k');

/** Every position of a turn: before it, and after each of its micro-moves. @param {Position} position @param {readonly string[]} moves */
export function positionsOf(position, moves) {
  const all = [position];
  for (const move of moves) all.push(after(all[all.length - 1], move));
  return all;
}

/** Where the pawn stands whose double step skipped a square. @param {number} target */
const pawnThatSkipped = (target) => (rank(target) === 2 ? target + 8 : target - 8);

/** @param {string} dice @param {string} spent */
function without(dice, spent) {
  return [...spent].reduce((left, die) => left.replace(die, ''), dice);
}

/**
 * @param {Position} before
 * @param {string} piece that moves
 * @param {number} start
 * @param {{ square: number, piece: string } | null} captured
 */
function rightsAfter(before, piece, start, captured) {
  let lost = '';
  if (piece.toLowerCase() === 'k') lost += RIGHTS[before.side];
  if (piece.toLowerCase() === 'r') lost += cornerOf(start, before.side);
  if (captured?.piece.toLowerCase() === 'k') lost += RIGHTS[sideOf(captured.piece)];
  if (captured?.piece.toLowerCase() === 'r') lost += cornerOf(captured.square, sideOf(captured.piece));
  return [...before.castling].filter((right) => !lost.includes(right)).join('');
}

/** The right that belongs to a corner, if it is one of this side's. @param {number} square @param {Side} side */
const cornerOf = (square, side) => (RIGHTS[side].includes(CORNERS[square] ?? '-') ? CORNERS[square] : '');

/**
 * @param {Position} before
 * @param {boolean} pawn whether a pawn moves
 * @param {number} start
 * @param {number} end
 * @param {number | null} captured where
 */
function targetsAfter(before, pawn, start, end, captured) {
  // A target goes when something lands on it, and when its pawn moves on or is captured.
  const kept = before.enPassant.filter((target) => {
    const owner = pawnThatSkipped(target);
    return target !== end && owner !== captured && owner !== start;
  });
  const doubled = pawn && Math.abs(end - start) === 16;
  return doubled ? [...kept, (start + end) / 2].sort((a, b) => a - b) : kept;
}

/** A micro-move for eyes: `e2–e4`, `e7×f8=Q`. @param {Position} position @param {string} move */
export function notation(position, move) {
  const { from, to, promotion } = partsOf(move);
  return `${from}${capturedBy(position, move) ? '×' : '–'}${to}${promotion ? `=${promotion.toUpperCase()}` : ''}`;
}

