// Two people play dice chess, each in a browser, against the real service.

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { beginDiceChess, chessBoard, greedy, microMove, mover, playTurn, quiet, recordOf, sendTurn, untilBoard } from './support/dicechess.mjs';
import { assertQuiet, launch, person } from './support/players.mjs';
import { Service } from './support/service.mjs';

let browser, service;

before(async () => (browser = await launch()));
after(() => browser.close());
beforeEach(async () => (service = await Service.start()));
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
  await service.end();
});

/** Whose turn it is, once it has more than one part; shorter ones are played. */
async function longTurn(pages) {
  for (;;) {
    const next = await mover(pages);
    const turn = quiet(next.offer);
    if (turn.length > 1) return { ...next, turn };
    await playTurn(next.page, turn);
    await untilBoard(next.page, (board) => board.turns > next.turns, 'has the turn');
  }
}

const people = (count, options) => Promise.all(Array.from({ length: count }, () => person(browser, options)));
/** More turns than any game of these players has had by far. */
const MOST_TURNS = 400;

test('two people play until a king is captured, a third watches, and the dice are verified', async () => {
  const [ada, bo, watcher] = await people(3);
  const game = await beginDiceChess(service, ada, bo);
  await watcher.goto(service.url);
  await watcher.locator('game-card a').click();
  await watcher.getByText('You are watching').waitFor();
  for (const page of [ada, bo, watcher]) assert.equal(await page.getByRole('timer').count(), 2);

  // The first turns by hand.
  for (let n = 0; n < 3; n++) {
    const { page, offer, turns } = await mover([ada, bo]);
    const { turn, wins } = greedy(offer);
    if (wins) break;
    await playTurn(page, turn);
    for (const other of [ada, bo, watcher]) await untilBoard(other, (board) => board.turns > turns && !board.busy, 'shows the turn');
  }
  // Then whichever of them takes most, until a king can be taken: by hand again.
  for (let n = 0; ; n++) {
    assert.ok(n < MOST_TURNS);
    const { page, offer, turns } = await mover([ada, bo]);
    const { turn, wins } = greedy(offer);
    if (wins) {
      await playTurn(page, turn);
      await page.getByRole('heading', { name: 'You won' }).waitFor();
      await (page === ada ? bo : ada).getByRole('heading', { name: 'You lost' }).waitFor();
      break;
    }
    await sendTurn(page, service, game, turn);
    await untilBoard(page, (board) => board.turns > turns, 'has the turn');
  }
  await watcher.getByRole('heading', { name: / won$/ }).waitFor();
  await watcher.getByText('The king was captured').waitFor();

  const record = await recordOf(service, game);
  assert.equal(record.endReason, 'king_captured');
  await ada.getByRole('link', { name: 'Watch the replay' }).click();
  await ada.getByRole('button', { name: 'Verify the dice' }).click();
  await ada.getByText(`All ${record.moves.length} rolls follow from the seeds.`).waitFor();
  await ada.getByText('Seeds', { exact: true }).click();
  // Each browser gave a seed of its own to the dice.
  await ada.getByText('the one that this browser gave').waitFor();
  const own = await ada.evaluate(() => JSON.parse(localStorage.getItem('turnstream.seeds'))[0][1]);
  assert.equal(record.fairness.clientSeeds.player1, own);

  await bo.goto(service.url);
  const recent = bo.locator('section', { has: bo.getByRole('heading', { name: 'Your recent games' }) });
  await recent.locator('dice-chess-board').getByRole('img', { name: /^Chess board: / }).waitFor();
  await recent.getByText(/Won|Lost/).waitFor();
  assertQuiet(ada, bo, watcher);
});

test('a turn is taken back before it is sent, and the dice stay', async () => {
  const [ada, bo] = await people(2);
  await beginDiceChess(service, ada, bo);
  const { page, offer, turns, turn } = await longTurn([ada, bo]);
  await microMove(page, turn[0]);
  const again = chessBoard(page).evaluate((board) => board.draft.moves.length);
  assert.equal(await again, 1);
  await page.getByRole('button', { name: 'Take back' }).click();
  assert.equal(await chessBoard(page).evaluate((board) => board.draft.moves.length), 0);
  assert.equal((await mover([page])).offer.dfen, offer.dfen);
  // A whole one goes by itself after a moment.
  for (const move of turn) await microMove(page, move);
  for (const other of [ada, bo]) await untilBoard(other, (board) => board.turns > turns, 'has the turn');
  assertQuiet(ada, bo);
});

