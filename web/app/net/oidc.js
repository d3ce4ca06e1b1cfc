// Signing in at the issuer: authorization code with PKCE. The code that comes back is traded for tokens here; the
// service sees only the access token.

import { Emitter } from '../emitter.js';
import { config } from './config.js';
import { Problem } from './problem.js';

const KEY = 'turnstream.oidc';
const PENDING = 'turnstream.oidc.pending';
const EARLY_MS = 30_000;

/** What can go wrong here, and the service does not know of. */
class SignInProblem extends Problem {
  /** @param {'no-issuer' | 'needs-https' | 'still-signed-in'} what */
  constructor(what) {
    super({});
    this.what = what;
  }

  get name() {
    return this.what;
  }
}

/** @typedef {{ access: string, refresh?: string, expiresAt: number }} Tokens */
/** @typedef {{ userId: string, name: string | null }} User */

/** @param {Uint8Array<ArrayBuffer>} bytes */
const base64url = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)));
const challengeOf = async (/** @type {string} */ verifier) =>
  base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));

/** What a token says of its user; it is not verified here, since nothing here depends on it. @returns {User | null} */
function userOf(/** @type {string} */ token) {
  try {
    const body = token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/');
    const claims = JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(body), (char) => char.charCodeAt(0))));
    return { userId: `kc:${claims.sub}`, name: claims.preferred_username ?? null };
  } catch {
    return null;
  }
}

/** @extends {Emitter<{ change: null }>} */
class Oidc extends Emitter {
  /** @type {Tokens | null} */
  #tokens = JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
  /** @type {Promise<void> | null} */
  #refreshing = null;
  /** Why a return from the issuer signed nobody in: a problem's name. */
  problem = '';

  /** @returns {User | null} */
  get user() {
    return this.#tokens ? userOf(this.#tokens.access) : null;
  }

  /** @returns {Promise<string | null>} */
  async token() {
    if (!this.#tokens) return null;
    if (Date.now() > this.#tokens.expiresAt - EARLY_MS) {
      this.#refreshing ??= this.#refresh().finally(() => (this.#refreshing = null));
      await this.#refreshing;
    }
    return this.#tokens?.access ?? null;
  }

  /** Leaves for the issuer's page. */
  async signIn() {
    // A browser computes no hash for a page that came over plain http.
    if (!crypto.subtle) throw new SignInProblem('needs-https');
    const issuer = await this.#issuer();
    const [verifier, state] = [random(), random()];
    sessionStorage.setItem(PENDING, JSON.stringify({ verifier, state, back: location.pathname + location.search }));
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: issuer.clientId,
      redirect_uri: `${location.origin}/`,
      scope: 'openid profile',
      state,
      code_challenge: await challengeOf(verifier),
      code_challenge_method: 'S256',
    });
    location.assign(`${issuer.authorizationEndpoint}?${query}`);
  }

  /** Takes what the issuer sent back, if this page load is a return from there. @returns {Promise<string | null>} where to go on */
  async returned() {
    const query = new URLSearchParams(location.search);
    const pending = JSON.parse(sessionStorage.getItem(PENDING) ?? 'null');
    if (!pending || query.get('state') !== pending.state) return null;
    sessionStorage.removeItem(PENDING);
    const code = query.get('code');
    if (code) await this.#redeem(code, pending.verifier).catch(() => (this.problem = 'no-issuer'));
    return pending.back;
  }

  /** @param {string} code @param {string} verifier */
  async #redeem(code, verifier) {
    await this.#trade(await this.#issuer(), {
      grant_type: 'authorization_code',
      code,
      redirect_uri: `${location.origin}/`,
      code_verifier: verifier,
    });
  }

  forget() {
    if (!this.#tokens) return;
    this.#keep(null);
  }

  /** Signs out here and, if it can be asked, at the issuer. */
  async signOut() {
    this.#keep(null);
    const issuer = await this.#issuer().catch(() => {
      throw new SignInProblem('still-signed-in');
    });
    if (!issuer.endSessionEndpoint) return;
    const query = new URLSearchParams({ client_id: issuer.clientId, post_logout_redirect_uri: `${location.origin}/` });
    location.assign(`${issuer.endSessionEndpoint}?${query}`);
  }

  async #refresh() {
    const refresh = this.#tokens?.refresh;
    if (!refresh) return this.#keep(null);
    try {
      await this.#trade(await this.#issuer(), { grant_type: 'refresh_token', refresh_token: refresh });
    } catch (error) {
      // While nothing answers the old token is tried; refused, it is over.
      if (!(error instanceof TypeError || error instanceof Problem)) this.#keep(null);
    }
  }

  /** @param {{ tokenEndpoint: string, clientId: string }} issuer @param {Record<string, string>} grant */
  async #trade(issuer, grant) {
    const response = await fetch(issuer.tokenEndpoint, {
      method: 'POST',
      body: new URLSearchParams({ client_id: issuer.clientId, ...grant }),
    });
    if (!response.ok) throw new Error(`the issuer answered ${response.status}`);
    const answer = await response.json();
    this.#keep({
      access: answer.access_token,
      refresh: answer.refresh_token,
      expiresAt: Date.now() + answer.expires_in * 1000,
    });
  }

  /** @param {Tokens | null} tokens */
  #keep(tokens) {
    const before = this.user?.userId;
    this.#tokens = tokens;
    if (tokens) sessionStorage.setItem(KEY, JSON.stringify(tokens));
    else sessionStorage.removeItem(KEY);
    if (this.user?.userId !== before) this.emit('change', null);
  }

  async #issuer() {
    const { signIn } = await config();
    if (!signIn) throw new Error('no issuer is configured');
    const response = await fetch(`${signIn.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`).catch(() => null);
    const known = response?.ok ? await response.json().catch(() => null) : null;
    if (!known) throw new SignInProblem('no-issuer');
    return {
      clientId: signIn.clientId,
      authorizationEndpoint: /** @type {string} */ (known.authorization_endpoint),
      tokenEndpoint: /** @type {string} */ (known.token_endpoint),
      endSessionEndpoint: /** @type {string | undefined} */ (known.end_session_endpoint),
    };
  }
}

export const oidc = new Oidc();
