// How one of several is chosen: radio buttons that are cards.

import { css } from 'lit';

export const choice = css`
  fieldset {
    display: grid;
    gap: 0.6rem;
    margin: 0;
    padding: 0;
    border: 0;
    min-width: 0;
  }
  legend {
    margin-bottom: 0.5rem;
    padding: 0;
    font-weight: 700;
  }
  label.choice {
    display: grid;
    grid-template-columns: auto 1fr;
    align-items: center;
    gap: 0 0.8rem;
    padding: 0.7rem 1rem;
    border: 1px solid var(--line-strong);
    border-radius: 0.9rem;
    cursor: pointer;
  }
  label.choice.small {
    gap: 0 0.6rem;
    padding: 0.5rem 0.75rem;
  }
  label.choice:has(:checked) {
    border-color: var(--accent);
    background: var(--accent-soft);
  }
  label.choice:has(:focus-visible) {
    outline: 3px solid var(--focus);
    outline-offset: 2px;
  }
  label.choice input {
    grid-row: span 2;
    width: 1.15rem;
    height: 1.15rem;
    margin: 0;
    accent-color: var(--accent);
  }
  label.choice b {
    font-weight: 650;
    line-height: 1.3;
  }
  label.choice b:last-child {
    grid-row: span 2;
  }
  label.choice small {
    color: var(--muted);
    font-size: 0.88rem;
    line-height: 1.3;
  }
  label.choice.small small {
    font-size: 0.8rem;
  }
`;
