// What holds for every page: anybody can use it.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { beginDiceChess, mover, playTurn, quiet, square, untilBoard } from './support/dicechess.mjs';
import { assertQuiet, begin, games, launch, person, play, shows } from './support/players.mjs';
import { Service } from './support/service.mjs';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const [shortest] = await games();

let browser, service;
before(async () => ([browser, service] = await Promise.all([launch(), Service.start()])));
after(async () => {
  await browser.close();
  await service.end();
});

/** Everything serious that axe finds. */
async function barriers(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${page.url()} ${id}: ${nodes.map((node) => `${node.target} ${node.failureSummary}`).join('; ')}`);
}

for (const colorScheme of ['light', 'dark']) {
  test(`nothing serious is in anybody's way on any page, ${colorScheme}`, async () => {
    const [ada, bo] = await Promise.all([person(browser, { colorScheme }), person(browser, { colorScheme, viewport: { width: 390, height: 844 } })]);
    const found = [];
    const look = async (page) => found.push(...(await barriers(page)));

    await ada.goto(service.url);
    await ada.getByRole('heading', { level: 1 }).waitFor();
    await look(ada);
    await ada.goto(`${service.url}/new`);
    await ada.getByRole('button', { name: 'Find an opponent' }).waitFor();
    await look(ada);
    await ada.getByRole('button', { name: 'Find an opponent' }).click();
    await ada.getByText('Looking for an opponent').waitFor();
    await look(ada);
    await ada.getByRole('button', { name: 'Cancel' }).click();
    await ada.getByRole('button', { name: 'Invite a friend' }).click();
    const link = await ada.getByLabel('Invitation link').inputValue();
    await look(ada);
    await bo.goto(link);
    await bo.getByRole('button', { name: 'Join the game' }).waitFor();
    await look(bo);

    await begin(service, ada, bo);
    await play(ada, bo, shortest.moves, 0, 5);
    await look(ada);
    await look(bo);
    await bo.getByRole('button', { name: /^2\. / }).click();
    await look(bo);
    await ada.getByRole('button', { name: 'Leave game' }).click();
    await look(ada);
    await ada.getByRole('button', { name: 'Keep playing' }).click();
    await bo.keyboard.press('Escape');
    await play(ada, bo, shortest.moves, 5);
    await ada.getByRole('link', { name: 'Watch the replay' }).waitFor();
    await look(ada);
    await ada.getByRole('link', { name: 'Watch the replay' }).click();
    await ada.getByRole('slider', { name: 'Timeline' }).waitFor();
    await shows(ada, shortest.moves.length);
    await look(ada);
    await ada.goto(`${service.url}/history`);
    await ada.locator('game-card').first().waitFor();
    await look(ada);
    await bo.goto(service.url);
    await bo.locator('game-card').first().waitFor();
    await look(bo);
    await bo.goto(`${service.url}/play/00000000-0000-7000-8000-000000000000`);
    await bo.getByRole('heading', { name: 'There is no such game' }).waitFor();
    await look(bo);
    assert.deepEqual(found, []);
    assertQuiet(ada, bo);
    for (const page of [ada, bo]) await page.context().close();
  });
}

for (const colorScheme of ['light', 'dark']) {
  test(`nothing serious is in anybody's way where dice chess is played, ${colorScheme}`, async () => {
    const [ada, bo] = await Promise.all([person(browser, { colorScheme }), person(browser, { colorScheme, viewport: { width: 390, height: 844 } })]);
    const found = [];
    const look = async (page) => found.push(...(await barriers(page)));

    await ada.goto(`${service.url}/new`);
    await ada.getByRole('radio', { name: /Dice chess/ }).check();
    await ada.getByRole('radio', { name: /Another time/ }).check();
    await look(ada);
    await ada.getByLabel('Minutes', { exact: true }).fill('999');
    await look(ada);
    await beginDiceChess(service, ada, bo);
    const first = await mover([ada, bo]);
    const other = first.page === ada ? bo : ada;
    await look(other);
    await square(first.page, quiet(first.offer)[0].slice(0, 2)).click();
    await look(first.page);
    await square(first.page, quiet(first.offer)[0].slice(0, 2)).click();
    await first.page.getByRole('button', { name: 'Offer a draw' }).click();
    await first.page.getByRole('button', { name: 'A draw is offered' }).waitFor();
    await look(first.page);
    await playTurn(first.page, quiet(first.offer));
    await other.getByText('offers a draw.').waitFor();
    await look(other);
    await look(first.page);
    await untilBoard(first.page, (board) => board.turns > first.turns, 'has the turn');
    await first.page.keyboard.press('ArrowLeft');
    await look(first.page);
    await first.page.keyboard.press('Escape');
    await other.getByRole('button', { name: 'Accept the draw' }).click();
    for (const page of [ada, bo]) {
      await page.getByRole('link', { name: 'Watch the replay' }).waitFor();
      await look(page);
      await page.getByRole('link', { name: 'Watch the replay' }).click();
      await page.getByRole('button', { name: 'Verify the dice' }).click();
      await page.getByText('from the seeds').waitFor();
      await page.getByText('Seeds', { exact: true }).click();
      await look(page);
    }
    await ada.goto(`${service.url}/history`);
    await ada.locator('dice-chess-board .board').first().waitFor();
    await look(ada);
    assert.deepEqual(found, []);
    assertQuiet(ada, bo);
    for (const page of [ada, bo]) await page.context().close();
  });
}
