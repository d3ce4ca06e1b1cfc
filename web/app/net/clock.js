// The service's time, in which every time of a game is told. It is learnt from what the service says while it comes
// in: a frame is never older than the time in it says, so the largest lead that was heard is the closest.

/** What was heard longer ago counts no more: two clocks drift apart. */
const KEPT_MS = 10 * 60_000;

export class ServiceClock {
  /** @type {{ ahead: number, at: number }[]} */
  #heard = [];
  #rough = 0;

  /**
   * @param {() => number} steady milliseconds that nobody sets: the user may set the clock on the wall
   * @param {() => number} wall
   */
  constructor(steady = () => performance.now(), wall = () => Date.now()) {
    this.steady = steady;
    // Until something is heard, both clocks are believed to agree.
    this.#rough = wall() - steady();
  }

  /** Hears a time that the service has just read. @param {number} time */
  hear(time) {
    const at = this.steady();
    const ahead = time - at;
    this.#heard = this.#heard.filter((heard) => heard.ahead > ahead && at - heard.at < KEPT_MS);
    this.#heard.push({ ahead, at });
  }

  /** Hears a time in whole seconds, which will do until a better one comes. @param {number} time */
  hearRoughly(time) {
    const ahead = time + 500 - this.steady();
    // A difference below that is none.
    if (Math.abs(ahead - this.#rough) > 1500) this.#rough = ahead;
  }

  now() {
    return this.steady() + (this.#heard[0]?.ahead ?? this.#rough);
  }
}

export const clock = new ServiceClock();

/** Learns from an answer's date. @param {Response} response */
export function learn(response) {
  const date = Date.parse(response.headers.get('date') ?? '');
  if (!Number.isNaN(date)) clock.hearRoughly(date);
}

export const serviceNow = () => clock.now();
