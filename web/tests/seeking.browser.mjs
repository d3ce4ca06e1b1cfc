// Looking for an opponent, while the network goes away and comes back.

import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { Network } from './support/network.mjs';
import { assertQuiet, launch, person } from './support/players.mjs';
import { Service } from './support/service.mjs';

let browser, service, network;

before(async () => {
  [browser, service] = await Promise.all([launch(), Service.start()]);
  network = await Network.to(service);
});
afterEach(async () => {
  network.mend();
  for (const context of browser.contexts()) await context.close();
});
after(async () => {
  await browser.close();
  network.end();
  await service.end();
});

const people = (count, options) => Promise.all(Array.from({ length: count }, () => person(browser, options)));
const lost = (page) => page.getByText('Connection lost. Reconnecting').waitFor();
const back = (page) => page.getByText('Connection lost. Reconnecting').waitFor({ state: 'hidden' });

async function look(page, url) {
  await page.goto(`${url}/new`);
  await page.getByRole('button', { name: 'Find an opponent' }).click();
}

/** Looks for an opponent until the service says that there is none yet. */
async function seek(page, url = network.url) {
  const told = new Promise((resolve, reject) => {
    page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => JSON.parse(payload).channel === 'on_waiting' && resolve()));
    AbortSignal.timeout(15_000).addEventListener('abort', () => reject(new Error(`${page.url()} does not wait for an opponent`)));
  });
  await look(page, url);
  await page.getByText('Looking for an opponent').waitFor();
  await told;
}

/** Two strangers come: whoever no longer waits is left in peace, and they find each other. */
async function strangersMeet() {
  const [bo, cem] = await people(2);
  await seek(bo, service.url);
  await look(cem, service.url);
  await Promise.all([bo, cem].map((page) => page.waitForURL('**/play/*')));
  assert.equal(bo.url(), cem.url());
  assertQuiet(bo, cem);
}

for (const [how, giveUp] of [
  ['by the button', (ada) => ada.getByRole('button', { name: 'Cancel' }).click()],
  ['by leaving the page', (ada) => ada.getByRole('link', { name: 'turnstream: Home' }).click()],
]) {
  test(`who stops looking ${how} while the network is away is not pulled into a game`, async () => {
    const [ada] = await people(1);
    await seek(ada);
    network.cut();
    await lost(ada);
    await giveUp(ada);
    network.mend();
    await back(ada);
    await ada.waitForFunction(() => !sessionStorage.getItem('turnstream.seek'));
    const before = ada.url();
    await strangersMeet();
    assert.equal(ada.url(), before);
    assertQuiet(ada);
  });
}

test('who loads the page again looks no longer', async () => {
  const [ada] = await people(1);
  await seek(ada);
  await ada.reload();
  await ada.getByRole('button', { name: 'Find an opponent' }).waitFor();
  await ada.waitForFunction(() => !sessionStorage.getItem('turnstream.seek'));
  await strangersMeet();
  assert.equal(new URL(ada.url()).pathname, '/new');
  assertQuiet(ada);
});

test('who is looking goes on looking when the network is back', async () => {
  const [ada, bo] = await people(2);
  await seek(ada);
  network.cut();
  await lost(ada);
  network.mend();
  await back(ada);
  await look(bo, service.url);
  await Promise.all([ada, bo].map((page) => page.waitForURL('**/play/*')));
  assertQuiet(ada, bo);
});
