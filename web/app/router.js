// Which page a path shows.

import { Emitter } from './emitter.js';

/**
 * @typedef {{ page: 'home' | 'new' | 'history' | 'missing' }
 *   | { page: 'play' | 'replay' | 'join', id: string }} Route
 */

const WITH_ID = /^\/(play|replay|join)\/([0-9a-f-]{36})$/;
const PLAIN = /** @type {const} */ ({ '/': 'home', '/new': 'new', '/history': 'history' });

/** A path as we write it: an id in lower case, no slash at its end. @param {string} path */
const plainly = (path) => path.replace(/[0-9a-f-]{36}/i, (id) => id.toLowerCase()).replace(/(?<=.)\/$/, '');

/** @param {string} path @returns {Route} */
export function routeOf(path) {
  const [, page, id] = WITH_ID.exec(plainly(path)) ?? [];
  if (page) return { page: /** @type {'play'} */ (page), id };
  const plain = PLAIN[/** @type {'/'} */ (plainly(path))];
  return { page: plain ?? 'missing' };
}

/** @extends {Emitter<{ change: null }>} */
class Router extends Emitter {
  route = routeOf(location.pathname);

  start() {
    if (this.route.page !== 'missing') history.replaceState(null, '', plainly(location.pathname) + location.search);
    addEventListener('popstate', () => this.#show());
    document.addEventListener('click', (event) => this.#follow(event));
  }

  /** @param {string} path @param {{ replace?: boolean }} [options] */
  go(path, { replace = false } = {}) {
    if (replace) history.replaceState(null, '', path);
    else history.pushState(null, '', path);
    scrollTo(0, 0);
    this.#show();
  }

  #show() {
    this.route = routeOf(location.pathname);
    this.emit('change', null);
  }

  /** Links to our own pages need no load. @param {MouseEvent} event */
  #follow(event) {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = /** @type {HTMLAnchorElement | undefined} */ (event.composedPath().find((node) => node instanceof HTMLAnchorElement));
    if (!link || link.target || link.origin !== location.origin || routeOf(link.pathname).page === 'missing') return;
    event.preventDefault();
    this.go(link.pathname + link.search);
  }
}

export const router = new Router();
