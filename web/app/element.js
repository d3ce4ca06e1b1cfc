// What every component of the client shares: the sheet, the language, listening that ends with the element.

import { LitElement } from 'lit';
import { i18n } from './i18n.js';
import { sheet } from './sheet.js';

export class Element extends LitElement {
  static styles = [sheet];

  /** @type {(() => void)[]} */
  #stops = [];

  connectedCallback() {
    super.connectedCallback();
    this.until(i18n.on('change', () => this.requestUpdate()));
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    for (const stop of this.#stops) stop();
    this.#stops = [];
  }

  /** Runs `stop` when the element goes. @param {(() => void)[]} stops */
  until(...stops) {
    this.#stops.push(...stops);
  }

  /** Gives the document a title, which follows the language as long as the element is there. @param {() => string} title */
  entitle(title) {
    const tell = () => (document.title = [title(), 'turnstream'].filter(Boolean).join(' · '));
    tell();
    this.until(i18n.on('change', tell));
  }

  /** Renders again every `ms`, for what counts down. @param {number} ms */
  tick(ms) {
    const timer = setInterval(() => this.requestUpdate(), ms);
    this.until(() => clearInterval(timer));
  }
}
