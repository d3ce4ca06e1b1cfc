// The service's time, in which every time of a game is told.

let ahead = 0;

/** Learns how far the service's clock is ahead of this one, from an answer. @param {Response} response */
export function learn(response) {
  const date = Date.parse(response.headers.get('date') ?? '');
  if (Number.isNaN(date)) return;
  // The header has whole seconds; a smaller difference is none.
  const difference = date + 500 - Date.now();
  ahead = Math.abs(difference) > 1500 ? difference : 0;
}

export const serviceNow = () => Date.now() + ahead;
