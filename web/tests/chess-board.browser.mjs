// The board of dice chess by itself: choosing, dragging, taking back, promoting, sending, and what it shows of others.

import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { assertQuiet, launch, person } from './support/players.mjs';
import { Service } from './support/service.mjs';

const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';
const TREE = { g1f3: { f3e5: { a2a3: {}, a2a4: {} } }, a2a3: { g1f3: { f3e5: {}, f3g1: {} } } };
const OFFER = { dfen: `${START} PNN`, dice: [2, 1, 2], tree: TREE };

let browser, service;
before(async () => ([browser, service] = await Promise.all([launch(), Service.start()])));
after(async () => {
  await browser.close();
  await service.end();
});
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
});

/** A page with nothing but a board. */
async function table(properties, options) {
  const page = await person(browser, options);
  await page.goto(service.url);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.evaluate(async (properties) => {
    await import('/web/app/board/dice-chess-board.js');
    const board = document.createElement('dice-chess-board');
    Object.assign(board, { width: 480, names: { player1: 'Ada', player2: 'Bo' }, playable: true, ...properties });
    globalThis.board = board;
    globalThis.turns = [];
    board.addEventListener('turn', ({ detail }) => globalThis.turns.push(detail));
    document.body.replaceChildren(board);
    await board.updateComplete;
  }, properties);
  await page.locator('.pieces g').first().waitFor();
  return page;
}

const square = (page, name) => page.locator(`button[data-square="${name}"]`);
const placement = (page) => page.evaluate(() => globalThis.board.renderRoot.querySelector('chess-squares').dfen.split(' ')[0]);
/** What the board module has drawn. */
const drawn = (page) =>
  page.evaluate(() => {
    const root = globalThis.board.renderRoot.querySelector('chess-squares').renderRoot;
    return Object.fromEntries([...root.querySelectorAll('.pieces > g')].map((piece) => [piece.dataset.square, piece.dataset.piece]));
  });
const sent = async (page, count = 1) => {
  await page.waitForFunction((count) => globalThis.turns.length >= count, count);
  return page.evaluate(() => globalThis.turns);
};
const move = async (page, from, to) => {
  await square(page, from).click();
  await square(page, to).click();
};

test('only what the tree offers can be chosen, and a turn goes out by itself once it is whole', async () => {
  const page = await table({ offer: OFFER });
  await page.getByRole('img', { name: 'Dice: knight, pawn, knight' }).waitFor();
  const sources = () => page.locator('button[aria-pressed]').evaluateAll((all) => all.map((one) => one.dataset.square).sort());
  assert.deepEqual(await sources(), ['a2', 'g1']);
  await square(page, 'b1').click({ force: true });
  await square(page, 'c3').click({ force: true });
  assert.equal(await placement(page), START.split(' ')[0]);

  await square(page, 'g1').click();
  assert.equal(await page.locator('button.target').count(), 1);
  assert.equal(await square(page, 'f3').getAttribute('aria-label'), 'f3, empty, can be moved to');
  await square(page, 'f3').click();
  assert.deepEqual(await sources(), ['f3']);
  await page.getByRole('img', { name: 'Dice: knight, pawn, knight. Left: pawn, knight' }).waitFor();
  await move(page, 'f3', 'e5');
  await move(page, 'a2', 'a4');
  assert.equal(await placement(page), 'rnbqkbnr/pppppppp/8/4N3/P7/8/1PPPPPPP/RNBQKB1R');
  assert.deepEqual(await sent(page), [['g1f3', 'f3e5', 'a2a4']]);
  assertQuiet(page);
});

test('a turn is taken back, whole or in part, before it is sent', async () => {
  const page = await table({ offer: OFFER });
  await move(page, 'g1', 'f3');
  await move(page, 'f3', 'e5');
  await move(page, 'a2', 'a3');
  await page.getByRole('button', { name: 'Take back' }).click();
  assert.equal(await placement(page), 'rnbqkbnr/pppppppp/8/4N3/8/8/PPPPPPPP/RNBQKB1R');
  await page.getByRole('button', { name: 'Take back' }).click();
  await page.getByRole('button', { name: 'Take back' }).click();
  assert.equal(await page.getByRole('button', { name: 'Take back' }).count(), 0);
  assert.equal(await placement(page), START.split(' ')[0]);
  // What was taken back is not sent, however long one waits: another turn is.
  await move(page, 'a2', 'a3');
  await move(page, 'g1', 'f3');
  await move(page, 'f3', 'g1');
  await page.getByRole('button', { name: 'Send turn' }).click();
  assert.deepEqual(await sent(page), [['a2a3', 'g1f3', 'f3g1']]);
  assertQuiet(page);
});

