// An invitation's link, to be copied or shared; what else can be done with it is put beside that.

import { css, html, nothing } from 'lit';
import { Element } from '../element.js';
import { text } from '../i18n.js';
import { sheet } from '../sheet.js';
import { icons } from './icons.js';

const COPIED_FOR_MS = 2000;

class InvitationLink extends Element {
  static properties = { link: {}, copied: { state: true } };

  static styles = [
    sheet,
    css`
      :host {
        width: 100%;
      }
      .actions {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr));
        gap: 0.7rem;
      }
      .actions slot::slotted(*) {
        width: 100%;
      }
      input[readonly] {
        width: 100%;
        min-height: 2.75rem;
        padding: 0.5rem 0.9rem;
        border: 1px solid var(--line-strong);
        border-radius: 0.8rem;
        background: var(--sunken);
        font-size: 0.95rem;
        text-overflow: ellipsis;
      }
      .link {
        display: grid;
        gap: 0.7rem;
        width: 100%;
      }
    `,
  ];

  constructor() {
    super();
    this.link = '';
    this.copied = false;
  }

  async #copy() {
    const field = /** @type {HTMLInputElement | null} */ (this.renderRoot.querySelector('input[readonly]'));
    field?.select();
    try {
      await navigator.clipboard.writeText(this.link);
    } catch {
      // Without permission, or not over https: the old way.
      document.execCommand('copy');
    }
    this.copied = true;
    setTimeout(() => (this.copied = false), COPIED_FOR_MS);
  }

  render() {
    const t = text();
    // What a status says is no part of the name of a button around it.
    return html`<div class="link">
      <input readonly aria-label=${t.linkLabel} .value=${this.link} @focus=${(/** @type {any} */ event) => event.target.select()} />
      <div class="actions">
        <button type="button" class="primary" @click=${this.#copy}>${icons.link} ${this.copied ? t.copied : t.copy}</button>
        ${'share' in navigator ? html`<button type="button" @click=${() => navigator.share({ url: this.link }).catch(() => {})}>${t.share}</button>` : nothing}
        <slot></slot>
      </div>
      <p class="hidden-text" role="status">${this.copied ? t.copied : ''}</p>
    </div>`;
  }
}

customElements.define('invitation-link', InvitationLink);
