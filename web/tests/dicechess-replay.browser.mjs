// A finished game of dice chess, looked at again and checked; and what is in between a page and the service.

import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { START } from '../app/games/dicechess/dfen.js';
import { beginDiceChess, mover, playTurn, quiet, recordOf, sendTurn, untilBoard } from './support/dicechess.mjs';
import { assertQuiet, launch, person } from './support/players.mjs';
import { Service } from './support/service.mjs';

const TURNS = 8;
let browser, service, game, record;

before(async () => {
  [browser, service] = await Promise.all([launch(), Service.start()]);
  const [ada, bo] = await Promise.all([person(browser), person(browser)]);
  game = await beginDiceChess(service, ada, bo);
  for (let turns = 0; turns < TURNS; ) {
    const next = await mover([ada, bo]);
    await sendTurn(next.page, service, game, quiet(next.offer));
    ({ turns } = await untilBoard(next.page, (board) => board.turns > next.turns, 'has the turn'));
  }
  await bo.getByRole('button', { name: 'Resign' }).click();
  await bo.getByRole('dialog').getByRole('button', { name: 'Resign' }).click();
  record = await recordOf(service, game);
});
after(async () => {
  await browser.close();
  await service.end();
});
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
});

const at = (page, n) => untilBoard(page, (board) => board.at === n && !board.busy, `comes to ${n}`);
const placement = (page) => page.locator('dice-chess-board chess-squares').evaluate((squares) => squares.dfen.split(' ')[0]);
const endOf = (n) => (n > 0 ? record.moves[n - 1].dfenAfter : START).split(' ')[0];

async function open(query = '', options = {}, prepare = async () => {}) {
  const page = await person(browser, options);
  await prepare(page);
  await page.goto(`${service.url}/replay/${game}${query}`);
  await page.getByRole('slider', { name: 'Timeline' }).waitFor();
  return page;
}

test('it is gone through by buttons, keys, the list and the address', async () => {
  const last = record.moves.length;
  const page = await open();
  await at(page, last);
  await page.getByRole('heading', { name: / won$/ }).waitFor();
  await page.getByText('resigned').waitFor();
  for (const [go, n] of [
    [() => page.getByRole('button', { name: 'To the start' }).click(), 0],
    [() => page.getByRole('button', { name: 'One move on' }).click(), 1],
    [() => page.keyboard.press('ArrowRight'), 2],
    [() => page.keyboard.press('ArrowLeft'), 1],
    [() => page.getByRole('button', { name: /^4\. / }).click(), 4],
    [() => page.getByRole('slider', { name: 'Timeline' }).fill('3'), 3],
    [() => page.getByRole('button', { name: 'To the end' }).click(), last],
  ]) {
    await go();
    await at(page, n);
    assert.equal(await placement(page), endOf(n));
    assert.equal(new URL(page.url()).searchParams.get('move'), String(n));
  }
  // Nothing is counted in this game, not even at the start.
  await page.keyboard.press('Home');
  await at(page, 0);
  assert.equal(await page.locator('player-plate .score').count(), 0);
  // Space opens what has the focus, and plays nothing.
  await page.getByRole('button', { name: 'Verify the dice' }).click();
  await page.getByText('Seeds', { exact: true }).focus();
  await page.keyboard.press(' ');
  await page.getByText('Commitment (SHA-256 of the seed)').waitFor();
  await page.keyboard.press('ArrowRight');
  await at(page, 1);
  assert.equal(await page.getByRole('button', { name: 'Play', exact: true }).count(), 1);

  // On a phone that lies on its side the dice are beside the board.
  await page.setViewportSize({ width: 640, height: 400 });
  const [board, tray] = await Promise.all(['chess-squares', 'turn-tray'].map((name) => page.locator(`replay-page ${name}`).boundingBox()));
  assert.ok(tray.x >= board.x + board.width && tray.x + tray.width <= 640 && tray.y < board.y + board.height, JSON.stringify({ board, tray }));
  assert.ok(board.height <= 340, 'the board is seen whole');

  const asked = await open('?move=2');
  await at(asked, 2);
  assert.equal(await placement(asked), endOf(2));
  assertQuiet(page, asked);
});

