// Who plays: a guest, who needs no form, or a user of the issuer. Before anything needs a name, nobody.

import { Emitter } from '../emitter.js';
import { Problem } from './problem.js';
import { oidc } from './oidc.js';
import { guestName } from '../i18n.js';

const KEY = 'turnstream.guest';

/** @typedef {{ userId: string, name?: string | null, token: string }} Guest */

/** @returns {Guest | null} */
function stored() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? 'null');
  } catch {
    return null;
  }
}

/** @extends {Emitter<{ change: null }>} */
class Session extends Emitter {
  #guest = stored();
  /** @type {Promise<void> | null} */
  #becoming = null;

  constructor() {
    super();
    // Another tab became somebody, or nobody.
    addEventListener('storage', (event) => {
      if (event.key !== KEY) return;
      const before = this.userId;
      this.#guest = stored();
      if (this.userId !== before) this.emit('change', null);
    });
    oidc.on('change', () => this.emit('change', null));
  }

  /** The own public id, as far as known here. */
  get userId() {
    return oidc.user?.userId ?? this.#guest?.userId ?? null;
  }

  get name() {
    return oidc.user ? oidc.user.name : (this.#guest?.name ?? null);
  }

  get isGuest() {
    return !oidc.user;
  }

  /** A bearer token, if anybody is known. @returns {Promise<string | null>} */
  async token() {
    return (await oidc.token()) ?? this.#guest?.token ?? null;
  }

  /** Makes sure that somebody plays: becomes a guest if nobody does. */
  async ensure() {
    if (this.userId) return;
    this.#becoming ??= this.#becomeGuest().finally(() => (this.#becoming = null));
    await this.#becoming;
  }

  async #becomeGuest() {
    const response = await fetch('/guests', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: guestName() }),
    }).catch((error) => {
      throw new Problem({ detail: String(error) });
    });
    const answer = await response.json().catch(() => ({}));
    if (!response.ok) throw new Problem(answer, Number(response.headers.get('retry-after')) || null);
    this.#keep(answer);
    this.emit('change', null);
  }

  /** @param {Guest | null} guest */
  #keep(guest) {
    this.#guest = guest;
    if (guest) localStorage.setItem(KEY, JSON.stringify(guest));
    else localStorage.removeItem(KEY);
  }

  /** Takes a younger token in place of the guest's. @param {string} token */
  renew(token) {
    if (this.#guest && this.isGuest) this.#keep({ ...this.#guest, token });
  }

  /** The service no longer believes this token. @param {string} token */
  forget(token) {
    if (this.#guest?.token === token) this.#keep(null);
    else oidc.forget();
    this.emit('change', null);
  }
}

export const session = new Session();