test('a whole turn goes out although an earlier one is looked at meanwhile', async () => {
  const page = await table({ offer: OFFER });
  await move(page, 'a2', 'a3');
  await move(page, 'g1', 'f3');
  await move(page, 'f3', 'e5');
  await page.getByText('Going out…').waitFor();
  // As a game does that is looked back in.
  await page.evaluate(() => Object.assign(globalThis.board, { playable: false, at: -1 }));
  assert.deepEqual(await sent(page), [['a2a3', 'g1f3', 'f3e5']]);
  assertQuiet(page);
});

test('by keyboard a turn waits for the key that sends it', async () => {
  const page = await table({ offer: OFFER });
  await square(page, 'e2').focus();
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowDown', 'Enter', 'ArrowUp', 'ArrowUp', 'ArrowLeft', 'Enter']) await page.keyboard.press(key);
  assert.equal(await placement(page), 'rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R');
  for (const key of [' ', 'ArrowUp', 'ArrowUp', 'ArrowLeft', ' ']) await page.keyboard.press(key);
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'Enter', 'ArrowUp', 'Enter']) await page.keyboard.press(key);
  const send = page.getByRole('button', { name: 'Send turn' });
  await send.waitFor();
  await page.waitForFunction(() => {
    let active = document.activeElement;
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    return active?.classList.contains('send');
  });
  assert.equal(await page.locator('.send.soon').count(), 0);
  await page.keyboard.press('Enter');
  assert.deepEqual(await sent(page), [['g1f3', 'f3e5', 'a2a3']]);
  assertQuiet(page);
});

test('a piece is dragged, and dropped elsewhere it goes back', async () => {
  const page = await table({ offer: OFFER });
  const drag = async (from, to) => {
    const [start, end] = await Promise.all([from, to].map((name) => square(page, name).boundingBox()));
    await page.mouse.move(start.x + 20, start.y + 20);
    await page.mouse.down();
    await page.mouse.move(start.x + 40, start.y - 10, { steps: 3 });
    await page.mouse.move(end.x + 20, end.y + 20, { steps: 3 });
    await page.mouse.up();
  };
  await drag('g1', 'g5');
  assert.equal(await placement(page), START.split(' ')[0]);
  assert.equal((await drawn(page)).g1, 'wn');
  await drag('b1', 'c3');
  assert.equal(await placement(page), START.split(' ')[0]);
  await drag('g1', 'f3');
  assert.equal(await placement(page), 'rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R');
  await page.locator('.pieces > g[data-square="f3"]:not(.held)').waitFor();
  const pieces = await drawn(page);
  assert.deepEqual([pieces.f3, pieces.g1], ['wn', undefined]);
  assertQuiet(page);
});