test('a draw is offered with a turn, and the dice wait for the answer', async () => {
  const [ada, bo] = await people(2);
  const game = await beginDiceChess(service, ada, bo);
  const first = await mover([ada, bo]);
  const other = first.page === ada ? bo : ada;
  await first.page.getByRole('button', { name: 'Offer a draw' }).click();
  await first.page.getByRole('button', { name: 'A draw is offered with your next turn' }).waitFor();
  // Nobody else knows before that.
  assert.equal(await other.getByText('offers a draw').count(), 0);
  await playTurn(first.page, quiet(first.offer));
  await other.getByText('offers a draw.').waitFor();
  await first.page.getByText('is asked for a draw').waitFor();
  assert.equal((await untilBoard(other, (board) => board.turns > first.turns, 'has the turn')).offer, null);
  await other.getByRole('button', { name: 'Decline' }).click();
  await other.getByText('offers a draw.').waitFor({ state: 'hidden' });

  // Whoever offered last waits for the other's offer.
  let next = await mover([ada, bo]);
  while (next.page !== other) {
    await sendTurn(next.page, service, game, quiet(next.offer));
    await untilBoard(next.page, (board) => board.turns > next.turns, 'has the turn');
    next = await mover([ada, bo]);
  }
  await first.page.getByRole('button', { name: 'Offer a draw' }).click();
  await first.page.getByRole('alert').getByText('After an offer it is the other player’s turn').waitFor();

  await other.getByRole('button', { name: 'Offer a draw' }).click();
  await other.getByRole('button', { name: 'A draw is offered with your next turn' }).waitFor();
  await playTurn(other, quiet(next.offer));
  await first.page.getByRole('button', { name: 'Accept the draw' }).click();
  for (const page of [ada, bo]) {
    await page.getByRole('heading', { name: 'A draw' }).waitFor();
    await page.getByText('The players agreed on a draw').waitFor();
  }
  assertQuiet(ada, bo);
});

test('resigning asks first', async () => {
  const [ada, bo] = await people(2);
  await beginDiceChess(service, ada, bo);
  await mover([ada, bo]);
  await bo.getByRole('button', { name: 'Resign' }).click();
  await bo.getByRole('button', { name: 'Keep playing' }).click();
  await bo.getByRole('button', { name: 'Resign' }).click();
  await bo.getByRole('dialog').getByRole('button', { name: 'Resign' }).click();
  await bo.getByRole('heading', { name: 'You lost' }).waitFor();
  await ada.getByRole('heading', { name: 'You won' }).waitFor();
  await ada.getByText('resigned').waitFor();
  assertQuiet(ada, bo);
});

test('the service is killed in the middle of a turn, and its roll is still there', async () => {
  const [ada, bo] = await people(2);
  await beginDiceChess(service, ada, bo);
  const { page, offer, turns, turn } = await longTurn([ada, bo]);
  await microMove(page, turn[0]);
  await service.kill();
  await Promise.all([ada, bo].map((each) => each.getByText('Reconnecting').waitFor()));
  await service.run();
  await Promise.all([ada, bo].map((each) => each.getByText('Reconnecting').waitFor({ state: 'hidden' })));
  // What was drafted is not lost either.
  assert.deepEqual(await chessBoard(page).evaluate((board) => [...board.draft.moves]), turn.slice(0, 1));
  assert.equal((await mover([page])).offer.dfen, offer.dfen);
  for (const move of turn.slice(1)) await microMove(page, move);
  await page.getByRole('button', { name: 'Send turn' }).click();
  for (const each of [ada, bo]) await untilBoard(each, (board) => board.turns > turns, 'has the turn');
  assertQuiet(ada, bo);
});

test('an earlier turn is looked at while one\'s own is due', async () => {
  const [ada, bo] = await people(2);
  const game = await beginDiceChess(service, ada, bo);
  for (let n = 0; n < 4; n++) {
    const { page, offer, turns } = await mover([ada, bo]);
    await sendTurn(page, service, game, quiet(offer));
    await untilBoard(page, (board) => board.turns > turns, 'has the turn');
  }
  const { page, turns } = await mover([ada, bo]);
  await page.keyboard.press('ArrowLeft');
  await untilBoard(page, (board) => board.at === turns - 1, 'goes back');
  await page.getByText(`Move ${turns - 1} of ${turns}`).waitFor();
  await page.getByText('Your turn', { exact: true }).waitFor();
  assert.equal(await page.locator('button[aria-pressed][data-square]').count(), 0);
  await page.getByRole('button', { name: /^1\. .* rolled / }).click();
  await untilBoard(page, (board) => board.at === 1, 'goes to the first');
  await page.getByRole('button', { name: 'Back to live' }).click();
  await page.locator('button[aria-pressed][data-square]').first().waitFor();
  assertQuiet(ada, bo);
});
