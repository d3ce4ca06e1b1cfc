// What the service refuses, as an error.

/** @typedef {import('../../types/api.d.ts').Problem} ProblemDocument */

export class Problem extends Error {
  /** @param {Partial<ProblemDocument>} document @param {number | null} retryAfter in seconds */
  constructor(document, retryAfter = null) {
    super(document.detail ?? document.title ?? 'the service does not answer');
    this.document = document;
    this.retryAfter = retryAfter;
  }

  /** The type's last part, such as `active-game`; `network` when there was no answer. */
  get name() {
    return this.document.type?.split('/').at(-1) ?? 'network';
  }

  /** The game concerned, if the problem names one. */
  get gameId() {
    return this.document.gameId ?? null;
  }
}

/** @param {unknown} error @returns {Problem} */
export const asProblem = (error) => (error instanceof Problem ? error : new Problem({ detail: String(error) }));
