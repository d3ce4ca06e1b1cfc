// What a chess board looks like: maple and walnut in a frame of the same wood as the other boards. All lengths are in
// --unit.

import { css } from 'lit';

export const look = css`
  :host {
    --unit: var(--board-unit, 1vw);
    width: calc(100 * var(--unit));
    user-select: none;
    -webkit-user-select: none;
  }
  .board {
    position: relative;
    width: calc(100 * var(--unit));
    height: calc(100 * var(--unit));
    padding: calc(2 * var(--unit));
    border-radius: calc(2.2 * var(--unit));
    background:
      radial-gradient(120% 60% at 50% -10%, #ffe2b81f, transparent 60%),
      repeating-linear-gradient(92deg, #0000 0 calc(0.7 * var(--unit)), #2a12041a calc(0.9 * var(--unit)) calc(1.1 * var(--unit)), #0000 calc(1.9 * var(--unit))),
      linear-gradient(178deg, #8a5733, #6f4225 55%, #5d351c);
    box-shadow:
      inset 0 calc(0.2 * var(--unit)) calc(0.25 * var(--unit)) #ffdcae66,
      inset 0 calc(-0.4 * var(--unit)) calc(0.6 * var(--unit)) #1e0c02a6,
      0 calc(0.8 * var(--unit)) calc(2.4 * var(--unit)) calc(-0.6 * var(--unit)) #2c1505a6;
  }
  .field {
    position: relative;
    width: calc(96 * var(--unit));
    height: calc(96 * var(--unit));
    border-radius: calc(0.6 * var(--unit));
    overflow: hidden;
    box-shadow: 0 0 0 calc(0.2 * var(--unit)) #2a1205;
  }
  .drawn,
  .squares {
    position: absolute;
    inset: 0;
  }
  .sprite {
    position: absolute;
    width: 0;
    height: 0;
  }
  /* The squares are drawn below, where what is pointed out does not cover the pieces. */
  .square,
  .border {
    fill: none;
  }
  .light {
    background: #efdab4;
  }
  .dark {
    background: #b57f50;
  }
  .light.last {
    background: #f3d57c;
  }
  .dark.last {
    background: #cf9b45;
  }
  .light.selected {
    background: #a9cfae;
  }
  .dark.selected {
    background: #719a76;
  }
  .cm-chessboard {
    display: block;
    pointer-events: none;
  }
  .ivory,
  .ebony {
    stroke-width: 1.35;
    stroke-linejoin: round;
    stroke-linecap: round;
  }
  .ivory {
    fill: #fbeed4;
    stroke: #4a2b14;
  }
  .ebony {
    fill: #46291a;
    stroke: #1a0c05;
  }
  .line {
    fill: none;
  }
  .ivory .mark {
    fill: #4a2b14;
    stroke: none;
  }
  .ebony .line,
  .ebony .mark {
    stroke: #d3ab7c;
  }
  .ebony .mark {
    fill: #d3ab7c;
    stroke: none;
  }

  .squares {
    display: grid;
    grid-template: repeat(8, 1fr) / repeat(8, 1fr);
    touch-action: manipulation;
  }
  :host([playable]) .squares {
    touch-action: none;
  }
  .at {
    position: relative;
    display: block;
    min-width: 0;
    min-height: 0;
    padding: 0;
    border: 0;
    border-radius: 0;
    background: none;
    opacity: 1;
    cursor: default;
    transition: none;
  }
  button.at:hover:not(:disabled) {
    background: none;
  }
  button.at:active:not(:disabled) {
    translate: none;
  }
  .at.from,
  .at.target {
    cursor: pointer;
  }
  .at.from::before {
    content: '';
    position: absolute;
    inset: 6%;
    border-radius: 18%;
    box-shadow: inset 0 0 0 calc(0.45 * var(--unit)) #1f7a5cb3;
  }
  .at.from:hover::before {
    box-shadow: inset 0 0 0 calc(0.7 * var(--unit)) #1f7a5c;
  }
  .at.selected::before {
    box-shadow: none;
  }
  .at.target::after {
    content: '';
    position: absolute;
    inset: 0;
    margin: auto;
    width: 32%;
    height: 32%;
    border-radius: 50%;
    background: #14634bc7;
  }
  .at.target.taken::after {
    width: auto;
    height: auto;
    inset: 4%;
    background: none;
    box-shadow: inset 0 0 0 calc(0.8 * var(--unit)) #b3261ec7;
  }
  .at.target:hover {
    background: #2c9d7566 !important;
  }
  button.at:focus-visible {
    outline: calc(0.55 * var(--unit)) solid #1b4fc4;
    outline-offset: calc(-0.55 * var(--unit));
    z-index: 2;
  }
  .name {
    position: absolute;
    color: #7b4a26;
    font-weight: 700;
    font-size: max(calc(2.1 * var(--unit)), 0.55rem);
    line-height: 1;
    pointer-events: none;
  }
  .name.on-dark {
    color: #f6e3c0;
  }
  .name.rank {
    top: 5%;
    left: 6%;
  }
  .name.file {
    right: 6%;
    bottom: 5%;
  }
  :host([readonly]) .name {
    display: none;
  }
  .held {
    filter: drop-shadow(0 6px 6px #0007);
  }
`;
