// Three dice. Their faces name pieces; what is spent is turned down.

import { css, html } from 'lit';
import { Element } from '../../element.js';
import { pieceOn } from '../../games/dicechess/dfen.js';
import { text } from '../../i18n.js';
import { sheet } from '../../sheet.js';
import { picture } from './pieces.js';
import { diceInWords } from './words.js';

export class DiceRow extends Element {
  static properties = { dice: { attribute: false }, spent: { attribute: false }, side: { type: String, reflect: true }, cast: { type: Number } };

  static styles = [
    sheet,
    css`
      :host {
        display: inline-block;
      }
      .dice {
        display: flex;
        gap: calc(var(--die, 2.6rem) * 0.2);
      }
      .die {
        display: grid;
        place-items: center;
        width: var(--die, 2.6rem);
        height: var(--die, 2.6rem);
        border-radius: 24%;
        background: linear-gradient(160deg, #fffaf0, #ecd9b8);
        box-shadow:
          inset 0 -0.12rem 0.2rem #a47f4b80,
          inset 0 0.1rem 0.1rem #fff,
          0 0.12rem 0.35rem #2a12055c;
        transition:
          opacity 0.2s,
          scale 0.2s;
      }
      :host([side='b']) .die {
        background: linear-gradient(160deg, #6a4630, #3b2213);
        box-shadow:
          inset 0 -0.12rem 0.2rem #140a04a6,
          inset 0 0.1rem 0.1rem #b98d6159,
          0 0.12rem 0.35rem #2a12055c;
      }
      svg {
        width: 84%;
        height: 84%;
        fill: #4a2b14;
        stroke: #f4e4c6;
        stroke-width: 1.2;
        stroke-linejoin: round;
        stroke-linecap: round;
      }
      :host([side='b']) svg {
        fill: #f6e3c0;
        stroke: #4a2c1a;
      }
      .line {
        fill: none;
      }
      .mark {
        fill: #f4e4c6;
        stroke: none;
      }
      :host([side='b']) .mark {
        fill: #4a2c1a;
      }
      .spent {
        opacity: 0.32;
        scale: 0.86;
      }
      /* Two of the same, so that the next throw is another animation and begins. */
      .thrown0 {
        animation: tumble 0.5s cubic-bezier(0.2, 0.9, 0.3, 1.15) backwards;
      }
      .thrown1 {
        animation: tumble-again 0.5s cubic-bezier(0.2, 0.9, 0.3, 1.15) backwards;
      }
      .die:nth-child(2) {
        animation-delay: 0.06s;
      }
      .die:nth-child(3) {
        animation-delay: 0.12s;
      }
      @keyframes tumble {
        from {
          opacity: 0;
          translate: -0.9rem -1.1rem;
          rotate: -200deg;
        }
      }
      @keyframes tumble-again {
        from {
          opacity: 0;
          translate: -0.9rem -1.1rem;
          rotate: -200deg;
        }
      }
    `,
  ];

  constructor() {
    super();
    /** In the order in which they were thrown. @type {readonly number[]} */
    this.dice = [];
    /** Which of them are spent. @type {readonly boolean[]} */
    this.spent = [];
    /** Whose they are. @type {'w' | 'b'} */
    this.side = 'w';
    /** Which throw it is: another one tumbles. */
    this.cast = 0;
  }

  render() {
    const t = text();
    const left = this.dice.filter((_, at) => !this.spent[at]);
    const label = this.dice.length === 0 ? t.noDice : left.length === this.dice.length ? t.diceAre(diceInWords(this.dice)) : t.diceLeft(diceInWords(this.dice), diceInWords(left));
    return html`<div class="dice" role="img" aria-label=${label}>
      ${this.dice.map((face, at) => html`<span class="die thrown${this.cast % 2} ${this.spent[at] ? 'spent' : ''}">${picture(pieceOn(face))}</span>`)}
    </div>`;
  }
}

customElements.define('dice-row', DiceRow);
