// How long players may think: what is offered, what the service takes, and how time is written.

/** @typedef {import('../types/api.d.ts').TimeControl} TimeControl */
/** @typedef {import('../types/api.d.ts').Kind} Kind */
/** @typedef {import('../types/api.d.ts').Clocks} Clocks */
/** @typedef {import('../types/api.d.ts').Seat} Seat */

/** In seconds. */
export const BOUNDS = { time: [10, 10_800], increment: [0, 180] };
/** Below this, tenths of a second count. */
const TENTHS_BELOW_MS = 20_000;

/** @type {TimeControl} */
const UNLIMITED = { type: 'unlimited' };
/** @type {TimeControl[]} */
const TIMED = [
  { type: 'fischer', initialS: 180, incrementS: 2 },
  { type: 'fischer', initialS: 300, incrementS: 5 },
  { type: 'suddenDeath', initialS: 300 },
  { type: 'suddenDeath', initialS: 900 },
  { type: 'perMove', seconds: 60 },
];

/** The time controls that are offered, what is usual for the kind first. @param {string} kind @returns {TimeControl[]} */
export const timeControlPresets = (kind) =>
  kind === 'dicechess' ? [{ type: 'fischer', initialS: 600, incrementS: 10 }, ...TIMED, UNLIMITED] : [UNLIMITED, ...TIMED];

/** Whether the service takes it. @param {TimeControl} control */
export function withinBounds(control) {
  const within = (/** @type {number} */ value, /** @type {number[]} */ [least, most]) => Number.isInteger(value) && value >= least && value <= most;
  switch (control.type) {
    case 'unlimited':
      return true;
    case 'suddenDeath':
      return within(control.initialS, BOUNDS.time);
    case 'fischer':
      return within(control.initialS, BOUNDS.time) && within(control.incrementS, BOUNDS.increment);
    case 'perMove':
      return within(control.seconds, BOUNDS.time);
  }
}

/** @param {TimeControl} one @param {TimeControl} other */
export const sameControl = (one, other) => JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort());

/** What a clock shows. @param {number} ms left */
export function clockText(ms) {
  const left = Math.max(0, ms);
  const seconds = Math.floor(left / 1000);
  const two = (/** @type {number} */ n) => String(n).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (hours > 0) return `${hours}:${two(minutes)}:${two(seconds % 60)}`;
  const tenths = left < TENTHS_BELOW_MS ? `.${Math.floor(left / 100) % 10}` : '';
  return `${minutes}:${two(seconds % 60)}${tenths}`;
}

/** Milliseconds left to a seat. @param {Clocks} clocks @param {Seat} seat @param {number} now in the service's time */
export function leftOf({ remainingMs, running }, seat, now) {
  const left = remainingMs[seat];
  return Math.max(0, running?.seat === seat ? left - Math.max(0, now - running.since) : left);
}
