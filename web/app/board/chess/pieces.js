// The chess pieces, drawn for this client: turned wood in two colours, on a tile of 45. They are rendered once into
// each board's own tree, from where the board module takes them by their ids (`wk`, `bp`).

import { svg } from 'lit';

/** The edge of a piece's tile. */
export const TILE = 45;

const foot = svg`<path d="M10.6 39.4v-1.5c0-2.5 1.7-4 4.2-4h15.4c2.5 0 4.2 1.5 4.2 4v1.5z" />`;
const collar = (/** @type {number} */ y, /** @type {number} */ half) =>
  svg`<rect x=${22.5 - half} y=${y} width=${2 * half} height="2.7" rx="1.35" />`;

const DRAWN = {
  p: svg`
    <path d="M19.6 21.4c-.3 5.2-2 9.2-4.8 12.5h15.4c-2.8-3.3-4.5-7.3-4.8-12.5z" />
    ${foot} <circle cx="22.5" cy="14.6" r="5.3" /> ${collar(19.6, 5.6)}`,
  n: svg`
    <path d="M32 33.9c1.3-9.6-.2-17.4-6.6-22.2l-.7-4.6-3.9 3.3c-3.2.9-5.2 2.9-6.5 5.8l-4.4 5.6c-1.2 1.6-1 3.5.4 4.6 1.3 1 2.9.7 4.2-.2 1.9-1.4 4.1-1.6 6.3-2.7-.5 3.9-5.9 4.9-6.9 10.4z" />
    <path class="line" d="M25.9 12.4c4.6 5.2 5.2 12 4 19.2" />
    <circle class="mark" cx="18.3" cy="16.3" r="1.25" /> <path class="line" d="M12.3 23.9l-.9.9" /> ${foot}`,
  b: svg`
    <path d="M19.8 26.5c-.4 2.9-2 5.4-4.6 7.4h14.6c-2.6-2-4.2-4.5-4.6-7.4z" />
    <path d="M22.5 9.6c-4.6 3.4-7.2 7.5-7.2 11 0 2.3 1 4.2 2.9 5.4h8.6c1.9-1.2 2.9-3.1 2.9-5.4 0-3.5-2.6-7.6-7.2-11z" />
    <path class="line" d="M25.6 15.2l-3.5 4.9" />
    ${foot} <circle cx="22.5" cy="7.9" r="2.1" /> ${collar(25.1, 6.3)}`,
  r: svg`
    <path d="M16.9 17.4l-1.2 13.8h13.6l-1.2-13.8z" />
    <path d="M12.9 9.3h4.3v2.5h3.2V9.3h4.2v2.5h3.2V9.3h4.3v6.1l-2.9 3.2H15.8l-2.9-3.2z" />
    ${foot} ${collar(30.9, 8.6)}`,
  q: svg`
    <path d="M10.9 14.2l4.1 14.4c.3 1.9.1 3.6-.8 5.3h16.6c-.9-1.7-1.1-3.4-.8-5.3l4.1-14.4-5.7 7.1-1.5-10.4-4.4 9.4-4.4-9.4-1.5 10.4z" />
    <path class="line" d="M15.4 29.9c4.7-1.3 9.5-1.3 14.2 0" />
    ${foot} <circle cx="10.6" cy="12.6" r="1.9" /> <circle cx="17.7" cy="9.6" r="1.9" /> <circle cx="27.3" cy="9.6" r="1.9" />
    <circle cx="34.4" cy="12.6" r="1.9" />`,
  k: svg`
    <path d="M22.5 15.9c1.3-3 4-4.6 7-4.1 3.5.6 5.6 3.8 4.9 7.4-.7 3.4-3.5 5.9-4.2 9.6-.3 1.9-.2 3.5.6 5.1H14.2c.8-1.6.9-3.2.6-5.1-.7-3.7-3.5-6.2-4.2-9.6-.7-3.6 1.4-6.8 4.9-7.4 3-.5 5.7 1.1 7 4.1z" />
    <path class="line" d="M22.5 16.4v10.4M15.4 29.7c4.7-1.3 9.5-1.3 14.2 0" />
    ${foot} <path d="M21.2 15.3V10h-2.9V7.4h2.9V4.6h2.6v2.8h2.9V10h-2.9v5.3z" />`,
};

/** All twelve, to be rendered into a tree that uses them. */
export const pieces = svg`${Object.entries(DRAWN).flatMap(([piece, drawn]) => [
  svg`<g id="w${piece}" class="ivory">${drawn}</g>`,
  svg`<g id="b${piece}" class="ebony">${drawn}</g>`,
])}`;

/** One of them as a picture of its own. @param {string} piece `p` to `k` @param {string} [tone] */
export const picture = (piece, tone = 'plain') =>
  svg`<svg viewBox="0 0 45 45" class=${tone} aria-hidden="true">${DRAWN[/** @type {'p'} */ (piece)]}</svg>`;
