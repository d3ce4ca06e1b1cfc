// Takes a picture of each page, light, dark and on a phone, into docs/screenshots/.
//
//   TURNSTREAM_BINARY=target/debug/turnstream node web/tools/screenshots.mjs
//
// They are there to be looked at, and are not compared.

import { mkdir } from 'node:fs/promises';
import { beginDiceChess, greedy, microMove, mover, paths, quiet, recordOf, sendTurn, square, untilBoard } from '../tests/support/dicechess.mjs';
import { begin, games, launch, person, play, shows } from '../tests/support/players.mjs';
import { Service } from '../tests/support/service.mjs';

const folder = new URL('../../docs/screenshots/', import.meta.url);
const DESK = { width: 1120, height: 760 };
const PHONE = { width: 390, height: 844 };
const LOOKS = [
  ['light', { colorScheme: 'light', viewport: DESK }],
  ['dark', { colorScheme: 'dark', viewport: DESK }],
  ['phone', { colorScheme: 'light', viewport: PHONE, hasTouch: true }],
];

await mkdir(folder, { recursive: true });
const [browser, service] = await Promise.all([launch(), Service.start()]);
const [first, second] = await games();

/** In every look: the same people on another screen. */
async function picture(name, page, prepare = async () => {}) {
  for (const [look, { colorScheme, viewport }] of LOOKS) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await prepare(page);
    await page.mouse.move(0, 0);
    await page.evaluate(() => scrollTo(0, 0));
    await page.evaluate(() => document.fonts.ready);
    await page.screenshot({ path: new URL(`${name}-${look}.jpg`, folder).pathname, type: 'jpeg', quality: 82 });
  }
}

/** Somebody with a name of their own. */
async function named(name) {
  const body = JSON.stringify({ name });
  const answer = await fetch(`${service.url}/guests`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const page = await person(browser);
  await page.addInitScript((guest) => localStorage.setItem('turnstream.guest', guest), await answer.text());
  return page;
}

/** Plays some turns that nobody wins by; then somebody is to move. */
async function someTurns(pages, game, turns) {
  for (;;) {
    const next = await mover(pages);
    if (next.turns >= turns) return next;
    const { turn, wins } = greedy(next.offer);
    await sendTurn(next.page, service, game, wins || next.turns < 4 ? quiet(next.offer) : turn);
    await untilBoard(next.page, (board) => board.turns > next.turns, 'has the turn');
  }
}

/** A game of dice chess: in the middle of a turn, and when it is over. */
async function diceChess(ada, bo) {
  const game = await beginDiceChess(service, ada, bo);
  const { page, offer } = await someTurns([ada, bo], game, 14);
  const turn = [...paths(offer.tree)].find(({ length }) => length > 1) ?? quiet(offer);
  await microMove(page, turn[0]);
  if (turn.length > 1) await square(page, turn[1].slice(0, 2)).click();
  await picture('dice-chess', page);
  await bo.getByRole('button', { name: 'Offer a draw' }).waitFor();
  await ada.getByRole('button', { name: 'Resign' }).click();
  await ada.getByRole('dialog').getByRole('button', { name: 'Resign' }).click();
  await recordOf(service, game);
  await bo.goto(`${service.url}/replay/${game}?move=12`);
  await bo.getByRole('button', { name: 'Verify the dice' }).click();
  await bo.getByText('from the seeds').waitFor();
  await picture('dice-chess-replay', bo);
}

try {
  const [ada, bo, cem, dua] = await Promise.all(['Ada', 'Bora', 'Cem', 'Defne'].map(named));

  await ada.goto(`${service.url}/new`);
  await ada.getByRole('button', { name: 'Find an opponent' }).waitFor();
  await picture('lobby', ada);
  await ada.getByRole('button', { name: 'Invite a friend' }).click();
  const link = await ada.getByLabel('Invitation link').inputValue();
  await picture('invitation', ada);
  await bo.goto(link);
  await bo.getByRole('button', { name: 'Join the game' }).waitFor();
  await picture('join', bo);

  // Two finished games, so that there is something in the lists.
  const finished = await begin(service, ada, bo);
  await play(ada, bo, first.moves);
  await begin(service, ada, bo);
  await play(ada, bo, second.moves);
  await ada.goto(`${service.url}/replay/${finished}`);
  await shows(ada, first.moves.length);
  await picture('replay', ada);
  await ada.goto(`${service.url}/history`);
  await ada.locator('game-card').nth(1).waitFor();
  await picture('history', ada);

  await diceChess(ada, bo);

  // Three live ones.
  const [eda, fuat] = await Promise.all(['Eda', 'Fuat'].map(named));
  await someTurns([eda, fuat], await beginDiceChess(service, eda, fuat), 9);
  await begin(service, cem, dua);
  await play(cem, dua, second.moves, 0, 9);
  const live = await begin(service, ada, bo);
  await play(ada, bo, first.moves, 0, 8);
  await picture('game', ada);
  await bo.getByRole('button', { name: /^5\. / }).click();
  await shows(bo, 5);
  await picture('review', bo);
  await cem.goto(`${service.url}/play/${live}`);
  await shows(cem, 8);
  await picture('watch', cem);
  await ada.goto(service.url);
  await ada.locator('game-card').nth(4).waitFor();
  await picture('home-playing', ada);
  await ada.goto(`${service.url}/play/${live}`);
  await bo.keyboard.press('Escape');
  await play(ada, bo, first.moves, 8);
  await ada.goto(service.url);
  await ada.locator('game-card').nth(2).waitFor();
  await picture('home', ada);
} finally {
  await browser.close();
  await service.end();
}
