// What comes when a page is opened: how much, under which policy, in which looks, and what if it does not come.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { beginDiceChess, mover } from './support/dicechess.mjs';
import { assertQuiet, launch, person } from './support/players.mjs';
import { Service } from './support/service.mjs';

const FIRST_LOAD = 150_000;

let browser, service;
before(async () => ([browser, service] = await Promise.all([launch(), Service.start()])));
after(async () => {
  await browser.close();
  await service.end();
});

/** Opens a page as somebody who was never here, and counts all that comes, headers too. */
async function firstLoad(url, ready) {
  const page = await person(browser);
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  await page.goto(url, { waitUntil: 'networkidle' });
  await ready(page);
  await page.context().close();
  return bytes;
}

test('it is small with boards of dice chess as well, which are loaded when one is shown', async () => {
  const [ada, bo] = await Promise.all([person(browser), person(browser)]);
  const without = await firstLoad(`${service.url}/new`, (page) => page.getByRole('heading', { level: 1 }).waitFor());
  const game = await beginDiceChess(service, ada, bo);
  await mover([ada, bo]);
  const board = (page) => page.locator('dice-chess-board .pieces g').first().waitFor();
  const home = await firstLoad(service.url, board);
  const watching = await firstLoad(`${service.url}/play/${game}`, board);
  for (const bytes of [without, home, watching]) assert.ok(bytes > 20_000 && bytes <= FIRST_LOAD, `${without}, ${home} and ${watching} bytes`);
  await ada.getByRole('button', { name: 'Resign' }).click();
  await ada.getByRole('dialog').getByRole('button', { name: 'Resign' }).click();
  await bo.getByRole('link', { name: 'Watch the replay' }).click();
  const replay = await firstLoad(bo.url(), board);
  assert.ok(replay <= FIRST_LOAD, `${replay} bytes`);
  assertQuiet(ada, bo);
  for (const page of [ada, bo]) await page.context().close();
});

test('the first load is small', async () => {
  const page = await person(browser);
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const names = new Map();
  let bytes = 0;
  session.on('Network.responseReceived', ({ requestId, response }) => names.set(requestId, response));
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  await page.goto(service.url, { waitUntil: 'networkidle' });
  await page.getByRole('heading', { level: 1 }).waitFor();
  const packed = [...names.values()].filter(({ url }) => /\.(js|css)$/.test(new URL(url).pathname));
  assert.ok(packed.length > 10, `${packed.length} files`);
  assert.ok(bytes > 20_000 && bytes <= FIRST_LOAD, `${bytes} bytes in ${names.size} answers`);

  // The second one asks whether it is the same, and gets nothing again.
  const first = bytes;
  bytes = 0;
  await page.reload({ waitUntil: 'networkidle' });
  assert.ok(bytes < first / 3, `${bytes} bytes again`);
});

test('the policy forbids what the page does not do itself', async () => {
  const page = await person(browser);
  await page.goto(service.url);
  const ran = await page.evaluate(async () => {
    const script = document.createElement('script');
    script.textContent = 'globalThis.injected = true';
    document.head.append(script);
    const image = new Image();
    const blocked = new Promise((resolve) => document.addEventListener('securitypolicyviolation', (event) => event.effectiveDirective === 'img-src' && resolve(true)));
    image.src = 'https://elsewhere.example/x.png';
    return { injected: globalThis.injected ?? false, blocked: await blocked };
  });
  assert.deepEqual(ran, { injected: false, blocked: true });
});

test('what cannot be found says so, and leads home', async () => {
  const page = await person(browser);
  for (const path of ['/nowhere', '/play/not-an-id']) {
    await page.goto(`${service.url}${path}`);
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    assert.equal(await page.title(), 'There is no such page · turnstream');
  }
  assert.equal((await page.goto(`${service.url}/nowhere`)).status(), 404);
  assert.equal((await page.request.get(`${service.url}/nowhere`)).headers()['content-type'], 'application/problem+json');
  await page.goto(`${service.url}/join/00000000-0000-7000-8000-000000000000`);
  await page.getByRole('alert').getByText('This link is not whole').waitFor();
  await page.getByRole('link', { name: 'Back to the home page' }).click();
  await page.getByRole('heading', { name: 'Mangala and dice chess, live.' }).waitFor();
  // Other ways to write an address lead to the same page, which is written plainly.
  for (const [path, plain, heading] of [
    ['/history/', '/history', 'All games'],
    ['/play/ABCDEF00-0000-7000-8000-000000000000/', '/play/abcdef00-0000-7000-8000-000000000000', 'There is no such game'],
  ]) {
    await page.goto(`${service.url}${path}?x=1`);
    await page.getByRole('heading', { name: heading }).waitFor();
    assert.equal(page.url(), `${service.url}${plain}?x=1`);
  }
  assertQuiet(page);
});

test('back and forward show the pages that were there', async () => {
  const page = await person(browser);
  await page.goto(service.url);
  // What the service runs on is nothing to players.
  await page.getByText('turnstream 0.').waitFor();
  assert.doesNotMatch(await page.getByRole('contentinfo').innerText(), /SQLite|event log/);
  await page.getByRole('link', { name: 'Play now' }).click();
  await page.getByRole('heading', { name: 'New game' }).waitFor();
  await page.getByRole('link', { name: 'turnstream: Home' }).click();
  await page.getByRole('heading', { name: 'Mangala and dice chess, live.' }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'New game' }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'Mangala and dice chess, live.' }).waitFor();
  await page.goForward();
  await page.getByRole('heading', { name: 'New game' }).waitFor();
  assert.equal(page.url(), `${service.url}/new`);
  assertQuiet(page);
});

test('a page that could not be loaded breaks no other, and is loaded again', async () => {
  const page = await person(browser);
  await page.route('**/pages/lobby.js', (route) => route.abort());
  await page.goto(service.url);
  await page.getByRole('link', { name: 'Play now' }).click();
  await page.getByRole('alert').getByText('The service does not answer').waitFor();
  await page.getByRole('link', { name: 'turnstream: Home' }).click();
  await page.getByRole('heading', { name: 'Mangala and dice chess, live.' }).waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);
  await page.unroute('**/pages/lobby.js');
  await page.getByRole('link', { name: 'Play now' }).click();
  await page.getByRole('button', { name: 'Find an opponent' }).waitFor();
  assertQuiet(page);
});

test('the chosen appearance holds from the first paint on', async () => {
  const page = await person(browser, { colorScheme: 'light' });
  await page.goto(service.url);
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const seen = [await background()];
  for (const [next, now] of [
    ['Like the system', 'Light'],
    ['Light', 'Dark'],
  ]) {
    await page.getByRole('button', { name: `Appearance: ${next}` }).click();
    await page.getByRole('button', { name: `Appearance: ${now}` }).waitFor();
    seen.push(await background());
  }
  assert.ok(seen[0] === seen[1] && seen[1] !== seen[2], String(seen));
  // Nothing but the document and its style: the client itself never comes.
  await page.route('**/app/main.js', (route) => route.abort());
  await page.reload();
  assert.equal(await background(), seen[2]);
  assertQuiet(page);
});
