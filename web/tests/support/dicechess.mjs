// People at boards of dice chess.

import { indexOf, read } from '../../app/games/dicechess/dfen.js';
import { positionsOf } from '../../app/games/dicechess/play.js';

/** A game between two people, by invitation: the first of them is White. */
export async function beginDiceChess(service, host, guest, control = null) {
  await host.goto(`${service.url}/new`);
  await host.getByRole('radio', { name: /Dice chess/ }).check();
  if (control) await host.getByRole('radio', { name: control }).check();
  await host.getByRole('button', { name: 'Invite a friend' }).click();
  await guest.goto(await host.getByLabel('Invitation link').inputValue());
  await guest.getByRole('button', { name: 'Join the game' }).click();
  await Promise.all([host, guest].map((page) => page.waitForURL('**/play/*')));
  return new URL(host.url()).pathname.split('/').at(-1);
}

export const chessBoard = (page) => page.locator('dice-chess-board');
export const square = (page, name) => page.locator(`button[data-square="${name}"]`);

/** What a page's board is told. */
const told = (page) =>
  chessBoard(page).evaluate((board) => ({
    at: board.at,
    turns: board.moves.length,
    busy: board.busy,
    playable: board.playable && !board.pending && board.at === board.moves.length,
    offer: board.offer,
  }));

/** Waits for what a page's board is told. */
export async function untilBoard(page, good, what) {
  const deadline = Date.now() + 15_000;
  for (;;) {
    const board = await told(page);
    if (good(board)) return board;
    if (Date.now() > deadline) throw new Error(`${page.url()}: the board never ${what}: ${JSON.stringify({ ...board, offer: board.offer?.dfen })}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** The one of several pages whose turn it is to move something, and its roll; passes go by themselves. */
export async function mover(pages) {
  const deadline = Date.now() + 20_000;
  while (Date.now() < deadline) {
    for (const page of pages) {
      const board = await told(page);
      if (board.playable && !board.busy && board.offer?.tree && Object.keys(board.offer.tree).length > 0) return { page, ...board };
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`nobody can move: ${JSON.stringify(await Promise.all(pages.map(told)))}`);
}

/** All ways down a tree. */
export function* paths(tree, before = []) {
  const moves = Object.keys(tree);
  if (moves.length === 0 && before.length > 0) yield before;
  for (const move of moves) yield* paths(tree[move], [...before, move]);
}

const WORTH = { p: 1, n: 3, b: 3, r: 5, q: 9, k: 1000 };

/** The turn that captures most, and of those the one that ends nearest to the enemy's king. */
export function greedy({ dfen, tree }) {
  const position = read(dfen);
  const king = position.squares.indexOf(position.side === 'w' ? 'k' : 'K');
  const distance = (square) => Math.max(Math.abs((square % 8) - (king % 8)), Math.abs(Math.floor(square / 8) - Math.floor(king / 8)));
  const worth = (turn) => {
    const last = positionsOf(position, turn).at(-1);
    const left = (squares) => squares.reduce((sum, piece) => sum + (piece && (piece < 'a') !== (position.side === 'w') ? WORTH[piece.toLowerCase()] : 0), 0);
    return 10 * (left(position.squares) - left(last.squares)) - distance(indexOf(turn.at(-1).slice(2, 4)));
  };
  let best = null;
  for (const turn of paths(tree)) {
    const value = worth(turn);
    if (!best || value > best.value) best = { turn, value };
  }
  return { turn: best.turn, wins: best.value >= 5000 };
}

/** The first turn that captures nothing, or as little as may be: the game goes on. */
export function quiet({ dfen, tree }) {
  const position = read(dfen);
  const pieces = (turn) => positionsOf(position, turn).at(-1).squares.filter(Boolean).length;
  return [...paths(tree)].reduce((best, turn) => (pieces(turn) > pieces(best) ? turn : best));
}

const PIECES = { q: 'queen', r: 'rook', b: 'bishop', n: 'knight' };

/** Makes a micro-move by hand. */
export async function microMove(page, move) {
  await square(page, move.slice(0, 2)).click();
  await square(page, move.slice(2, 4)).click();
  // What a pawn becomes is asked if there is a choice.
  const asked = page.getByRole('dialog', { name: 'Promote to' });
  if (move[4] && (await asked.isVisible())) await asked.getByRole('button', { name: PIECES[move[4]] }).click();
}

/** Makes a turn by hand, and sends it. */
export async function playTurn(page, turn) {
  for (const move of turn) await microMove(page, move);
  const send = page.getByRole('button', { name: 'Send turn' });
  // On a busy machine a turn goes out by itself before it can be sent.
  await send.click({ timeout: 3000 }).catch(() => send.waitFor({ state: 'hidden' }));
}

/** Sends a turn as the page's player, without its board. */
export async function sendTurn(page, service, game, move) {
  return page.evaluate(
    async ([url, game, move]) => {
      const { token } = JSON.parse(localStorage.getItem('turnstream.guest'));
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const { position } = await (await fetch(`${url}/game/${game}`)).json();
      const body = JSON.stringify({ id: String(Math.random()), position, move });
      const answer = await fetch(`${url}/games/${game}/moves`, { method: 'POST', headers, body });
      if (!answer.ok) throw new Error(await answer.text());
    },
    [service.url, game, move],
  );
}

/** The record of a finished game. */
export async function recordOf(service, game) {
  const deadline = Date.now() + 15_000;
  for (;;) {
    const answer = await (await fetch(`${service.url}/game/${game}`)).json();
    if (answer.status === 'finished') return answer.record;
    if (Date.now() > deadline) throw new Error(JSON.stringify(answer));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
