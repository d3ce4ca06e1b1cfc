// Games with clocks: choosing them, watching them, losing by them.

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { assertQuiet, board, games, launch, person, pit, shows } from './support/players.mjs';
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

/** Two strangers who want the same time control: whoever begins comes first. */
async function pair(pages, choose) {
  for (const page of pages) {
    await page.goto(`${service.url}/new`);
    await choose(page);
    await page.getByRole('button', { name: 'Find an opponent' }).click();
  }
  await Promise.all(pages.map((page) => page.waitForURL('**/play/*')));
  await Promise.all(pages.map((page) => shows(page, 0)));
  const begins = await Promise.all(pages.map((page) => page.getByText('Your turn', { exact: true }).count()));
  return begins[0] > 0 ? pages : pages.toReversed();
}

/** A time of one's own. */
async function ownTime(page, type, minutes, seconds) {
  await page.getByRole('radio', { name: /Another time/ }).check();
  await page.getByRole('combobox').selectOption(type);
  await page.getByLabel('Minutes', { exact: true }).fill(String(minutes));
  await page.getByLabel('Seconds', { exact: true }).fill(String(seconds));
}

/** What a page's clocks show, in seconds: the opponent's first. */
async function clocks(page) {
  const texts = await page.getByRole('timer').allInnerTexts();
  return texts.map((text) => text.split(':').reduce((sum, part) => 60 * sum + Number(part), 0));
}

test('the clock of whose turn it is runs, and who lets it run out loses', async () => {
  const [first, second] = await pair(await people(2), (page) => ownTime(page, 'suddenDeath', 0, 11));
  await first.getByText('11 s', { exact: true }).waitFor();
  await pit(first, shortest.moves[0][1]).click();
  await shows(second, 1);
  // The second one thinks, and thinks.
  const [theirs, own] = await clocks(second);
  assert.ok(theirs > 5 && own > 5, `${theirs} and ${own}`);
  await second.locator('player-clock[low][running]').waitFor();
  await second.getByRole('status').getByText(/Less than 0:[12]0 left/).waitFor();
  await first.getByRole('heading', { name: 'You won' }).waitFor({ timeout: 20_000 });
  await second.getByRole('heading', { name: 'You lost' }).waitFor();
  await first.getByText('ran out of time').waitFor();
  assert.deepEqual(await second.locator('player-clock[running]').count(), 0);
  assert.equal((await clocks(second))[1], 0);
  assertQuiet(first, second);
});

test('whoever\'s own clock is wrong sees the same time left', async () => {
  const [ada, bo] = await people(2);
  // An hour early, and a day late.
  await ada.addInitScript(() => {
    const now = Date.now;
    Date.now = () => now() - 3_600_000;
  });
  await bo.addInitScript(() => {
    const now = Date.now;
    Date.now = () => now() + 86_400_000;
  });
  const [first, second] = await pair([ada, bo], (page) => page.getByRole('radio', { name: /5 min \+ 5 s/ }).check());
  await pit(first, shortest.moves[0][1]).click();
  await shows(second, 1);
  // The move has added five seconds.
  const [[bos, adas], [adasThere, bosThere]] = await Promise.all([clocks(first), clocks(second)]);
  for (const [seen, there] of [
    [bos, bosThere],
    [adas, adasThere],
  ]) {
    assert.ok(Math.abs(seen - there) <= 1, `${seen} here, ${there} there`);
  }
  assert.ok(adas > 300 - 5 && adas <= 305 && bos > 300 - 15 && bos <= 300, `${adas} and ${bos}`);
  // And it goes on.
  await second.waitForFunction((before) => {
    const find = (root) => [...root.querySelectorAll('*')].flatMap((e) => [...(e.localName === 'player-clock' ? [e] : []), ...(e.shadowRoot ? find(e.shadowRoot) : [])]);
    const [, own] = find(document).map((clock) => clock.shadowRoot.textContent.trim());
    const [minutes, seconds] = own.split(':').map(Number);
    return 60 * minutes + seconds < before - 1;
  }, bosThere);
  assertQuiet(ada, bo);
});

test('a time outside the bounds cannot be asked for', async () => {
  const [page] = await people(1);
  await page.goto(`${service.url}/new`);
  const find = page.getByRole('button', { name: 'Find an opponent' });
  assert.ok(await find.isEnabled());
  for (const [type, minutes, seconds, good] of [
    ['suddenDeath', 0, 9, false],
    ['suddenDeath', 0, 10, true],
    ['perMove', 181, 0, false],
    ['perMove', 180, 0, true],
    ['fischer', '', 5, false],
  ]) {
    await ownTime(page, type, minutes, seconds);
    assert.equal(await find.isEnabled(), good, `${type} ${minutes} ${seconds}`);
    assert.equal(await page.getByRole('alert').count(), good ? 0 : 1);
  }
  await page.getByLabel('Minutes', { exact: true }).fill('3');
  await page.getByLabel('Seconds a move').fill('181');
  assert.ok(await find.isDisabled());
  await page.getByLabel('Seconds a move').fill('180');
  assert.ok(await find.isEnabled());
  assertQuiet(page);
});

test('an invitation says what it is to', async () => {
  const [ada, bo] = await people(2);
  await ada.goto(`${service.url}/new`);
  await ada.getByRole('radio', { name: /15 min/ }).check();
  await ada.getByRole('button', { name: 'Invite a friend' }).click();
  const link = await ada.getByLabel('Invitation link').inputValue();
  const name = await ada.evaluate(() => JSON.parse(localStorage.getItem('turnstream.guest')).name);
  await bo.goto(link);
  await bo.getByText(`Mangala against ${name}`).waitFor();
  await bo.getByText('15 min', { exact: true }).waitFor();
  await bo.getByRole('button', { name: 'Join the game' }).click();
  await board(bo).waitFor();
  assert.equal(await bo.getByRole('timer').count(), 2);
  assertQuiet(ada, bo);
});
