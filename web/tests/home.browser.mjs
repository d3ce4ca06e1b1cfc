// What is said of games away from their boards: the lists at home, the history, one's own game from anywhere.

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { asGuest, guest, join, leave, move, start } from './support/interface.mjs';
import { assertQuiet, games, launch, person } from './support/players.mjs';
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

/** A guest in front of a browser. */
async function visitor(name, options) {
  const [page, who] = await Promise.all([person(browser, options), guest(service, name)]);
  await asGuest(page, who);
  return [page, who];
}

const section = (page, name) => page.locator('section', { has: page.getByRole('heading', { name }) });
const banner = (page) => page.getByRole('complementary', { name: 'Your game' });

/** What the lists say before a game that has just ended is in them, `times` times each. */
async function lagging(page, times) {
  for (const [path, nothing] of [
    ['**/games/popular*', { kind: 'finished', games: [] }],
    ['**/games/me?*', { games: [] }],
  ]) {
    let left = times;
    await page.route(path, (route) => (left-- > 0 ? route.fulfill({ json: nothing }) : route.continue()));
  }
}

test('a game that ends while nobody watches it goes from the banner and comes into the lists, however late', async () => {
  const [page, ada] = await visitor('Ada');
  const bo = await guest(service, 'Bora');
  const game = await start(service, ada, bo);
  for (const [seat, index] of shortest.moves.slice(0, 4)) await move(service, game, seat === 1 ? ada : bo, index);
  await page.goto(service.url);
  await banner(page).getByText('against Bora').waitFor();
  await page.getByRole('heading', { name: 'Live games' }).waitFor();
  await lagging(page, 1);
  await leave(service, game, bo);
  await banner(page).waitFor({ state: 'hidden' });
  const recent = section(page, 'Your recent games').locator('game-card');
  await recent.getByText('Won').waitFor();
  await section(page, 'Popular games').locator('game-card').waitFor();

  // What the card says: the score of each, and when.
  const [, , board] = shortest.moves[3];
  assert.deepEqual(await recent.locator('.player').allInnerTexts(), [`Bora\n${board[13]}`, `Ada\n${board[6]}`]);
  assert.ok(Math.abs(Date.parse(await recent.locator('time').getAttribute('datetime')) - Date.now()) < 60_000);
  assert.match(await recent.locator('time').innerText(), new RegExp(`${new Date().getFullYear()}`));
  assertQuiet(page);
});

test('a list that was asked for before is not shown in place of a newer one', async () => {
  const page = await person(browser);
  let release = () => {};
  const held = new Promise((resolve) => (release = resolve));
  await page.route('**/games/popular*', async (route) => {
    const answer = await route.fetch();
    await held;
    await route.fulfill({ response: answer });
  });
  await page.goto(service.url);
  await page.getByRole('heading', { name: 'Mangala and dice chess, live.' }).waitFor();
  const [ada, bo] = await Promise.all(['Ada', 'Bora'].map((name) => guest(service, name)));
  await start(service, ada, bo);
  await page.getByRole('heading', { name: 'Live games' }).waitFor();
  const answered = page.waitForResponse('**/games/popular*');
  release();
  await (await answered).finished();
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
  assert.equal(await page.getByRole('heading', { name: 'Live games' }).count(), 1);
  assert.equal(await page.locator('game-card').count(), 1);
  assertQuiet(page);
});

test('a game that begins or goes on elsewhere is told of on every page, with the way there', async () => {
  const [page] = await visitor('Ada');
  const bo = await guest(service, 'Bora');
  await page.goto(`${service.url}/new?invite`);
  // Asking for a friend chooses nothing yet.
  await page.getByRole('radio', { name: /Dice chess/ }).check();
  await page.getByRole('button', { name: 'Invite a friend' }).click();
  const link = await page.getByLabel('Invitation link').inputValue();
  await page.getByText('even if you leave this page').waitFor();
  await page.getByRole('button', { name: 'Back' }).click();
  await page.getByRole('button', { name: 'Find an opponent' }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Find an opponent' }).waitFor();
  assert.equal(await page.getByLabel('Invitation link').count(), 0);

  await page.goto(`${service.url}/history`);
  await page.getByRole('heading', { name: 'All games' }).waitFor();
  const id = await join(service, link, bo);
  const notice = page.getByRole('status').filter({ hasText: 'Your game against Bora' });
  await notice.getByRole('link', { name: 'Continue' }).click();
  await page.waitForURL(`**/play/${id}`);
  await notice.waitFor({ state: 'hidden' });
  await page.goBack();
  await page.getByRole('heading', { name: 'All games' }).waitFor();
  await notice.waitFor();
  await leave(service, id, bo);
  await notice.waitFor({ state: 'hidden' });
  assertQuiet(page);
});

test('the longest names break no page, on a phone and on a tablet', async () => {
  const wide = 'W'.repeat(32);
  const [page, ada] = await visitor(wide, { viewport: { width: 360, height: 740 } });
  const [bo, cem] = await Promise.all([wide, wide].map((name) => guest(service, name)));
  for (const kind of ['dicechess', 'mancala']) await leave(service, await start(service, bo, cem, kind), cem);
  const finished = await start(service, ada, bo);
  await leave(service, finished, bo);
  const game = await start(service, ada, bo);
  const watched = await start(service, cem, await guest(service, wide), 'dicechess');
  const pages = ['/', '/history', `/play/${game}`, `/play/${watched}`, `/replay/${finished}`, '/new'];
  for (const width of [360, 768]) {
    await page.setViewportSize({ width, height: 740 });
    for (const path of pages) {
      await page.goto(`${service.url}${path}`);
      await page.locator('game-card, player-plate, lobby-page').last().waitFor();
      await page.locator('.board, turn-tray, lobby-page form').last().waitFor();
      if (path.endsWith(watched)) await page.getByText(/’s roll$/).waitFor();
      await page.evaluate(() => document.fonts.ready);
      const found = await page.evaluate(() => {
        const all = (root) => [...root.querySelectorAll('*')].flatMap((e) => [e, ...(e.shadowRoot ? all(e.shadowRoot) : [])]);
        const seen = all(document).filter((e) => !e.closest('.hidden-text, .skip') && e.checkVisibility());
        const out = (e) => e.getBoundingClientRect().right > innerWidth + 0.5;
        return { width: document.documentElement.scrollWidth, out: seen.filter(out).map((e) => `${e.localName}.${e.className?.baseVal ?? e.className}`) };
      });
      assert.deepEqual(found, { width, out: [] }, `${path} at ${width}`);
    }
  }
  assertQuiet(page);
});

test('the history shows more as long as there is more', async () => {
  const [page, ada] = await visitor('Ada');
  const bo = await guest(service, 'Bora');
  for (let n = 0; n < 14; n++) await leave(service, await start(service, ada, bo), bo);
  await page.goto(`${service.url}/history`);
  const cards = page.locator('game-card');
  await cards.nth(11).waitFor();
  assert.equal(await cards.count(), 12);
  await page.getByRole('button', { name: 'Show more' }).click();
  await cards.nth(13).waitFor();
  assert.equal(await cards.count(), 14);
  await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'hidden' });
  const times = await cards.locator('time').evaluateAll((all) => all.map((time) => time.dateTime));
  assert.deepEqual(times, times.toSorted().reverse(), 'the newest first');
  assertQuiet(page);
});
