// Whether a finished game's dice were fair: the seed that the service revealed is the one it had committed to, and
// every roll follows from it and from what the players gave. Anybody can compute this, here with WebCrypto.

/** What the players gave: white is player1. @typedef {{ player1: string, player2: string }} ClientSeeds */
/** @typedef {{ commit: string, seed: string, clientSeeds: ClientSeeds }} Fairness */
/** @typedef {{ index: number, recorded: readonly number[], computed: number[], same: boolean }} CheckedRoll */
/** @typedef {{ committed: boolean, rolls: CheckedRoll[], fair: boolean }} Verdict */

const DICE = 3;
/** Bytes from here on are skipped, so that each face is as likely as any other. */
const REJECTED = 252;

/** @param {string} text */
export function fromHex(text) {
  if (!/^([0-9a-f]{2})*$/.test(text)) throw new Error('no hexadecimal digits');
  return Uint8Array.from(text.match(/../g) ?? [], (digits) => parseInt(digits, 16));
}

/** @param {ArrayBuffer} bytes */
const toHex = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** What is published before the first roll: the seed's SHA-256. @param {Uint8Array<ArrayBuffer>} seed */
export const commitOf = async (seed) => toHex(await crypto.subtle.digest('SHA-256', seed));

/** What a roll is computed of: both players' seeds and its number. @param {ClientSeeds} seeds @param {number} index @param {number} block */
function message({ player1, player2 }, index, block) {
  const [first, second] = [player1, player2].map((seed) => new TextEncoder().encode(seed));
  const bytes = new Uint8Array(4 + first.length + 4 + second.length + 8 + 4);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, first.length);
  bytes.set(first, 4);
  view.setUint32(4 + first.length, second.length);
  bytes.set(second, 8 + first.length);
  view.setBigInt64(8 + first.length + second.length, BigInt(index));
  view.setInt32(16 + first.length + second.length, block);
  return bytes;
}

/** @param {CryptoKey} key @param {ClientSeeds} seeds @param {number} index */
async function roll(key, seeds, index) {
  /** @type {number[]} */
  const dice = [];
  for (let block = 0; dice.length < DICE; block++) {
    const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', key, message(seeds, index, block)));
    dice.push(...[...bytes].filter((byte) => byte < REJECTED).map((byte) => (byte % 6) + 1));
  }
  return dice.slice(0, DICE);
}

/** @param {Uint8Array<ArrayBuffer>} seed */
const keyOf = (seed) => crypto.subtle.importKey('raw', seed, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);

/** The dice of one roll, by its number from 0. @param {Uint8Array<ArrayBuffer>} seed @param {ClientSeeds} seeds @param {number} index */
export const rollOf = async (seed, seeds, index) => roll(await keyOf(seed), seeds, index);

/**
 * Checks all of a game's dice.
 * @param {Fairness} fairness as the service revealed it
 * @param {readonly (readonly number[])[]} rolls in order, those of forced passes among them
 * @returns {Promise<Verdict>}
 */
export async function verify({ commit, seed, clientSeeds }, rolls) {
  const bytes = fromHex(seed);
  const committed = (await commitOf(bytes)) === commit;
  const key = await keyOf(bytes);
  const checked = await Promise.all(
    rolls.map(async (recorded, index) => {
      const computed = await roll(key, clientSeeds, index);
      return { index, recorded, computed, same: computed.every((die, at) => die === recorded[at]) && recorded.length === DICE };
    }),
  );
  return { committed, rolls: checked, fair: committed && checked.every(({ same }) => same) };
}
