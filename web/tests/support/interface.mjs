// People without a browser, who use the service's interface.

import assert from 'node:assert/strict';

/** A guest with a name. */
export async function guest(service, name) {
  return post(service, '/guests', { name });
}

/** Whoever this guest is, in a browser. */
export const asGuest = (page, who) => page.addInitScript((text) => localStorage.setItem('turnstream.guest', text), JSON.stringify(who));

async function post(service, path, body, token) {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  const answer = await fetch(`${service.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  assert.ok(answer.ok, `${path}: ${answer.status}`);
  return answer.json();
}

/** A game between two guests; the first of them begins. */
export async function start(service, host, guest, kind = 'mancala') {
  const { joinUrl } = await post(service, '/games', { kind }, host.token);
  return join(service, joinUrl, guest);
}

/** Follows an invitation. */
export async function join(service, link, who) {
  const url = new URL(link);
  const id = url.pathname.split('/').at(-1);
  await post(service, `/games/${id}/join`, { token: url.searchParams.get('token'), id: 'join' }, who.token);
  return id;
}

/** Plays a pit, or a turn. */
export async function move(service, game, who, move) {
  const { position } = await (await fetch(`${service.url}/game/${game}`)).json();
  return post(service, `/games/${game}/moves`, { id: crypto.randomUUID(), position, move }, who.token);
}

/** Gives a game up. */
export const leave = (service, game, who) => post(service, `/games/${game}/leave`, { id: 'leave' }, who.token);
