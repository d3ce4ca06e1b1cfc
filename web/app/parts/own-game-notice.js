// One's own game goes on, and may have begun, while something else is looked at: what it is, and the way there.

import { css, html, nothing } from 'lit';
import { Element } from '../element.js';
import { text } from '../i18n.js';
import { otherSeat } from '../kinds.js';
import { ownGame } from '../net/own-game.js';
import { session } from '../net/session.js';
import { router } from '../router.js';
import { sheet } from '../sheet.js';
import { namesOf, seatOf } from './people.js';

/** What tells of one's own game already, or leads there by itself. */
const KNOW_IT = ['home', 'new'];

class OwnGameNotice extends Element {
  static styles = [
    sheet,
    css`
      p {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        justify-content: center;
        gap: 0.4rem 0.8rem;
        margin-bottom: 0.8rem;
        padding: 0.5rem 1rem;
        border-radius: var(--radius);
        background: var(--accent-soft);
        color: var(--accent-text);
        font-weight: 600;
        overflow-wrap: anywhere;
      }
      .button {
        min-height: 2.2rem;
        padding-block: 0.2rem;
      }
    `,
  ];

  connectedCallback() {
    super.connectedCallback();
    this.until(
      ownGame.on('change', () => this.requestUpdate()),
      router.on('change', () => this.requestUpdate()),
    );
  }

  render() {
    const { game } = ownGame;
    const { route } = router;
    if (!game || KNOW_IT.includes(route.page) || ('id' in route && route.id === game.id)) return nothing;
    const t = text();
    const opponent = namesOf(game)[otherSeat(seatOf(game, session.userId) ?? 'player1')];
    return html`<p><span>${t.yourGame} ${t.against(opponent)}</span> <a class="button" href="/play/${game.id}">${t.continue}</a></p>`;
  }
}

customElements.define('own-game-notice', OwnGameNotice);
