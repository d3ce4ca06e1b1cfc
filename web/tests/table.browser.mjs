// Around the board: finding an opponent, windows, hands, eyes and ears.

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { assertQuiet, begin, board, games, launch, listen, person, play, shows } from './support/players.mjs';
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

test('strangers find each other, and nobody plays two games', async () => {
  const [ada, bo] = await people(2);
  for (const page of [ada, bo]) await page.goto(`${service.url}/new`);
  await ada.getByRole('button', { name: 'Find an opponent' }).click();
  await ada.getByText('Looking for an opponent').waitFor();
  await ada.getByRole('button', { name: 'Cancel' }).click();
  await ada.getByRole('button', { name: 'Find an opponent' }).click();
  await ada.getByText('Looking for an opponent').waitFor();
  await bo.getByRole('button', { name: 'Find an opponent' }).click();
  await Promise.all([ada, bo].map((page) => page.waitForURL('**/play/*')));
  const game = ada.url();

  await ada.goto(`${service.url}/new`);
  await ada.getByRole('button', { name: 'Find an opponent' }).click();
  const busy = ada.getByRole('alert').filter({ hasText: 'You have a game in progress' });
  await busy.waitFor();
  // It is no alarm, and has room.
  const { background, padding } = await busy.evaluate((panel) => {
    const { backgroundColor, paddingTop } = getComputedStyle(panel);
    const soft = panel.appendChild(document.createElement('i'));
    soft.style.setProperty('background', 'var(--accent-soft)');
    return { background: backgroundColor === getComputedStyle(soft).backgroundColor, padding: parseFloat(paddingTop) };
  });
  assert.ok(background && padding > 16, JSON.stringify({ background, padding }));
  await ada.getByRole('link', { name: 'Continue' }).click();
  await ada.waitForURL(game);

  await ada.goto(service.url);
  const banner = ada.getByRole('complementary', { name: 'Your game' });
  await banner.getByText(/turn$/).waitFor();
  await banner.getByRole('link', { name: 'Continue' }).click();
  await ada.waitForURL(game);
  assertQuiet(ada, bo);
});

test('an invitation is copied and shared, and its buttons are heard of by name', async () => {
  const [ada] = await people(1);
  await ada.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await ada.addInitScript(() => (navigator.share = async (what) => void (globalThis.shared = what)));
  await ada.goto(`${service.url}/new`);
  await ada.getByRole('button', { name: 'Invite a friend' }).click();
  const link = await ada.getByLabel('Invitation link').inputValue();
  // What a screen reader is told, not what a test thinks that it is.
  const devtools = await ada.context().newCDPSession(ada);
  const { nodes } = await devtools.send('Accessibility.getFullAXTree');
  const buttons = nodes.filter(({ role }) => role?.value === 'button').map(({ name }) => name?.value ?? '');
  for (const name of ['Copy', 'Share', 'Back']) assert.ok(buttons.includes(name), String(buttons));
  assert.ok(!buttons.includes(''), String(buttons));
  await ada.getByRole('button', { name: 'Copy' }).click();
  await ada.getByRole('status').getByText('Copied').waitFor();
  assert.equal(await ada.evaluate(() => navigator.clipboard.readText()), link);
  await ada.getByRole('button', { name: 'Share' }).click();
  assert.deepEqual(await ada.evaluate(() => globalThis.shared), { url: link });
  assertQuiet(ada);
});

test('a game in two windows belongs to the newer one, until it is taken back', async () => {
  const [ada, bo] = await people(2);
  await begin(service, ada, bo);
  const second = await ada.context().newPage();
  listen(second);
  await second.goto(ada.url());
  await shows(second, 0);
  await ada.getByText('open in another window').waitFor();
  await ada.getByRole('button', { name: 'Use it here' }).click();
  await second.getByText('open in another window').waitFor();
  await play(ada, bo, shortest.moves, 0, 2);
  assertQuiet(ada, bo, second);
});

test('a move that is not stored for good says so until it is', async () => {
  const [ada, bo] = await people(2);
  let tellDurable = () => {};
  // Between the page and the service: the log is away.
  await ada.routeWebSocket('**/ws', (page) => {
    const server = page.connectToServer();
    server.onMessage((message) => {
      const frame = JSON.parse(String(message));
      if (frame.payload?.durableVersion) frame.payload.durableVersion = 1;
      if (frame.channel === 'on_move_accepted') {
        const { gameId, version } = frame.payload;
        frame.payload.durable = false;
        tellDurable = () => page.send(JSON.stringify({ channel: 'on_durable', payload: { gameId, durableVersion: version } }));
      }
      page.send(JSON.stringify(frame));
    });
  });
  await begin(service, ada, bo);
  await play(ada, bo, shortest.moves, 0, 1);
  await ada.getByText('has not stored it for good yet').waitFor();
  tellDurable();
  await ada.getByText('has not stored it for good yet').waitFor({ state: 'hidden' });
  assertQuiet(ada, bo);
});

test('stones move one by one, unless less motion is wanted', async () => {
  const [ada, bo] = await Promise.all([person(browser, { reducedMotion: 'no-preference' }), person(browser)]);
  await begin(service, ada, bo);
  await shows(ada, 0);
  const counts = board(ada).evaluate(
    (element) =>
      new Promise((resolve) => {
        const seen = [];
        const look = () => {
          const text = element.shown.slice(0, 7).join(' ');
          if (seen.at(-1) !== text) seen.push(text);
        };
        const timer = setInterval(look, 20);
        element.addEventListener('rest', () => (clearInterval(timer), look(), resolve(seen)), { once: true });
      }),
  );
  await ada.getByRole('button', { name: 'pit 3, 4 stones', exact: true }).click();
  assert.deepEqual(await counts, ['4 4 4 4 4 4 0', '4 4 3 5 4 4 0', '4 4 2 5 5 4 0', '4 4 1 5 5 5 0']);
  await shows(bo, 1);
  assertQuiet(ada, bo);
});

test('a game is played by keyboard alone, and a screen reader hears it', async () => {
  const [ada, bo] = await people(2);
  await begin(service, ada, bo);
  const first = ada.getByRole('button', { name: 'pit 1, 4 stones', exact: true });
  await first.focus();
  await ada.keyboard.press('Tab');
  await ada.keyboard.press('Enter');
  await shows(bo, 1);
  await bo.getByRole('status').getByText(/played pit 2\. Your turn/).waitFor();
  await ada.getByRole('button', { name: 'pit 2, 1 stone', exact: true }).waitFor();
  await bo.getByRole('button', { name: 'pit 1, 4 stones', exact: true }).focus();
  await bo.keyboard.press(' ');
  await shows(ada, 2);
  assertQuiet(ada, bo);
});

test('everything is said in Turkish as well', async () => {
  const page = await person(browser, { locale: 'tr-TR' });
  await page.goto(service.url);
  await page.getByRole('heading', { name: 'Mangala ve zar satrancı, canlı.' }).waitFor();
  assert.equal(await page.locator('html').getAttribute('lang'), 'tr');
  await page.getByRole('link', { name: 'Arkadaşını davet et' }).click();
  await page.getByRole('button', { name: 'Rakip bul' }).waitFor();
  assert.equal(await page.title(), 'Yeni oyun · turnstream');
  await page.getByRole('button', { name: 'Dil: Türkçe' }).click();
  await page.getByRole('button', { name: 'Find an opponent' }).waitFor();
  assert.equal(await page.title(), 'New game · turnstream');
  await page.goBack();
  await page.getByRole('heading', { name: 'Mangala and dice chess, live.' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Mangala and dice chess, live.' }).waitFor();
  assertQuiet(page);
});
