// The few pictures, as drawings.

import { svg, html } from 'lit';

/** @param {unknown} paths @param {boolean} [filled] */
const icon = (paths, filled = false) => html`<svg
  viewBox="0 0 24 24"
  width="20"
  height="20"
  fill=${filled ? 'currentColor' : 'none'}
  stroke=${filled ? 'none' : 'currentColor'}
  stroke-width="2"
  stroke-linecap="round"
  stroke-linejoin="round"
  aria-hidden="true"
>
  ${paths}
</svg>`;

export const icons = {
  eye: icon(svg`<path d="M2 12s3.6-6.5 10-6.5S22 12 22 12s-3.6 6.5-10 6.5S2 12 2 12Z" /><circle cx="12" cy="12" r="2.8" />`),
  sun: icon(svg`<circle cx="12" cy="12" r="4.2" /><path d="M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4" />`),
  moon: icon(svg`<path d="M20 14.2A8.3 8.3 0 0 1 9.8 4a8.3 8.3 0 1 0 10.2 10.2Z" />`),
  auto: icon(svg`<circle cx="12" cy="12" r="8.5" /><path d="M12 3.5v17a8.5 8.5 0 0 0 0-17Z" fill="currentColor" stroke="none" />`),
  link: icon(svg`<path d="M9.5 14.5l5-5M8 11l-2.2 2.2a3.7 3.7 0 0 0 5.2 5.2L13.2 16M16 13l2.2-2.2A3.7 3.7 0 0 0 13 5.6L10.8 8" />`),
  first: icon(svg`<path d="M6 5h2.4v14H6zM19 5.5v13L9.5 12z" />`, true),
  previous: icon(svg`<path d="M16.5 5.5v13L6.5 12z" />`, true),
  play: icon(svg`<path d="M7.5 5v14L19 12z" />`, true),
  pause: icon(svg`<path d="M6.5 5h3.8v14H6.5zM13.7 5h3.8v14h-3.8z" />`, true),
  next: icon(svg`<path d="M7 5.5l8 6.5-8 6.5zM15.6 5.5H18v13h-2.4z" />`, true),
  last: icon(svg`<path d="M15.6 5H18v14h-2.4zM5 5.5L14.5 12 5 18.5z" />`, true),
  again: icon(svg`<path d="M20 6v4.5h-4.5M19.3 10.5A7.7 7.7 0 1 0 19 15.5" />`),
  undo: icon(svg`<path d="M8.5 5L4.5 9l4 4M5 9h9a5.5 5.5 0 0 1 0 11h-3" />`),
  check: icon(svg`<path d="M5 12.5l4.5 4.5L19 7.5" />`),
  dice: icon(svg`<rect x="4" y="4" width="16" height="16" rx="4" /><path d="M8.5 8.5h.01M15.5 8.5h.01M12 12h.01M8.5 15.5h.01M15.5 15.5h.01" />`),
  clock: icon(svg`<circle cx="12" cy="12" r="8.5" /><path d="M12 7.5V12l3 2.2" />`),
  hands: icon(svg`<path d="M3 8l4-2.5 5 2 5-2L21 8v7l-3 1.5M3 8v7l3 1.5 5 3.5 2-1.2 3-2.1 2-.7M12 7.5l-2.5 4a1.7 1.7 0 0 0 2.8 1.6L14 11l5 5.5" />`),
  pass: icon(svg`<path d="M4 15a8 8 0 0 1 15-3M20 6v6h-6" />`),
  door: icon(svg`<path d="M13.5 4H6v16h7.5M10.5 12H21M17.5 8.5L21 12l-3.5 3.5" />`),
  turn: icon(svg`<path d="M4 9h13l-3.5-3.5M20 15H7l3.5 3.5" />`),
};
