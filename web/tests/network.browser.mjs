// The network between people and the service goes away, in one way or another, and comes back.

import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { Network } from './support/network.mjs';
import { assertQuiet, begin, games, launch, person, pit, play } from './support/players.mjs';
import { Service } from './support/service.mjs';

let browser, service, network;
const [shortest] = await games();

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

for (const [what, happens] of [
  ['breaks', () => network.cut()],
  // A laptop that wakes up hears that it is online, and its socket looks open.
  ['swallows everything', (ada) => (network.hush(), ada.evaluate(() => dispatchEvent(new Event('online'))))],
]) {
  test(`a game goes on after the network ${what}`, async () => {
    const [ada, bo] = await people(2);
    await begin(network, ada, bo);
    await play(ada, bo, shortest.moves, 0, 2);
    await happens(ada);
    await lost(ada);
    // A move that is made meanwhile is not lost.
    const [seat, index] = shortest.moves[2];
    await pit(seat === 1 ? ada : bo, index).click();
    network.mend();
    await play(ada, bo, shortest.moves, 3, 5);
    await back(ada);
    assertQuiet(ada, bo);
  });
}
