// A finished game, looked at again.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertQuiet, begin, focused, games, launch, person, play, shows } from './support/players.mjs';
import { Service } from './support/service.mjs';

let browser, service, game;
const [shortest] = await games();
const LAST = shortest.moves.length;

before(async () => {
  [browser, service] = await Promise.all([launch(), Service.start()]);
  const [ada, bo] = await Promise.all([person(browser), person(browser)]);
  game = await begin(service, ada, bo);
  await play(ada, bo, shortest.moves);
  for (const page of [ada, bo]) await page.context().close();
});
after(async () => {
  await browser.close();
  await service.end();
});

const move = (page) => new URL(page.url()).searchParams.get('move');
const counts = (page) => page.locator('replay-page mancala-board').evaluate((element) => element.shown);

/** Notes every move that a page comes to, however short it stays there. */
async function passing(page) {
  await page.evaluate(() => {
    globalThis.passed = [];
    const replace = history.replaceState.bind(history);
    history.replaceState = (state, title, url) => {
      globalThis.passed.push(new URLSearchParams(url).get('move'));
      replace(state, title, url);
    };
  });
  return async (count) => {
    await page.waitForFunction((count) => globalThis.passed.length >= count, count);
    return page.evaluate((count) => globalThis.passed.slice(0, count), count);
  };
}

/** The replay, as somebody who did not play sees it. */
async function open(query = '', options = {}) {
  const page = await person(browser, options);
  await page.goto(`${service.url}/replay/${game}${query}`);
  await page.getByRole('slider', { name: 'Timeline' }).waitFor();
  return page;
}

test('it begins at the end, with the result, and can be watched from the start', async () => {
  const page = await open();
  await page.getByRole('heading', { name: / won$/ }).waitFor();
  await shows(page, LAST);
  assert.deepEqual(await counts(page), shortest.moves.at(-1)[2]);
  const passed = await passing(page);
  await page.getByRole('button', { name: 'Watch from start' }).click();
  assert.deepEqual(await passed(3), ['0', '1', '2']);
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
  assertQuiet(page);
});

test('at four times the speed it comes to its end by itself', async () => {
  const page = await open('?move=2');
  const passed = await passing(page);
  await page.getByRole('button', { name: '4×' }).click();
  assert.equal(await page.getByRole('button', { name: '4×' }).getAttribute('aria-pressed'), 'true');
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  const moves = await passed(LAST - 2);
  assert.deepEqual(moves, Array.from({ length: LAST - 2 }, (_, n) => String(n + 3)));
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
  await page.getByRole('heading', { name: / won$/ }).waitFor();
  assertQuiet(page);
});

test('buttons, the slider and the list go to a move, and the address says which', async () => {
  const page = await open();
  const go = async (name, at) => {
    await page.getByRole('button', { name }).click();
    await shows(page, at);
    assert.equal(move(page), String(at));
    if (at > 0) assert.deepEqual(await counts(page), shortest.moves[at - 1][2]);
  };
  await go('To the start', 0);
  assert.ok(await page.getByRole('button', { name: 'One move back' }).isDisabled());
  await go('One move on', 1);
  await go('One move on', 2);
  await go('One move back', 1);
  await go(/^5\. /, 5);
  await go('To the end', LAST);
  await page.getByRole('slider', { name: 'Timeline' }).fill('7');
  await shows(page, 7);
  assert.equal(move(page), '7');
  const before = await page.evaluate(() => history.length);
  await go('One move on', 8);
  assert.equal(await page.evaluate(() => history.length), before, 'the way back leads out of the replay');
  assertQuiet(page);
});

test('keys do the same', async () => {
  const page = await open('?move=3');
  await shows(page, 3);
  await page.keyboard.press('ArrowRight');
  await shows(page, 4);
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await shows(page, 2);
  assert.equal(move(page), '2');
  const passed = await passing(page);
  await page.keyboard.press(' ');
  assert.deepEqual(await passed(2), ['3', '4']);
  await page.keyboard.press(' ');
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
  assertQuiet(page);
});

test('an address with a move begins there, one with nonsense at the end, and is put right', async () => {
  const page = await person(browser);
  for (const [query, at] of [
    ['?move=0', 0],
    ['?move=6', 6],
    ['?move=999', LAST],
    ['?move=-4', 0],
    ['?move=06', 6],
    ...['x', '', '%20', '0x1', '1e0', '1.0', '2%20'].map((nonsense) => [`?move=${nonsense}`, LAST]),
  ]) {
    await page.goto(`${service.url}/replay/${game}${query}`);
    await shows(page, at);
    assert.equal(move(page), String(at), query);
  }
  assertQuiet(page);
});

