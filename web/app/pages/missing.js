// No page.

import { html } from 'lit';
import { Element } from '../element.js';
import { text } from '../i18n.js';

class MissingPage extends Element {
  connectedCallback() {
    super.connectedCallback();
    this.entitle(() => text().notFound);
  }

  render() {
    return html`<h1>${text().notFound}</h1>
      <p><a href="/">${text().backHome}</a></p>`;
  }
}

customElements.define('missing-page', MissingPage);
