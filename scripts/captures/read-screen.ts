import stringWidth from 'string-width';

/** How a character looks. `ink` is one of the sixteen colours of terminals, the terminal's own where absent. */
export interface CharacterStyle {
  readonly ink?: number;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly inverse?: boolean;
}

/** A character in its place; `cells` is 2 for a wide one. */
export interface ScreenCharacter {
  readonly text: string;
  readonly column: number;
  readonly cells: number;
  readonly style: CharacterStyle;
}

/** An escape sequence that sets styles, or one character. */
const PIECE = /\u001b\[([\d;]*)m|\P{M}\p{M}*/gu;

const STYLES: Readonly<Record<number, CharacterStyle>> = {
  1: { bold: true },
  2: { dim: true },
  7: { inverse: true },
  22: { bold: false, dim: false },
  27: { inverse: false },
  49: {},
};

/** The lines of a screen as `tmux capture-pane -e` gives it. Throws at a style that screens do not use. */
export function readScreen(text: string): readonly (readonly ScreenCharacter[])[] {
  let style: CharacterStyle = {};
  return text.split('\n').map((line) => {
    const characters: ScreenCharacter[] = [];
    let column = 0;
    for (const [piece, codes] of line.matchAll(PIECE)) {
      if (codes !== undefined) {
        style = codes.split(';').map(Number).reduce(styleAfter, style);
        continue;
      }
      const cells = stringWidth(piece);
      characters.push({ text: piece, column, cells, style });
      column += cells;
    }
    return characters;
  });
}

function styleAfter(style: CharacterStyle, code: number): CharacterStyle {
  const { ink, ...rest } = style;
  if (code === 0) return {};
  if (code === 39) return rest;
  if (code >= 30 && code < 38) return { ...style, ink: code - 30 };
  if (code >= 90 && code < 98) return { ...style, ink: code - 90 + 8 };
  const change = STYLES[code];
  if (change === undefined) throw new Error(`no picture for the style ${code}`);
  return { ...style, ...change };
}
