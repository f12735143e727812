/** The terminal a progress block is drawn on. */
export interface Terminal {
  write(text: string): void;
  /** Size in characters, asked anew at every drawing. */
  size(): { columns: number; rows: number };
}

/** A block of lines at the bottom of the terminal that is drawn anew in place; other lines scroll above it. */
export interface TerminalProgress {
  /** Lines that stand above the block from the next drawing on. */
  print(text: string): void;
  /** Draws the block as it is now. */
  draw(): void;
  /** Draws a last time and leaves the cursor below the block. */
  finish(): void;
}

/** How often the block is drawn anew, in milliseconds. */
export const REDRAW_MS = 200;

const ERASE_LINE = '\x1b[2K';
const ERASE_BELOW = '\x1b[J';
const NO_WRAP = '\x1b[?7l';
const WRAP = '\x1b[?7h';
const cursorUp = (lines: number) => (lines > 0 ? `\x1b[${lines}A` : '');

/**
 * Begins a block whose lines `lines` gives. Nothing is written before the first drawing.
 *
 * @param title What the window of the terminal is called, where it shall be.
 */
export function startTerminalProgress(
  terminal: Terminal,
  lines: () => readonly string[],
  title?: () => string,
): TerminalProgress {
  let drawn = 0;
  let above = '';

  const draw = () => {
    const { columns, rows } = terminal.size();
    const block = lines()
      .slice(0, Math.max(1, rows - 1))
      .map((line) => cutToWidth(visibleText(line), columns));
    const start = drawn === 0 ? '' : `\r${cursorUp(drawn - 1)}${ERASE_LINE}${ERASE_BELOW}`;
    const scrolled = above === '' || above.endsWith('\n') ? above : `${above}\n`;
    const named = title === undefined ? '' : titled(title());
    terminal.write(`${named}${start}${scrolled}${NO_WRAP}${block.join('\n')}${WRAP}`);
    drawn = block.length;
    above = '';
  };

  return {
    print(text) {
      above += text;
    },
    draw,
    finish() {
      draw();
      terminal.write(title === undefined ? '\n' : `\n${titled('')}`);
      drawn = 0;
    },
  };
}

/** Names the window of the terminal, as xterm and most others take it. */
function titled(text: string): string {
  return `\x1b]0;${text}\x07`;
}

/** Tabs as blanks, as a terminal would show them, and control characters as their symbols. */
function visibleText(line: string): string {
  const untabbed = line.replace(/^([^\t]*)\t/, (_, front: string) =>
    front.padEnd((Math.floor(front.length / 8) + 1) * 8),
  );
  return untabbed.replace(/[\0-\x1f\x7f]/g, (c) =>
    c === '\x7f' ? '␡' : String.fromCharCode(0x2400 + c.charCodeAt(0)),
  );
}

/** The terminal itself cuts what is still too long because letters are wide: wrapping is off while drawing. */
function cutToWidth(line: string, columns: number): string {
  const letters = [...line];
  return letters.length <= columns ? line : letters.slice(0, columns).join('');
}
