// How a game is laid out, live or replayed: the board between its players, what belongs to it beside or below.

import { css } from 'lit';

export const gameLayout = css`
  .game {
    display: grid;
    grid-template-columns: minmax(0, 1fr) minmax(14rem, 19rem);
    gap: 1rem 1.6rem;
    align-items: start;
  }
  .table {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 0.7rem;
    min-width: 0;
    container-type: inline-size;
  }
  mancala-board {
    --board-unit: 1cqw;
    min-height: calc(44 * var(--board-unit));
  }
  /* A board that is as high as wide leaves room for its players. */
  .tall {
    max-width: max(72rem, 100dvh + 2rem);
    margin-inline: auto;
  }
  .tall .table > * {
    --board-unit: min(1cqw, max(3.4px, (100dvh - 18.8rem) / 100));
    width: 100%;
    max-width: calc(100 * var(--board-unit));
    justify-self: center;
  }
  dice-chess-board {
    min-height: calc(100 * var(--board-unit));
  }
  .side {
    --list-height: max(15rem, 55dvh - 12rem);
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 1rem;
    min-width: 0;
    align-content: start;
  }
  .side .card {
    display: grid;
    gap: 0.6rem;
    padding: 1rem;
  }
  .side .result {
    justify-content: start;
  }
  .side h2 {
    font-size: 1.02rem;
  }
  .note {
    overflow-wrap: anywhere;
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: center;
    gap: 0.4rem 0.9rem;
    min-height: 2.75rem;
    padding: 0.35rem 1rem;
    border-radius: var(--radius);
    background: var(--sunken);
    text-align: center;
  }
  .note.act {
    background: var(--accent-soft);
    color: var(--accent-text);
    font-weight: 700;
  }
  .note.warn {
    background: var(--warn-soft);
    color: var(--warn-text);
    font-weight: 600;
  }
  .note button,
  .note .button {
    min-height: 2.2rem;
    padding-block: 0.2rem;
  }
  .result {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: center;
    gap: 0.5rem 1rem;
    padding: 0.7rem 1rem 0.7rem 1.3rem;
  }
  .result div:first-child {
    flex: 1 1 8rem;
  }
  .result h1 {
    font-size: 1.55rem;
    overflow-wrap: anywhere;
  }
  .state {
    max-width: 30rem;
    margin: 3rem auto;
    text-align: center;
    display: grid;
    gap: 1rem;
    justify-items: center;
  }
  /* On a phone that lies on its side the tray is beside the board: see dice-chess-board.js. */
  @media (max-height: 32rem) and (min-width: 36rem) {
    .tall .table > * {
      --board-unit: min((100cqw - 15rem) / 100, max(3.2px, (100dvh - 8.5rem) / 100));
      max-width: calc(100 * var(--board-unit) + 15rem);
    }
  }
  @media (max-width: 60rem) {
    .game {
      grid-template-columns: minmax(0, 1fr);
    }
    .side {
      --list-height: 9rem;
    }
  }
`;