test('what has the focus keeps it, or it goes where it is needed next', async () => {
  const page = await open();
  await page.getByRole('button', { name: 'Watch from start' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  assert.equal(await focused(page), 'Pause');
  await page.keyboard.press(' ');
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
  await page.getByRole('button', { name: /^14\. / }).click();
  await page.getByRole('button', { name: 'One move on' }).focus();
  for (let at = 14; at < LAST; at++) await page.keyboard.press('Enter');
  await shows(page, LAST);
  assert.ok(await page.getByRole('button', { name: 'One move on' }).isDisabled());
  assert.equal(await focused(page), 'One move on');
  await page.keyboard.press('Enter');
  await shows(page, LAST);

  // Space is for what has the focus, where it does something.
  await page.getByRole('button', { name: /^5\. / }).click();
  await page.getByRole('link', { name: 'turnstream: Home' }).focus();
  await page.keyboard.press(' ');
  await page.keyboard.press('ArrowRight');
  await shows(page, 6);
  assert.equal(await page.getByRole('button', { name: 'Play', exact: true }).count(), 1);
  assertQuiet(page);
});

test('nothing moves when the end is left, and a large screen is used', async () => {
  const page = await open();
  const top = async (at) => {
    await shows(page, at);
    return (await page.getByRole('slider', { name: 'Timeline' }).boundingBox()).y;
  };
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    await page.keyboard.press('End');
    const end = await top(LAST);
    await page.getByRole('button', { name: 'One move back' }).click();
    assert.equal(await top(LAST - 1), end, `${width}`);
  }
  await page.setViewportSize({ width: 1920, height: 1080 });
  const { width } = await page.locator('mancala-board .board').boundingBox();
  assert.ok(width > 0.6 * 1920, `${width}`);
  const controls = await page.getByRole('slider', { name: 'Timeline' }).boundingBox();
  assert.ok(controls.y + controls.height < 1080, 'and all of it is seen at once');
  assertQuiet(page);
});

test('a step forward is played, a jump is set', async () => {
  const page = await open('?move=0', { reducedMotion: 'no-preference' });
  await shows(page, 0);
  // How often the board was busy, however short.
  await page.locator('replay-page mancala-board').evaluate((element) => {
    element.played = 0;
    new MutationObserver(() => element.hasAttribute('busy') && element.played++).observe(element, { attributeFilter: ['busy'] });
  });
  const played = () => page.locator('replay-page mancala-board').evaluate((element) => element.played);
  await page.getByRole('button', { name: 'One move on' }).click();
  await shows(page, 1);
  assert.equal(await played(), 1);
  await page.getByRole('button', { name: 'To the end' }).click();
  await shows(page, LAST);
  assert.equal(await played(), 1);
  assert.deepEqual(await counts(page), shortest.moves.at(-1)[2]);
  // A jump in the middle of a move sets the board too.
  await page.getByRole('button', { name: 'To the start' }).click();
  await page.getByRole('button', { name: 'One move on' }).click();
  await page.getByRole('button', { name: /^9\. / }).click();
  await shows(page, 9);
  assert.deepEqual(await counts(page), shortest.moves[8][2]);
  assertQuiet(page);
});

test('nothing on the board can be pressed, and it can be turned', async () => {
  const page = await open();
  const all = page.locator('replay-page mancala-board');
  await shows(page, LAST);
  await all.locator('button').first().waitFor();
  assert.equal(await all.locator('button:not([disabled]):not([aria-disabled])').count(), 0);
  // Pits bear the numbers by which the list of moves calls them: one's own from the left, the other's from the right.
  const drawn = (signs) => signs.filter((sign) => getComputedStyle(sign, '::before').content !== 'none').map((sign) => sign.dataset.number);
  assert.deepEqual(await all.locator('.pit-number').evaluateAll(drawn), [...'654321123456']);
  const below = () => all.locator('[data-place="0"]').getAttribute('class');
  assert.match(await below(), /below/);
  await page.getByRole('button', { name: 'Turn the board' }).click();
  await page.locator('mancala-board [data-place="0"].above').waitFor();
  assertQuiet(page);
});

test('a link to a game that is over leads to its replay, and one to no game says so', async () => {
  const page = await person(browser);
  await page.goto(`${service.url}/play/${game}`);
  await page.waitForURL(`**/replay/${game}`);
  for (const path of ['play', 'replay']) {
    await page.goto(`${service.url}/${path}/00000000-0000-7000-8000-000000000000`);
    await page.getByRole('heading', { name: 'There is no such game' }).waitFor();
  }
  assertQuiet(page);
});

test('the board has the same proportions at any width', async () => {
  const page = await open();
  const ratio = (box) => (box.width / box.height).toFixed(1);
  const seen = [];
  for (const width of [320, 390, 768, 1280, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    const box = await page.locator('mancala-board .board').boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= width, `${width}: ${JSON.stringify(box)}`);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, `${width}: the page scrolls sideways`);
    seen.push(ratio(box));
  }
  await page.locator('mancala-board').evaluate((element) => (element.width = 500));
  await page.waitForFunction(() => {
    const find = (root) => root.querySelector('mancala-board') ?? [...root.querySelectorAll('*')].map((e) => e.shadowRoot && find(e.shadowRoot)).find(Boolean);
    return Math.round(find(document).getBoundingClientRect().width) === 500;
  });
  assert.deepEqual(new Set(seen).size, 1, String(seen));
});
