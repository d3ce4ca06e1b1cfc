// An issuer that signs in whoever comes, as Keycloak would: authorization code with PKCE.

import assert from 'node:assert/strict';
import { createHash, createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

const base64url = (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

export class Issuer {
  static async start() {
    const issuer = new Issuer();
    issuer.keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
    issuer.codes = new Map();
    issuer.grants = [];
    issuer.server = createServer((request, response) => void issuer.#answer(request, response)).listen(0, '127.0.0.1');
    await once(issuer.server, 'listening');
    issuer.url = `http://127.0.0.1:${issuer.server.address().port}/realms/turnstream`;
    return issuer;
  }

  /** The flags of a service that believes it. */
  get flags() {
    return ['--oidc-issuer', this.url, '--oidc-audience', 'turnstream', '--oidc-client-id', 'turnstream-web'];
  }

  end() {
    this.server.closeAllConnections();
    this.server.close();
  }

  async #answer(request, response) {
    const url = new URL(request.url, this.url);
    const at = url.pathname.replace('/realms/turnstream/', '');
    const json = (body) => response.writeHead(200, { 'content-type': 'application/json', 'access-control-allow-origin': '*' }).end(JSON.stringify(body));
    if (at === '.well-known/openid-configuration') {
      const below = (path) => `${this.url}/protocol/openid-connect/${path}`;
      return json({ issuer: this.url, authorization_endpoint: below('auth'), token_endpoint: below('token'), end_session_endpoint: below('logout') });
    }
    if (at === 'protocol/openid-connect/certs') {
      const { n, e } = this.keys.publicKey.export({ format: 'jwk' });
      return json({ keys: [{ kid: 'k1', kty: 'RSA', alg: 'RS256', use: 'sig', n, e }] });
    }
    if (at === 'protocol/openid-connect/auth') {
      const code = randomUUID();
      this.codes.set(code, Object.fromEntries(url.searchParams));
      const back = new URL(url.searchParams.get('redirect_uri'));
      back.searchParams.set('code', code);
      back.searchParams.set('state', url.searchParams.get('state'));
      return response.writeHead(302, { location: back.href }).end();
    }
    if (at === 'protocol/openid-connect/token') return json(await this.#token(request));
    if (at === 'protocol/openid-connect/logout') return response.writeHead(302, { location: url.searchParams.get('post_logout_redirect_uri') }).end();
    response.writeHead(404).end();
  }

  async #token(request) {
    let text = '';
    for await (const chunk of request) text += chunk;
    const grant = Object.fromEntries(new URLSearchParams(text));
    this.grants.push(grant);
    if (grant.grant_type === 'authorization_code') {
      const asked = this.codes.get(grant.code);
      this.codes.delete(grant.code);
      assert.equal(asked.code_challenge_method, 'S256');
      assert.equal(createHash('sha256').update(grant.code_verifier).digest('base64url'), asked.code_challenge);
      assert.equal(grant.client_id, asked.client_id);
    }
    // It lapses at once, so that whoever uses it must refresh it.
    return { access_token: this.#sign(), refresh_token: randomUUID(), expires_in: 20, token_type: 'Bearer' };
  }

  #sign() {
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: this.url, aud: 'turnstream', azp: 'turnstream-web', sub: '7d0c1e9a', preferred_username: 'ayşe', iat: now, exp: now + 600 };
    const body = `${base64url({ alg: 'RS256', typ: 'JWT', kid: 'k1' })}.${base64url(claims)}`;
    return `${body}.${createSign('RSA-SHA256').update(body).sign(this.keys.privateKey, 'base64url')}`;
  }
}