test('a pawn that reaches the last rank asks what it becomes, and need not', async () => {
  const dfen = '7k/P7/8/8/8/8/8/4K3 w - - 0 1 P';
  const tree = Object.fromEntries(['q', 'r', 'b', 'n'].map((piece) => [`a7a8${piece}`, {}]));
  const page = await table({ offer: { dfen, dice: [1], tree } });
  await move(page, 'a7', 'a8');
  await page.getByRole('dialog', { name: 'Promote to' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  assert.equal(await placement(page), '7k/P7/8/8/8/8/8/4K3');
  await move(page, 'a7', 'a8');
  await page.getByRole('button', { name: 'knight' }).click();
  assert.deepEqual(await sent(page), [['a7a8n']]);
  assert.equal(await placement(page), 'N6k/8/8/8/8/8/8/4K3');
  assertQuiet(page);
});

test('castling is chosen with the king, and moves both', async () => {
  const page = await table({ offer: { dfen: '4k3/8/8/8/8/8/8/4K2R w K - 0 1 RK', dice: [6, 4], tree: { e1g1: {} } } });
  await move(page, 'e1', 'g1');
  assert.equal(await placement(page), '4k3/8/8/8/8/8/8/5RK1');
  await page.getByRole('img', { name: 'Dice: king, rook. Left: none' }).waitFor();
  assert.deepEqual(await sent(page), [['e1g1']]);
  assertQuiet(page);
});

test('a turn that is played is not shown again, one that is refused can be played again', async () => {
  const page = await table({ offer: OFFER });
  await move(page, 'g1', 'f3');
  await move(page, 'f3', 'e5');
  await move(page, 'a2', 'a3');
  await page.getByRole('button', { name: 'Send turn' }).click();
  await page.evaluate(() => (globalThis.board.pending = globalThis.turns[0]));
  await page.getByText('Turn sent').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Take back' }).count(), 0);
  await page.evaluate(() => (globalThis.board.pending = null));
  await page.getByRole('button', { name: 'Take back' }).waitFor();
  // Accepted: the same position in the history, and the other's dice.
  const after = 'rnbqkbnr/pppppppp/8/4N3/8/P7/1PPPPPPP/RNBQKB1R b KQkq - 0 1';
  const seen = await page.evaluate(async (after) => {
    const seen = new Set();
    const squares = globalThis.board.renderRoot.querySelector('chess-squares');
    const look = setInterval(() => seen.add(squares.dfen.split(' ')[0]), 5);
    Object.assign(globalThis.board, {
      moves: [{ playerId: '1', dice: [2, 1, 2], moves: ['g1f3', 'f3e5', 'a2a3'], dfenAfter: after, at: 0 }],
      at: 1,
      playable: false,
      offer: { dfen: `${after} ppk`, dice: [1, 6, 1], tree: { a7a6: {} } },
    });
    await globalThis.board.updateComplete;
    await new Promise((resolve) => setTimeout(resolve, 100));
    clearInterval(look);
    return [...seen];
  }, after);
  assert.deepEqual(seen, [after.split(' ')[0]]);
  await page.getByText('Bo’s roll').waitFor();
  assert.equal(await page.locator('button[aria-pressed]').count(), 0);
  assertQuiet(page);
});

test('another\'s turn is shown step by step, and who cannot wait sees its end', async () => {
  const page = await table({ moves: [], at: 0, playable: false }, { reducedMotion: 'no-preference' });
  const turn = { playerId: '1', dice: [2, 2, 1], moves: ['g1f3', 'f3e5', 'a2a3'], dfenAfter: 'rnbqkbnr/pppppppp/8/4N3/8/P7/1PPPPPPP/RNBQKB1R b KQkq - 0 1', at: 0 };
  const show = (moves, rest) =>
    page.evaluate(
      ([moves, rest]) =>
        new Promise((resolve) => {
          const seen = [];
          const squares = globalThis.board.renderRoot.querySelector('chess-squares');
          const look = () => seen.at(-1) !== squares.dfen.split(' ')[0] && seen.push(squares.dfen.split(' ')[0]);
          const timer = setInterval(look, 10);
          globalThis.board.addEventListener('rest', async () => (await globalThis.board.updateComplete, clearInterval(timer), look(), resolve(seen)), { once: true });
          Object.assign(globalThis.board, { moves, at: moves.length, ...rest });
        }),
      [moves, rest],
    );
  assert.deepEqual(await show([turn], {}), [
    'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR',
    'rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R',
    'rnbqkbnr/pppppppp/8/4N3/8/8/PPPPPPPP/RNBQKB1R',
    'rnbqkbnr/pppppppp/8/4N3/8/P7/1PPPPPPP/RNBQKB1R',
  ]);
  // A forced pass is shown too.
  const pass = { playerId: '2', dice: [3, 4, 5], moves: [], dfenAfter: 'rnbqkbnr/pppppppp/8/4N3/8/P7/1PPPPPPP/RNBQKB1R w KQkq - 1 2', at: 0 };
  const passed = page.getByText('Bo cannot move and passes.').waitFor();
  await Promise.all([show([turn, pass], {}), passed]);
  const third = { playerId: '1', dice: [2, 1, 2], moves: ['e5f3', 'f3g1'], dfenAfter: 'rnbqkbnr/pppppppp/8/8/8/P7/1PPPPPPP/RNBQKBNR b KQkq - 3 2', at: 0 };
  // The other is to move: pressing the board is no waste of time.
  const offer = { dfen: `${third.dfenAfter} ppp`, dice: [1, 1, 1], tree: { a7a6: {} } };
  const skipped = show([turn, pass, third], { seat: 'player2', playable: true, offer });
  await square(page, 'e4').click({ force: true });
  const seen = await skipped;
  assert.ok(seen.length < 4 && seen.at(-1) === third.dfenAfter.split(' ')[0], String(seen));
  assertQuiet(page);
});

test('it has the same proportions at any width, and turns', async () => {
  const page = await table({ moves: [], at: 0, offer: OFFER });
  for (const width of [160, 320, 720]) {
    await page.evaluate((width) => (globalThis.board.width = width), width);
    await page.waitForFunction((width) => {
      const squares = globalThis.board.renderRoot.querySelector('chess-squares');
      const svg = squares.renderRoot.querySelector('.cm-chessboard');
      return Math.round(squares.getBoundingClientRect().width) === width && Math.abs(svg.getBoundingClientRect().width - 0.96 * width) < 2;
    }, width);
    const box = await page.locator('div.board').boundingBox();
    assert.ok(Math.abs(box.width - box.height) < 0.5, JSON.stringify(box));
    // The pieces lie under the buttons for their squares.
    const [piece, button] = await Promise.all([page.locator('.pieces > g[data-square="e1"]').boundingBox(), square(page, 'e1').boundingBox()]);
    assert.ok(Math.abs(piece.x + piece.width / 2 - button.x - button.width / 2) < width / 50, `${width}`);
  }
  await page.evaluate(() => (globalThis.board.seat = 'player2'));
  await page.waitForFunction(() => {
    const root = globalThis.board.renderRoot.querySelector('chess-squares').renderRoot;
    const [king, button] = [root.querySelector('.pieces > g[data-square="e8"]'), root.querySelector('button[data-square="e8"]')].map((one) => one?.getBoundingClientRect());
    return king && Math.abs(king.y - button.y) < 20 && button.y > 400;
  });
  assertQuiet(page);
});
