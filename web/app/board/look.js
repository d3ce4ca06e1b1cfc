// What a board looks like: walnut, carved pits, glass stones. All lengths are in --unit.

import { css } from 'lit';

export const look = css`
  :host {
    --unit: var(--board-unit, 1vw);
    --flight: 300ms;
    width: calc(100 * var(--unit));
    user-select: none;
    -webkit-user-select: none;
    touch-action: manipulation;
  }
  .board {
    position: relative;
    width: calc(100 * var(--unit));
    height: calc(44 * var(--unit));
    border-radius: calc(7 * var(--unit));
    background:
      radial-gradient(120% 90% at 50% -10%, #ffe2b81f, transparent 60%),
      repeating-linear-gradient(92deg, #0000 0 calc(1.1 * var(--unit)), #2a12041a calc(1.4 * var(--unit)) calc(1.7 * var(--unit)), #0000 calc(2.9 * var(--unit))),
      repeating-linear-gradient(88.6deg, #0000 0 calc(3.1 * var(--unit)), #ffce9612 calc(4.3 * var(--unit)), #0000 calc(5.9 * var(--unit))),
      linear-gradient(178deg, #8a5733, #6f4225 55%, #5d351c);
    box-shadow:
      inset 0 calc(0.25 * var(--unit)) calc(0.3 * var(--unit)) #ffdcae66,
      inset 0 calc(-0.5 * var(--unit)) calc(0.8 * var(--unit)) #1e0c02a6,
      0 calc(0.8 * var(--unit)) calc(2.4 * var(--unit)) calc(-0.6 * var(--unit)) #2c1505a6;
  }
  .board::before {
    content: '';
    position: absolute;
    inset: calc(1.1 * var(--unit));
    border: calc(0.16 * var(--unit)) solid #f6cf9d3d;
    border-radius: calc(6 * var(--unit));
    pointer-events: none;
  }

  .pit,
  .store {
    position: absolute;
    left: calc(var(--x, 50) * var(--unit));
    top: calc(var(--y, 22) * var(--unit));
    translate: -50% -50%;
  }
  .pit {
    /* The whole of its part of the board can be pressed. */
    display: block;
    width: calc(11.2 * var(--unit));
    height: calc(17.6 * var(--unit));
    min-height: 0;
    padding: 0;
    border: 0;
    border-radius: calc(5 * var(--unit));
    background: none;
    opacity: 1;
    transition: none;
  }
  button.pit:disabled {
    opacity: 1;
  }
  .pit:hover:not(:disabled) {
    background: none;
  }
  .pit:active:not(:disabled) {
    translate: -50% -50%;
  }
  button.pit {
    cursor: default;
  }
  .pit::before,
  .store::before {
    content: '';
    position: absolute;
    inset: 0;
    margin: auto;
    border-radius: 50%;
    background: radial-gradient(circle at 50% 30%, #2a1408, #44240f 62%, #5d3418);
    box-shadow:
      inset 0 calc(0.7 * var(--unit)) calc(1.1 * var(--unit)) #0d0501d9,
      inset 0 calc(-0.3 * var(--unit)) calc(0.6 * var(--unit)) #c98d5459,
      0 calc(0.14 * var(--unit)) 0 #ffdcae4d;
    transition: box-shadow 0.2s;
  }
  .pit::before {
    width: calc(10.2 * var(--unit));
    height: calc(10.2 * var(--unit));
  }
  .store {
    width: calc(10.8 * var(--unit));
    height: calc(29 * var(--unit));
  }
  .store::before {
    border-radius: calc(5.4 * var(--unit));
    background: linear-gradient(180deg, #2a1408, #44240f 70%, #5d3418);
  }

  .count {
    position: absolute;
    left: 0;
    right: 0;
    text-align: center;
    color: #fdeedb;
    font-weight: 700;
    font-size: max(calc(2.5 * var(--unit)), 0.72rem);
    line-height: 1;
    text-shadow: 0 1px 2px #1e0c02;
  }
  .pit.above .count {
    bottom: calc(100% - 2.9 * var(--unit));
  }
  .pit.below .count {
    top: calc(100% - 2.9 * var(--unit));
  }
  .pit-number {
    position: absolute;
    left: 0;
    right: 0;
    text-align: center;
    color: #fdeedb70;
    font-weight: 600;
    font-size: max(calc(1.5 * var(--unit)), 0.56rem);
    font-style: normal;
    line-height: 1;
  }
  .pit-number::before {
    content: attr(data-number);
  }
  .pit.above .pit-number {
    top: calc(50% + 5.5 * var(--unit));
  }
  .pit.below .pit-number {
    bottom: calc(50% + 5.5 * var(--unit));
  }
  .store .count {
    font-size: max(calc(3.2 * var(--unit)), 0.85rem);
  }
  .store.above .count {
    bottom: calc(100% + 0.6 * var(--unit));
  }
  .store.below .count {
    top: calc(100% + 0.6 * var(--unit));
  }
  :host([readonly]) .count {
    display: none;
  }

  .turn.pit:not([aria-disabled]):not(:disabled) {
    cursor: pointer;
  }
  .turn.pit:not([aria-disabled]):not(:disabled)::before {
    box-shadow:
      inset 0 calc(0.7 * var(--unit)) calc(1.1 * var(--unit)) #0d0501d9,
      0 0 0 calc(0.35 * var(--unit)) #ffd28a,
      0 0 calc(2 * var(--unit)) #ffbf6466;
  }
  .turn.pit:not([aria-disabled]):not(:disabled):hover::before {
    box-shadow:
      inset 0 calc(0.7 * var(--unit)) calc(1.1 * var(--unit)) #0d0501d9,
      0 0 0 calc(0.6 * var(--unit)) #ffe3b3,
      0 0 calc(3 * var(--unit)) #ffcf86b3;
  }
  .pit.taken::before {
    outline: calc(0.28 * var(--unit)) dashed #f2c78ab3;
    outline-offset: calc(-0.7 * var(--unit));
  }
  .last::before {
    outline: calc(0.32 * var(--unit)) solid #f2c78a;
    outline-offset: calc(-0.4 * var(--unit));
  }
  .hint::after {
    content: '';
    position: absolute;
    inset: 0;
    margin: auto;
    width: calc(2 * var(--unit));
    height: calc(2 * var(--unit));
    border-radius: 50%;
    border: calc(0.4 * var(--unit)) solid #ffe3b3;
    z-index: 3;
  }
  .captured::before {
    background: radial-gradient(circle at 50% 40%, #b3401c, #7a2a10 75%);
  }
  .pending::before {
    animation: breathe 0.9s ease-in-out infinite alternate;
  }
  button.pit:focus-visible {
    outline: calc(0.4 * var(--unit)) solid #fff4e0;
    outline-offset: calc(-0.6 * var(--unit));
  }

  .stones {
    position: absolute;
    inset: 0;
    pointer-events: none;
  }
  .stone {
    position: absolute;
    left: calc(-1.45 * var(--unit));
    top: calc(-1.45 * var(--unit));
    width: calc(2.9 * var(--unit));
    height: calc(2.9 * var(--unit));
    border-radius: 50%;
    translate: calc(var(--x, 50) * var(--unit)) calc(var(--y, 22) * var(--unit));
    background:
      radial-gradient(circle at 33% 27%, #ffffffe6 0 8%, #ffffff59 17%, #fff0 34%),
      radial-gradient(circle at 62% 78%, var(--light), #0000 58%),
      radial-gradient(circle at 50% 45%, var(--hue), var(--deep) 92%);
    box-shadow: 0 calc(0.3 * var(--unit)) calc(0.5 * var(--unit)) #0a0300a6;
    transition:
      translate var(--flight) cubic-bezier(0.35, 0.05, 0.25, 1),
      scale var(--flight) ease-out;
  }
  :host([still]) .stone {
    transition: none;
  }
  .stone.held {
    scale: 1.16;
    box-shadow: 0 calc(0.9 * var(--unit)) calc(1 * var(--unit)) #0a0300b3;
  }
  .hue0 {
    --hue: #2f9e94;
    --deep: #0d5450;
    --light: #8be8dc;
  }
  .hue1 {
    --hue: #e0a22e;
    --deep: #8a5209;
    --light: #ffe39a;
  }
  .hue2 {
    --hue: #d9583a;
    --deep: #83240f;
    --light: #ffab8f;
  }
  .hue3 {
    --hue: #4a7fc4;
    --deep: #1b3f78;
    --light: #a9cdff;
  }
  .hue4 {
    --hue: #e9e0d1;
    --deep: #a3937c;
    --light: #fff;
  }
  @keyframes breathe {
    to {
      filter: brightness(1.9);
    }
  }
`;
