// Dragging a piece from one square to another. A press that does not move is a click, and none of this one's affair.

/** @typedef {import('./chess-squares.js').ChessSquares} ChessSquares */

/** In pixels: less is a click of an unsteady hand. */
const LEAST = 5;

export class Dragging {
  /** @param {ChessSquares} squares */
  constructor(squares) {
    this.squares = squares;
  }

  /** @param {PointerEvent} press */
  begin(press) {
    const button = /** @type {Element} */ (press.target).closest('[data-square]');
    const from = button?.getAttribute('data-square');
    if (!from || press.button !== 0 || !this.squares.isSource(from)) return;
    const over = new AbortController();
    const { signal } = over;
    /** @type {SVGGElement | null} */
    let piece = null;

    const move = (/** @type {PointerEvent} */ event) => {
      if (event.pointerId !== press.pointerId) return;
      const [x, y] = [event.clientX - press.clientX, event.clientY - press.clientY];
      if (!piece && Math.hypot(x, y) < LEAST) return;
      piece ??= this.#lift(from);
      if (piece) piece.style.translate = `${x}px ${y}px`;
    };
    const end = (/** @type {PointerEvent} */ event) => {
      if (event.pointerId !== press.pointerId) return;
      over.abort();
      if (piece) this.#drop(from, piece, event);
    };
    addEventListener('pointermove', move, { signal });
    addEventListener('pointerup', end, { signal });
    addEventListener('pointercancel', end, { signal });
  }

  /** @param {string} from */
  #lift(from) {
    const piece = this.squares.pieceOn(from);
    // Above all others.
    piece?.parentNode?.append(piece);
    piece?.classList.add('held');
    this.squares.selected = from;
    return piece;
  }

  /** @param {string} from @param {SVGGElement} piece @param {PointerEvent} event */
  #drop(from, piece, event) {
    piece.classList.remove('held');
    piece.style.translate = '';
    const to = this.#squareAt(event);
    if (event.type === 'pointerup' && to && this.squares.isTarget(to)) this.squares.move(from, to, false);
    else this.squares.selected = null;
  }

  /** @param {PointerEvent} event */
  #squareAt({ clientX, clientY }) {
    const root = /** @type {ShadowRoot} */ (this.squares.renderRoot);
    return root.elementsFromPoint(clientX, clientY).map((element) => element.getAttribute('data-square')).find(Boolean) ?? null;
  }
}
