// Mangala's rules, as the service plays them: which pits may be taken, and what each step does to the board. The
// service decides every move; this only draws it and knows what to offer.

/** @typedef {import('../../types/api.d.ts').MancalaStep} Step */
/** @typedef {import('../../types/api.d.ts').Seat} Seat */
/** A move, the board after it and what it did. @typedef {{ playerId: string, moveIndex: number, boardSnapshot: number[], gameSteps: Step[], at: number }} Record */

export const PITS = 6;
export const STONES = 48;

/** @returns {number[]} */
export const opening = () => [4, 4, 4, 4, 4, 4, 0, 4, 4, 4, 4, 4, 4, 0];

/** @param {Seat} seat */
export const storeOf = (seat) => (seat === 'player1' ? 6 : 13);

/** @param {Seat} seat @returns {Seat} */
export const otherSeat = (seat) => (seat === 'player1' ? 'player2' : 'player1');

/** The pits of a seat, in the order in which it sows. @param {Seat} seat */
export const pitsOf = (seat) => Array.from({ length: PITS }, (_, pit) => (seat === 'player1' ? pit : 7 + pit));

/** Whose a pit is. @param {number} index @returns {Seat} */
export const ownerOf = (index) => (index <= 6 ? 'player1' : 'player2');

/** A pit's number as its player counts: 1 to 6. @param {number} index */
export const pitNumber = (index) => (index % 7) + 1;

const opposite = (/** @type {number} */ index) => 12 - index;
const isStore = (/** @type {number} */ index) => index === 6 || index === 13;
const sum = (/** @type {number[]} */ board, /** @type {number[]} */ places) => places.reduce((n, place) => n + board[place], 0);

/** The pits that `seat` may take. @param {number[]} board @param {Seat} seat */
export const legal = (board, seat) => pitsOf(seat).filter((pit) => board[pit] > 0);

/**
 * The stones that a step moves, place by place: `[from, to, how many]`.
 * @param {number[]} board before the step
 * @param {Seat} seat who moves
 * @param {number} taken the pit that was taken
 * @param {Step} step
 * @returns {[number, number, number][]}
 */
export function transfers(board, seat, taken, step) {
  const store = storeOf(seat);
  switch (step.type) {
    case 'GAME_STEP_GAME_MOVE':
      return [[taken, step.index, 1]];
    case 'GAME_STEP_LAST_STONE_IN_BANK':
      return [];
    case 'GAME_STEP_LAST_STONE_IN_EMPTY_PIT':
      return [
        [step.data.oppositeIndex, store, board[step.data.oppositeIndex]],
        [step.index, store, board[step.index]],
      ];
    case 'GAME_STEP_DOUBLE_STONE_IN_PIT':
      return [[step.index, store, board[step.index]]];
    case 'GAME_STEP_BOARD_CLEARED':
      return [...pitsOf('player1'), ...pitsOf('player2')]
        .filter((pit) => board[pit] > 0)
        .map((pit) => [pit, step.index, board[pit]]);
  }
}

/** The board after a step. @type {(board: number[], seat: Seat, taken: number, step: Step) => number[]} */
export function applyStep(board, seat, taken, step) {
  const after = [...board];
  for (const [from, to, count] of transfers(board, seat, taken, step)) {
    after[from] -= count;
    after[to] += count;
  }
  return after;
}

/**
 * Plays a move.
 * @param {number[]} board
 * @param {Seat} seat
 * @param {number} taken a legal pit
 * @returns {{ board: number[], steps: Step[], next: Seat | null }} `next` is null when the game is over
 */
export function play(board, seat, taken) {
  /** @type {Step[]} */
  const steps = [];
  let now = board;
  const make = (/** @type {Step} */ step) => {
    now = applyStep(now, seat, taken, step);
    steps.push(step);
  };

  const stones = board[taken];
  const skipped = storeOf(otherSeat(seat));
  let place = stones > 1 ? taken : taken + 1;
  for (let sown = 0; sown < stones; sown++, place++) {
    place %= 14;
    if (place === skipped) place = (place + 1) % 14;
    make({ index: place, type: 'GAME_STEP_GAME_MOVE' });
  }

  const last = steps[steps.length - 1].index;
  const end = lastStone(now, seat, last);
  if (end) make(end);

  const empty = /** @type {Seat[]} */ (['player1', 'player2']).filter((side) => sum(now, pitsOf(side)) === 0);
  if (empty.length > 0) {
    const winner = empty.length === 2 ? seat : empty[0];
    make({ index: storeOf(winner), type: 'GAME_STEP_BOARD_CLEARED', data: { collected: sum(now, pitsOf(otherSeat(winner))) } });
    return { board: now, steps, next: null };
  }
  return { board: now, steps, next: last === storeOf(seat) ? seat : otherSeat(seat) };
}

/** What the last stone does. @type {(board: number[], seat: Seat, last: number) => Step | null} */
function lastStone(board, seat, last) {
  if (last === storeOf(seat)) return { index: last, type: 'GAME_STEP_LAST_STONE_IN_BANK' };
  if (isStore(last)) return null;
  if (ownerOf(last) === seat) {
    const across = opposite(last);
    if (board[last] !== 1 || board[across] === 0) return null;
    return { index: last, type: 'GAME_STEP_LAST_STONE_IN_EMPTY_PIT', data: { oppositeIndex: across, captured: board[across] + 1 } };
  }
  if (board[last] % 2 !== 0) return null;
  return { index: last, type: 'GAME_STEP_DOUBLE_STONE_IN_PIT', data: { captured: board[last] } };
}
