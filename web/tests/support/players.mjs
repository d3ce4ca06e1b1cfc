// People in front of browsers.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { chromium } from 'playwright-core';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Debian's browser; its profile is a fresh one each time. */
export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true, args: FLAGS });

/** What a page complained about, apart from a service that is away. */
const complaints = new WeakMap();

/**
 * Somebody new, who is nobody yet.
 * @param {import('playwright-core').Browser} browser
 * @param {object} [options] of the browser's context
 */
export async function person(browser, options = {}) {
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  listen(page);
  return page;
}

export function listen(page) {
  const list = [];
  complaints.set(page, list);
  page.on('pageerror', (error) => list.push(String(error)));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !/Failed to load resource|WebSocket connection/.test(message.text())) list.push(message.text());
  });
}

export const assertQuiet = (...pages) => pages.forEach((page) => assert.deepEqual(complaints.get(page), []));

/** Whole games that end by the rules: for each move the pit's index. The shortest one comes first. */
export async function games() {
  const text = await readFile(new URL('../../../rules/tests/vectors/mancala-games.json', import.meta.url), 'utf8');
  return JSON.parse(text).games.sort((a, b) => a.moves.length - b.moves.length);
}

/** A game between two people, by invitation: the first of them begins. */
export async function begin(service, host, guest) {
  await host.goto(`${service.url}/new`);
  // An invitation that was made before is still there.
  const [invite, made] = [host.getByRole('button', { name: 'Invite a friend' }), host.getByLabel('Invitation link')];
  await invite.or(made).waitFor();
  if (await invite.isVisible()) await invite.click();
  const link = await host.getByLabel('Invitation link').inputValue();
  await guest.goto(link);
  await guest.getByRole('button', { name: 'Join the game' }).click();
  await Promise.all([host, guest].map((page) => page.waitForURL('**/play/*')));
  return new URL(host.url()).pathname.split('/').at(-1);
}

export const board = (page) => page.locator('game-page mancala-board');
export const pit = (page, index) => board(page).locator(`[data-place="${index}"]`);

/** How many moves the board of a page shows, at rest. */
export const shows = (page, at) =>
  page.waitForFunction((at) => {
    const find = (root) => root.querySelector('mancala-board') ?? [...root.querySelectorAll('*')].map((e) => e.shadowRoot && find(e.shadowRoot)).find(Boolean);
    const board = find(document);
    return board && board.at === at && !board.busy;
  }, at);

/** Plays the moves of a recorded game from one to another, each by whose turn it is. */
export async function play(host, guest, moves, from = 0, to = moves.length) {
  for (let n = from; n < to; n++) {
    const [seat, index] = moves[n];
    await Promise.all([shows(host, n), shows(guest, n)]);
    await pit(seat === 1 ? host : guest, index).click();
  }
  await Promise.all([shows(host, to), shows(guest, to)]);
}

/** The name of what has the focus, however deep it is. */
export const focused = (page) =>
  page.evaluate(() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return element?.getAttribute('aria-label') ?? element?.localName;
  });
