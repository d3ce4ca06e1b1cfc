// The client's twins of dice chess: positions as text, what micro-moves do, unsent turns, and the check of the dice.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { START, indexOf, nameOf, parse, pieceOn, read, write } from '../app/games/dicechess/dfen.js';
import { Draft, spentOf } from '../app/games/dicechess/draft.js';
import { commitOf, fromHex, rollOf, verify } from '../app/games/dicechess/fair.js';
import { after as afterMove, diceFor, endTurn, hasBothKings, notation, positionsOf } from '../app/games/dicechess/play.js';

const vectors = async (name) => JSON.parse(await readFile(new URL(`../../rules/tests/vectors/${name}.json`, import.meta.url), 'utf8'));
const stated = await vectors('dicechess');
const derived = await vectors('dicechess-derived');

test('a DFEN is read and written as the vectors say', () => {
  assert.ok(stated.dfen_valid.length > 8 && stated.dfen_invalid.length > 12);
  for (const { dfen, dice, serialises_to, round_trips, halfmove, fullmove, en_passant } of stated.dfen_valid) {
    const position = read(dfen);
    if (dice) assert.equal(position.dice, dice.map(pieceOn).join(''), dfen);
    if (halfmove !== undefined) assert.equal(position.halfMoves, halfmove);
    if (fullmove !== undefined) assert.equal(position.fullMove, fullmove);
    if (en_passant) assert.deepEqual(position.enPassant.map(nameOf), en_passant);
    if (round_trips) assert.equal(write(position), dfen);
    if (serialises_to) assert.equal(write(position), serialises_to);
  }
  for (const { dfen, why } of stated.dfen_invalid) assert.equal(parse(dfen), null, why);
  for (const text of ['', ' ', 'x', START.replace('w', 'x'), `${START} PX`, START.replace('/8/', '/9/'), START.replace(' - ', ' e4 ')]) {
    assert.equal(parse(text), null, text);
  }
});

test('a square has one index and one name', () => {
  for (let index = 0; index < 64; index++) assert.equal(indexOf(nameOf(index)), index);
  assert.deepEqual(['a1', 'h1', 'a8', 'h8'].map(indexOf), [0, 7, 56, 63]);
});

test('micro-moves and the end of a turn change a position as the vectors say', () => {
  for (const { before, micro_moves, end_turn, after: expected, note } of stated.position_transitions) {
    const position = positionsOf(read(before), micro_moves).at(-1);
    assert.equal(write(end_turn ? endTurn(position) : position), expected, note);
  }
  const fields = {
    castling: (position) => position.castling,
    en_passant: (position) => position.enPassant.map(nameOf).join('') || '-',
    halfmove: (position) => position.halfMoves,
  };
  const properties = stated.turn_properties.filter(({ micro_move }) => micro_move);
  assert.ok(properties.length >= 7);
  for (const { before, micro_move, field, value, note } of properties) {
    const position = afterMove(read(before), micro_move);
    if (field === 'castling_lacks') assert.ok(!position.castling.includes(value), note);
    else assert.equal(fields[field](position), value, note);
  }
});

test('a whole game of 326 turns is followed to its captured king', () => {
  const { turns, result } = derived.played_game;
  assert.ok(turns.length > 300);
  let position = read(START);
  for (const [, side, dice, , moves, after] of turns) {
    assert.equal(position.side, side[0]);
    const rolled = { ...position, dice: read(`${write(position)} ${dice.map(pieceOn).join('')}`).dice };
    const last = positionsOf(rolled, moves).at(-1);
    position = hasBothKings(last) ? endTurn(last) : last;
    assert.equal(write(position), after);
  }
  assert.equal(position.side, result[0]);
  assert.equal(hasBothKings(position), false);
});

test('castling spends a king\'s die and a rook\'s, and moves both', () => {
  const position = read('r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 RRK');
  assert.equal(diceFor(position, 'e1g1'), 'rk');
  assert.equal(write(afterMove(position, 'e1g1')), 'r3k2r/8/8/8/8/8/8/R4RK1 w kq - 1 1 R');
  assert.equal(write(afterMove(position, 'e1c1')), 'r3k2r/8/8/8/8/8/8/2KR3R w kq - 1 1 R');
  assert.equal(diceFor(position, 'e1f1'), 'k');
});