test('it plays itself to its end, micro-move by micro-move', async () => {
  const page = await open('?move=0', { reducedMotion: 'no-preference' });
  await at(page, 0);
  await page.getByRole('button', { name: '4×' }).click();
  const seen = page.locator('dice-chess-board').evaluate(
    (board) =>
      new Promise((resolve) => {
        const seen = new Set();
        const squares = board.renderRoot.querySelector('chess-squares');
        const timer = setInterval(() => {
          seen.add(squares.dfen.split(' ')[0]);
          if (board.at === board.moves.length && !board.busy) (clearInterval(timer), resolve([...seen]));
        }, 5);
      }),
  );
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  const positions = await seen;
  for (let n = 0; n <= record.moves.length; n++) assert.ok(positions.includes(endOf(n)), `${n}`);
  assert.ok(positions.length > new Set(record.moves.map(({ dfenAfter }) => dfenAfter.split(' ')[0])).size, 'between two turns something is seen');
  assertQuiet(page);
});

test('the dice are verified, and loaded dice are found out', async () => {
  const honest = await open();
  await honest.getByRole('button', { name: 'Verify the dice' }).click();
  await honest.getByText(`All ${record.moves.length} rolls follow from the seeds.`).waitFor();

  const tell = (change) => async (page) =>
    page.route(`**/game/${game}`, async (route) => {
      const answer = await (await route.fetch()).json();
      change(answer.record);
      await route.fulfill({ json: answer });
    });
  const turn = record.moves.findIndex(({ moves }) => moves.length === 0);
  const loaded = await open('', {}, tell((record) => {
    // A pass with other dice looks the same on the board.
    const index = turn < 0 ? 0 : turn;
    record.moves[index].dice = record.moves[index].dice.map((die) => (die % 6) + 1);
    if (turn < 0) record.moves[index].moves = [];
  }));
  await loaded.getByRole('button', { name: 'Verify the dice' }).click();
  await loaded.getByText(`These rolls do not follow from the seeds: ${(turn < 0 ? 0 : turn) + 1}.`).waitFor();

  const other = await open('', {}, tell((record) => (record.fairness.commit = 'ab'.repeat(32))));
  await other.getByRole('button', { name: 'Verify the dice' }).click();
  await other.getByText('not the one that was committed to').waitFor();
  assertQuiet(honest, loaded, other);
});

test('turns that are too many to be sent along are asked for', async () => {
  const [ada, bo] = await Promise.all([person(browser), person(browser)]);
  let withheld = 0;
  // Wherever a page may hear of the turns first; some rolls have too many by themselves.
  const withhold = (told) => {
    for (const place of [told, told?.change, told?.game]) {
      if (place && 'legalMoves' in place) (place.legalMoves = null), withheld++;
    }
    return told;
  };
  for (const page of [ada, bo]) {
    await page.route(/\/games?\/[0-9a-f-]+$/, async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: withhold(await answer.json()) });
    });
    await page.routeWebSocket('**/ws', (socket) => {
      const server = socket.connectToServer();
      server.onMessage((message) => {
        const frame = JSON.parse(String(message));
        withhold(frame.payload);
        socket.send(JSON.stringify(frame));
      });
    });
  }
  await beginDiceChess(service, ada, bo);
  const { page, offer, turns } = await mover([ada, bo]);
  assert.ok(withheld > 0);
  await playTurn(page, quiet(offer));
  for (const each of [ada, bo]) await untilBoard(each, (board) => board.turns > turns, 'has the turn');
  assertQuiet(ada, bo);
});

test('whoever goes is counted down, and loses to the second', async () => {
  const [ada, bo] = await Promise.all([person(browser), person(browser)]);
  await beginDiceChess(service, ada, bo);
  await mover([ada, bo]);
  await bo.context().close();
  await ada.getByText(/loses in 0:[123]\d/).waitFor();
  await ada.getByRole('heading', { name: 'You won' }).waitFor({ timeout: 40_000 });
  await ada.getByText('left the game').waitFor();
  assertQuiet(ada);
});
