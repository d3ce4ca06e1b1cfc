// The styles that every component shares. Colours and sizes are custom properties of the document: see style.css.

import { css } from 'lit';

export const sheet = css`
  :host {
    display: block;
  }
  :host([hidden]),
  [hidden] {
    display: none !important;
  }
  *,
  *::before,
  *::after {
    box-sizing: border-box;
  }
  h1,
  h2,
  h3,
  p,
  ul,
  ol,
  dl,
  dd {
    margin: 0;
    padding: 0;
  }
  ul,
  ol {
    list-style: none;
  }
  h1 {
    font-size: clamp(1.7rem, 1.2rem + 2.4vw, 2.6rem);
    font-weight: 750;
    letter-spacing: -0.022em;
    line-height: 1.1;
    text-wrap: balance;
  }
  h2 {
    font-size: 1.2rem;
    font-weight: 700;
    letter-spacing: -0.01em;
    line-height: 1.25;
  }
  a {
    color: var(--accent-text);
    text-underline-offset: 0.2em;
    text-decoration-thickness: 0.08em;
  }
  button,
  .button,
  input,
  select {
    font: inherit;
    color: inherit;
  }
  button,
  .button {
    appearance: none;
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: 0.5em;
    min-height: 2.75rem;
    padding: 0.5rem 1.15rem;
    border: 1px solid var(--line-strong);
    border-radius: 999px;
    background: var(--raised);
    font-weight: 600;
    line-height: 1.2;
    text-decoration: none;
    cursor: pointer;
    transition:
      background-color 0.15s,
      border-color 0.15s,
      translate 0.15s;
  }
  .button {
    color: var(--ink);
  }
  button:hover:not(:disabled),
  .button:hover {
    background: var(--hover);
  }
  button:active:not(:disabled),
  .button:active {
    translate: 0 1px;
  }
  button:disabled {
    opacity: 0.5;
    cursor: default;
  }
  .primary {
    border-color: transparent;
    background: var(--accent);
    color: var(--on-accent);
  }
  .primary:hover:not(:disabled) {
    background: var(--accent-hover);
  }
  .danger {
    border-color: transparent;
    background: var(--bad);
    color: var(--on-bad);
  }
  .danger:hover:not(:disabled) {
    background: var(--bad-hover);
  }
  .quiet {
    border-color: transparent;
    background: transparent;
  }
  :focus-visible {
    outline: 3px solid var(--focus);
    outline-offset: 2px;
  }
  .card {
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--raised);
    box-shadow: var(--shadow);
  }
  .muted {
    color: var(--muted);
  }
  .row {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.6rem;
  }
  .stack {
    display: grid;
    gap: 1rem;
  }
  .pill {
    display: inline-flex;
    align-items: center;
    gap: 0.4em;
    padding: 0.2em 0.7em;
    border-radius: 999px;
    background: var(--sunken);
    color: var(--muted);
    font-size: 0.84rem;
    font-weight: 600;
    white-space: nowrap;
  }
  .pill.good {
    background: var(--good-soft);
    color: var(--good);
  }
  .pill.bad {
    background: var(--bad-soft);
    color: var(--bad-text);
  }
  .dot {
    width: 0.55em;
    height: 0.55em;
    border-radius: 50%;
    background: var(--muted);
  }
  .dot.on {
    background: var(--good-dot);
  }
  .number {
    font-variant-numeric: tabular-nums;
  }
  .hidden-text {
    position: absolute;
    width: 1px;
    height: 1px;
    margin: -1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  @media (prefers-reduced-motion: reduce) {
    *,
    *::before,
    *::after {
      animation: none !important;
      transition: none !important;
    }
  }
`;
