// Two people and a watcher, each in a browser, against the real service.

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { assertQuiet, begin, board, games, launch, person, pit, play, shows } from './support/players.mjs';
import { Service } from './support/service.mjs';

let browser, service;
const [shortest] = await games();

before(async () => (browser = await launch()));
after(() => browser.close());
beforeEach(async () => (service = await Service.start()));
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
  await service.end();
});

const people = (count, options) => Promise.all(Array.from({ length: count }, () => person(browser, options)));

test('two people play a whole game, a third watches, and it is in the lists afterwards', async () => {
  const [ada, bo, watcher] = await people(3);
  const game = await begin(service, ada, bo);

  await watcher.goto(service.url);
  await watcher.getByRole('heading', { name: 'Live games' }).waitFor();
  await watcher.locator('game-card a').click();
  await watcher.getByText('You are watching').waitFor();
  await ada.getByText('1 watching').waitFor();
  await board(watcher).locator('button').first().waitFor();
  assert.equal(await board(watcher).locator('button:not([disabled]):not([aria-disabled])').count(), 0);

  await play(ada, bo, shortest.moves);
  await shows(watcher, shortest.moves.length);
  const [winner, loser] = shortest.result === 'player1' ? [ada, bo] : [bo, ada];
  await winner.getByRole('heading', { name: 'You won' }).waitFor();
  await loser.getByRole('heading', { name: 'You lost' }).waitFor();
  await watcher.getByRole('heading', { name: / won$/ }).waitFor();

  await winner.goto(service.url);
  const recent = winner.locator('section', { has: winner.getByRole('heading', { name: 'Your recent games' }) });
  await recent.getByText('Won').waitFor();
  await loser.goto(service.url);
  await loser.getByRole('link', { name: 'All games' }).click();
  await loser.locator('history-page').getByText('Lost').waitFor();

  const stranger = await person(browser);
  await stranger.goto(service.url);
  await stranger.getByRole('heading', { name: 'Popular games' }).waitFor();
  await stranger.locator('game-card a').click();
  await stranger.waitForURL(`**/replay/${game}`);
  assertQuiet(ada, bo, watcher, stranger);
});

test('the service is killed in the middle, and both go on without touching anything', async () => {
  const [ada, bo] = await people(2);
  await begin(service, ada, bo);
  await play(ada, bo, shortest.moves, 0, 7);

  await service.kill();
  await Promise.all([ada, bo].map((page) => page.getByText('Reconnecting').waitFor()));
  // A move that is made meanwhile is not lost.
  const [seat, index] = shortest.moves[7];
  await pit(seat === 1 ? ada : bo, index).click();
  await service.run();

  await Promise.all([shows(ada, 8), shows(bo, 8)]);
  await Promise.all([ada, bo].map((page) => page.getByText('Reconnecting').waitFor({ state: 'hidden' })));
  await play(ada, bo, shortest.moves, 8);
  await ada.getByRole('heading', { name: /^You (won|lost)$/ }).waitFor();
  assertQuiet(ada, bo);
});

test('an earlier move is looked at while the game goes on', async () => {
  const [ada, bo] = await people(2);
  await begin(service, ada, bo);
  // Before the first move there is nothing else to look at.
  await shows(ada, 0);
  await ada.keyboard.press('ArrowLeft');
  await play(ada, bo, shortest.moves, 0, 6);
  assert.equal(await ada.getByRole('button', { name: 'Back to live' }).count(), 0);

  await bo.keyboard.press('ArrowLeft');
  await bo.keyboard.press('ArrowLeft');
  await shows(bo, 4);
  await bo.getByText('Move 4 of 6').waitFor();
  assert.equal(await board(bo).locator('button:not([disabled]):not([aria-disabled])').count(), 0);

  const [seat, index] = shortest.moves[6];
  const [mover, other] = seat === 1 ? [ada, bo] : [bo, ada];
  if (mover === bo) {
    // Whoever reviews is told that it is their turn, and cannot move before they are back.
    await bo.getByText('Your turn', { exact: true }).first().waitFor();
    await bo.getByRole('button', { name: 'Back to live' }).click();
    await shows(bo, 6);
    await ada.getByRole('button', { name: /^2\. / }).click();
    await shows(ada, 2);
  }
  await pit(mover, index).click();
  await other.getByText(/^Move \d+ of 7$/).waitFor();
  await other.getByRole('button', { name: 'Back to live' }).press('Enter');
  await shows(other, 7);
  // The button is gone; the focus is where they are.
  await other.waitForFunction(() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return element?.textContent?.trim().startsWith('7.');
  });

  await other.getByRole('button', { name: /^3\. / }).click();
  await shows(other, 3);
  await other.keyboard.press('ArrowRight');
  await shows(other, 4);
  await other.keyboard.press('Escape');
  await shows(other, 7);
  assertQuiet(ada, bo);
});

test('who is away is counted down', async () => {
  const [ada, bo] = await people(2);
  await begin(service, ada, bo);
  // Bo's turn comes, and Bo goes.
  await play(ada, bo, shortest.moves, 0, 1);
  assert.equal(shortest.moves[1][0], 2);
  await bo.context().close();
  await ada.getByText('is offline').waitFor();
  const countdown = ada.getByRole('timer');
  assert.match(await countdown.innerText(), /loses in (5:0[01]|4:5\d)/);
  const first = await countdown.innerText();
  await ada.waitForFunction(
    (first) => {
      const find = (root) => root.querySelector('[role=timer]') ?? [...root.querySelectorAll('*')].map((e) => e.shadowRoot && find(e.shadowRoot)).find(Boolean);
      return find(document)?.textContent !== first;
    },
    first,
  );
  assertQuiet(ada);
});

test('leaving asks first, and gives the game to the other', async () => {
  const [ada, bo] = await people(2);
  await begin(service, ada, bo);
  await ada.getByRole('button', { name: 'Leave game' }).click();
  await ada.getByRole('button', { name: 'Keep playing' }).click();
  await ada.getByRole('button', { name: 'Leave game' }).click();
  await ada.getByRole('dialog').getByRole('button', { name: 'Leave game' }).click();
  await ada.getByRole('heading', { name: 'You lost' }).waitFor();
  await bo.getByRole('heading', { name: 'You won' }).waitFor();
  await bo.getByText('left the game').waitFor();
  assertQuiet(ada, bo);
});

test('a question whether to leave goes when the game is over, and its answer with it', async () => {
  const [ada, bo] = await people(2);
  await begin(service, ada, bo);
  const sent = [];
  ada.on('websocket', (socket) => socket.on('framesent', ({ payload }) => sent.push(JSON.parse(payload).channel)));
  await ada.reload();
  await shows(ada, 0);
  await ada.getByRole('button', { name: 'Leave game' }).click();
  await ada.getByRole('dialog').waitFor();
  await bo.getByRole('button', { name: 'Leave game' }).click();
  await bo.getByRole('dialog').getByRole('button', { name: 'Leave game' }).click();
  await ada.getByRole('heading', { name: 'You won' }).waitFor();
  await ada.getByRole('dialog').waitFor({ state: 'hidden' });
  await ada.locator('game-page').evaluate((page) => page.renderRoot.querySelector('dialog .danger').click());
  // What comes after it has arrived too.
  await ada.getByRole('link', { name: 'Watch the replay' }).click();
  await ada.getByRole('slider', { name: 'Timeline' }).waitFor();
  assert.ok(sent.includes('watch_game') && !sent.includes('leave_game'), String(sent));
  assertQuiet(ada, bo);
});
