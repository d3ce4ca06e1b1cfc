// What an invitation says of itself, so that who follows the link sees what they are invited to. Only the service
// can tell whether it is genuine, and does when it is used.

/** @typedef {import('../../types/api.d.ts').Kind} Kind */
/** @typedef {import('../../types/api.d.ts').TimeControl} TimeControl */
/** @typedef {import('../../types/api.d.ts').PlayerSummary} PlayerSummary */
/** @typedef {import('../../types/api.d.ts').Seat} Seat */

/** @typedef {{ kind: Kind, timeControl: TimeControl, host: PlayerSummary, seat: Seat }} Terms */

/** @param {string | null} token @returns {Terms | null} */
export function termsOf(token) {
  try {
    const payload = (token ?? '').split('.')[2].replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(payload), (char) => char.charCodeAt(0));
    const terms = JSON.parse(new TextDecoder().decode(bytes));
    return terms.kind && terms.timeControl && terms.host && terms.seat ? terms : null;
  } catch {
    return null;
  }
}
