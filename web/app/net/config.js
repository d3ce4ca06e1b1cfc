// What the service says of itself to its own client.

import { learn } from './clock.js';

/**
 * @typedef {import('../../types/api.d.ts').ClientConfig} ClientConfig
 */

/** @type {Promise<ClientConfig> | null} */
let asked = null;

/** Asked once; asked again after a failure. @returns {Promise<ClientConfig>} */
export function config() {
  asked ??= fetch('/config.json').then((response) => {
    learn(response);
    if (!response.ok) throw new Error(`/config.json: ${response.status}`);
    return response.json();
  });
  asked.catch(() => (asked = null));
  return asked;
}