test('a turn is drafted along the tree, and taken back step by step', () => {
  const tree = { g1f3: { f3e5: { a2a3: {}, a2a4: {} } }, a2a3: { g1f3: { f3g1: {} } } };
  const draft = new Draft(read('rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 PNN'), tree);
  assert.deepEqual(draft.sources, ['g1', 'a2']);
  assert.throws(() => draft.play('b1c3'));
  draft.play('g1f3');
  assert.deepEqual(draft.sources, ['f3']);
  assert.equal(draft.position.dice, 'pn');
  draft.play('f3e5');
  assert.deepEqual(draft.targets('a2'), ['a3', 'a4']);
  assert.equal(draft.isComplete, false);
  draft.play('a2a4');
  assert.equal(draft.isComplete, true);
  assert.deepEqual(draft.spent, ['n', 'n', 'p']);
  assert.deepEqual(spentOf(['n', 'p', 'n'], draft.spent), [true, true, true]);
  draft.undo();
  assert.deepEqual(spentOf(['n', 'p', 'n'], draft.spent), [true, false, true]);
  draft.undo();
  draft.undo();
  draft.undo();
  assert.deepEqual([draft.moves, draft.position.dice], [[], 'pnn']);
  assert.equal(new Draft(read(START), {}).isPass, true);
  assert.equal(draft.isPass, false);
});

test('a promotion is a choice between four micro-moves', () => {
  const tree = Object.fromEntries(['q', 'r', 'b', 'n'].map((piece) => [`a7a8${piece}`, {}]));
  const draft = new Draft(read('7k/P7/8/8/8/8/8/4K3 w - - 3 1 P'), tree);
  assert.deepEqual(draft.between('a7', 'a8'), ['a7a8q', 'a7a8r', 'a7a8b', 'a7a8n']);
  assert.deepEqual(draft.targets('a7'), ['a8']);
  draft.play('a7a8n');
  assert.equal(write(draft.position), 'N6k/8/8/8/8/8/8/4K3 w - - 0 1');
  assert.equal(notation(draft.positions[0], 'a7a8n'), 'a7–a8=N');
});

test('the dice of every vector are computed again, those with skipped bytes too', async () => {
  assert.equal(derived.dice_rolls.length, 3);
  for (const { server_seed_hex, commit, client_white, client_black, rolls_by_index, roll_1000000 } of derived.dice_rolls) {
    const clientSeeds = { player1: client_white, player2: client_black };
    assert.equal(await commitOf(fromHex(server_seed_hex)), commit);
    const verdict = await verify({ commit, seed: server_seed_hex, clientSeeds }, rolls_by_index);
    assert.ok(verdict.fair, JSON.stringify(verdict));
    assert.equal(verdict.rolls.length, rolls_by_index.length);
    assert.deepEqual(await rollOf(fromHex(server_seed_hex), clientSeeds, 1_000_000), roll_1000000);
  }
});

test('one changed die, another seed, another commitment: each is found', async () => {
  const [{ server_seed_hex: seed, commit, client_white: player1, client_black: player2, rolls_by_index: rolls }] = derived.dice_rolls;
  const fairness = { commit, seed, clientSeeds: { player1, player2 } };
  const loaded = rolls.with(4, [6, 6, 6]);
  const verdict = await verify(fairness, loaded);
  assert.equal(verdict.fair, false);
  assert.deepEqual(verdict.rolls.filter(({ same }) => !same).map(({ index }) => index), [4]);
  assert.equal((await verify({ ...fairness, clientSeeds: { player1, player2: `${player2}x` } }, rolls)).fair, false);
  const otherSeed = await verify({ ...fairness, seed: seed.replace(/^00/, '01') }, rolls);
  assert.deepEqual([otherSeed.committed, otherSeed.fair], [false, false]);
  assert.equal((await verify({ ...fairness, commit: '0'.repeat(64) }, rolls)).fair, false);
  assert.equal((await verify(fairness, rolls.with(0, rolls[0].slice(0, 2)))).fair, false);
});
