// What the client uses of cm-chessboard, which has no types of its own: the board is drawn and moved by it; choosing
// squares is the client's own affair.

declare module 'cm-chessboard' {
  export const COLOR: { white: 'w'; black: 'b' };
  export const BORDER_TYPE: { none: 'none'; thin: 'thin'; frame: 'frame' };

  export interface Props {
    position?: string;
    orientation?: 'w' | 'b';
    responsive?: boolean;
    assetsUrl?: string;
    assetsCache?: boolean;
    style?: {
      cssClass?: string;
      showCoordinates?: boolean;
      borderType?: string;
      aspectRatio?: number;
      pieces?: { type?: string; file?: string; tileSize?: number };
      animationDuration?: number;
    };
  }

  export class Chessboard {
    constructor(context: HTMLElement, props?: Props);
    readonly props: Required<Props> & { style: { animationDuration: number } };
    readonly view: { getPieceElement(square: string): SVGGElement | null };
    setPosition(fen: string, animated?: boolean): Promise<void>;
    setOrientation(color: 'w' | 'b', animated?: boolean): Promise<void>;
    getPosition(): string;
    getOrientation(): 'w' | 'b';
    destroy(): void;
  }
}
