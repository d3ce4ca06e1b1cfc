import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { applyStep, legal, opening, play, STONES } from '../app/games/mancala.js';

const { games } = JSON.parse(await readFile(new URL('../../rules/tests/vectors/mancala-games.json', import.meta.url), 'utf8'));
const seat = (number) => (number === 1 ? 'player1' : 'player2');

test('whole games go as the vectors say', () => {
  assert.ok(games.length > 20, `${games.length} games`);
  for (const game of games) {
    let board = opening();
    for (const [mover, index, after, sown, effects, next] of game.moves) {
      assert.ok(legal(board, seat(mover)).includes(index));
      const played = play(board, seat(mover), index);
      assert.deepEqual(played.board, after);
      assert.deepEqual(
        played.steps,
        [...sown.map((place) => ({ index: place, type: 'GAME_STEP_GAME_MOVE' })), ...effects],
      );
      assert.equal(played.next, next ? seat(next) : null);
      board = played.board;
    }
  }
});

test('applying a move\'s steps one by one leads to its board, and no stone is ever lost', () => {
  for (const game of games) {
    let board = opening();
    for (const [mover, index, after, sown, effects] of game.moves) {
      for (const step of [...sown.map((place) => ({ index: place, type: 'GAME_STEP_GAME_MOVE' })), ...effects]) {
        board = applyStep(board, seat(mover), index, step);
        assert.equal(board.reduce((a, b) => a + b), STONES);
        assert.ok(board.every((count) => count >= 0));
      }
      assert.deepEqual(board, after);
    }
  }
});
