// Accounts: signing in at an issuer.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Issuer } from './support/issuer.mjs';
import { assertQuiet, launch, person, shows } from './support/players.mjs';
import { Service } from './support/service.mjs';

let browser, issuer, service;
before(async () => {
  [browser, issuer] = await Promise.all([launch(), Issuer.start()]);
  service = await Service.start(issuer.flags);
});
after(async () => {
  await browser.close();
  await service.end();
  issuer.end();
});

test('an account signs in with PKCE, plays under its own name, and signs out', async () => {
  const [ayse, bo] = await Promise.all([person(browser), person(browser)]);
  await ayse.goto(`${service.url}/new`);
  await ayse.getByRole('button', { name: 'Sign in' }).click();
  await ayse.getByRole('button', { name: 'Sign out' }).waitFor();
  assert.equal(new URL(ayse.url()).pathname, '/new', 'it goes on where it was');
  assert.equal(new URL(ayse.url()).search, '', 'the code is gone from the address');
  await ayse.getByText('ayşe').waitFor();

  await ayse.getByRole('button', { name: 'Invite a friend' }).click();
  const link = await ayse.getByLabel('Invitation link').inputValue();
  await bo.goto(link);
  await bo.getByRole('button', { name: 'Join the game' }).click();
  await shows(bo, 0);
  await shows(ayse, 0);
  await bo.locator('game-page').getByText('ayşe', { exact: true }).waitFor();
  assert.ok(issuer.grants.some(({ grant_type }) => grant_type === 'refresh_token'), 'a token that lapses is refreshed');

  await ayse.reload();
  await ayse.getByRole('button', { name: 'Sign out' }).click();
  await ayse.getByRole('button', { name: 'Sign in' }).waitFor();
  assertQuiet(ayse, bo);
});

test('an answer that was not asked for is not taken', async () => {
  const page = await person(browser);
  // Tokens of an earlier page may still be refreshed meanwhile.
  const codes = () => issuer.grants.filter(({ grant_type }) => grant_type === 'authorization_code').length;
  const before = codes();
  await page.goto(`${service.url}/?code=stolen&state=made-up`);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  assert.equal(codes(), before);
  assertQuiet(page);
});

test('without what signing in needs it says so, also in Turkish on the smallest phone', async () => {
  const page = await person(browser, { locale: 'tr-TR', viewport: { width: 320, height: 640 } });
  // As on a page that came over plain http from another machine.
  await page.addInitScript(() => Object.defineProperty(Crypto.prototype, 'subtle', { get: () => undefined }));
  await page.goto(`${service.url}/new`);
  await page.getByRole('button', { name: 'Giriş yap' }).click();
  await page.getByRole('alert').getByText('https ile aç').waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
  await page.getByRole('link', { name: 'turnstream: Ana sayfa' }).click();
  await page.getByRole('alert').waitFor({ state: 'hidden' });
  assertQuiet(page);
});

test('without an issuer there is nowhere to sign in', async () => {
  const guests = await Service.start();
  try {
    const page = await person(browser);
    await page.goto(guests.url);
    await page.getByText('turnstream 0.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Sign in' }).count(), 0);
  } finally {
    await guests.end();
  }
});

test('an issuer that is down is told of, whatever it is needed for', async () => {
  const ayse = await person(browser);
  await ayse.goto(service.url);
  await ayse.getByRole('button', { name: 'Sign in' }).click();
  await ayse.getByRole('button', { name: 'Sign out' }).waitFor();
  issuer.end();
  await ayse.getByRole('button', { name: 'Sign out' }).click();
  await ayse.getByRole('alert').getByText('there you may still be signed in').waitFor();
  await ayse.getByRole('button', { name: 'Sign in' }).click();
  await ayse.getByRole('alert').getByText('Signing in does not work right now').waitFor();

  // It went down while somebody signed in there.
  await ayse.evaluate(() => sessionStorage.setItem('turnstream.oidc.pending', JSON.stringify({ verifier: 'v', state: 's', back: '/new' })));
  await ayse.goto(`${service.url}/?code=c&state=s`);
  await ayse.getByRole('button', { name: 'Find an opponent' }).waitFor();
  await ayse.getByRole('alert').getByText('Signing in does not work right now').waitFor();
  assertQuiet(ayse);
});
