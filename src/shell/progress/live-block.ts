import { harmless } from '../../core/shown-text.ts';
import { cellWidth } from '../../terminal/cells.ts';
import { paint } from '../../terminal/paint.ts';
import type { Size } from '../../terminal/screen-model.ts';
import { caretColumn, type Line } from '../../terminal/span.ts';
import type { Theme } from '../../terminal/theme.ts';
import { type ProgressState, totalBytes } from './progress-state.ts';

/** The terminal a block is drawn on. */
export interface Terminal {
  write(text: string): void;
  /** Asked again at every drawing. */
  size(): Size;
}

/** Lines at the bottom of the terminal that are redrawn in place; other text scrolls above them. */
export interface LiveBlock {
  /** Text that stands above the block from the next drawing on. */
  print(text: string): void;
  /** Draws the block; only what has changed is written. `tab`: the progress in that of the window, see `tabProgress`. */
  draw(lines: readonly Line[], window?: { readonly title?: string; readonly tab?: string }): void;
  /** Takes the block away, leaves `lines` in its place, if any, and the cursor at the start of a line below; then writes `after`. */
  leave(lines?: readonly Line[], after?: string): void;
  /** The terminal belongs to another program now: the block is no longer touched. */
  forget(): void;
}

interface Drawn {
  readonly text: string;
  readonly width: number;
  /** Where text is typed: the terminal's cursor stands there between two drawings. */
  readonly caret: number | undefined;
}

const ERASE_LINE = '\x1b[2K';
const [NO_WRAP, WRAP] = ['\x1b[?7l', '\x1b[?7h'];
const [HIDE_CURSOR, SHOW_CURSOR] = ['\x1b[?25l', '\x1b[?25h'];
const NO_TAB = '0';
const up = (lines: number) => (lines > 0 ? `\x1b[${lines}A` : '');
const down = (lines: number) => (lines > 0 ? `\x1b[${lines}B` : '');
const right = (columns: number) => (columns > 0 ? `\x1b[${columns}C` : '');

/** Begins a block. Nothing is written before the first drawing. Lines must be cut to the terminal's width. */
export function startLiveBlock(terminal: Terminal, colour: boolean, theme?: Theme): LiveBlock {
  let drawn: readonly Drawn[] = [];
  /** Lines above the block that a smaller window has moved into the history: a larger one brings them back. */
  let gone: readonly Drawn[] = [];
  let columns = 0;
  let height = 0;
  let above = '';
  let named = '';
  let tab = NO_TAB;

  /** From the line where text is typed to the end of the block. */
  const toEnd = (size: Size) => {
    const at = drawn.findIndex(({ caret }) => caret !== undefined);
    if (at < 0) return '';
    const rowsOf = (width: number) => Math.max(1, Math.ceil(width / size.columns));
    const rows = drawn.slice(at).reduce((sum, { width }) => sum + rowsOf(width), 0);
    return down(rows - rowsOf((drawn[at]?.caret ?? 0) + 1));
  };
  const toCaret = () => {
    const at = drawn.findIndex(({ caret }) => caret !== undefined);
    const column = drawn[at]?.caret ?? 0;
    return at < 0 ? '' : `\r${up(drawn.length - 1 - at)}${right(column)}`;
  };
  const takeAbove = () => {
    const text = above === '' || above.endsWith('\n') ? above : `${above}\n`;
    above = '';
    if (text !== '') gone = [];
    return text;
  };
  /** To the first column of the block's first line, with nothing below it. A narrower terminal has wrapped its lines. */
  const clear = (size: Size) => {
    if (drawn.length === 0) return '';
    const all = [...gone, ...drawn];
    let [rows, seen] = [0, 0];
    for (const line of all.toReversed()) {
      rows += Math.max(1, Math.ceil(line.width / size.columns));
      if (rows <= size.rows) seen++;
    }
    gone = all.slice(0, all.length - seen);
    // Line by line: to erase a whole screen at once moves it into the history of some terminals (tmux).
    return `\r${ERASE_LINE}${`${up(1)}${ERASE_LINE}`.repeat(Math.min(rows, size.rows) - 1)}`;
  };
  const rename = (title: string) => {
    if (title === named) return '';
    named = title;
    return `\x1b]0;${title}\x07`;
  };

  const showTab = (next: string) => {
    if (next === tab) return '';
    tab = next;
    return `\x1b]9;4;${next}\x07`;
  };

  return {
    print(text) {
      above += text;
    },
    draw(lines, window = {}) {
      const size = terminal.size();
      const next = lines.map((line) => {
        const plain = line.map(({ text }) => text).join('');
        const text = paint(line, colour, theme).trimEnd();
        const caret = caretColumn(line, (text) => cellWidth(harmless(text)));
        return { text, width: cellWidth(plain.trimEnd()), caret };
      });
      const inPlace =
        above === '' &&
        size.columns === columns &&
        (gone.length === 0 || size.rows === height) &&
        next.length === drawn.length &&
        drawn.length > 0;
      const text = inPlace
        ? changedLines(drawn, next, columns)
        : next.map((line) => line.text).join('\n');
      const cleared = inPlace ? '' : clear(size) + takeAbove();
      const start = drawn.length === 0 ? `\r${HIDE_CURSOR}` : '';
      const titled = rename(window.title ?? '') + showTab(window.tab ?? NO_TAB);
      const end = toEnd(size);
      const before = toCaret();
      drawn = next;
      ({ columns, rows: height } = size);
      const caret = toCaret();
      if (cleared + text + titled !== '' || caret !== before)
        terminal.write(`${titled}${start}${end}${cleared}${NO_WRAP}${text}${WRAP}${caret}`);
    },
    leave(lines = [], after = '') {
      const size = terminal.size();
      const text = toEnd(size) + clear(size) + takeAbove();
      const last = lines.map((line) => `${paint(line, colour, theme).trimEnd()}\n`).join('');
      const shown = drawn.length === 0 ? '' : SHOW_CURSOR;
      const all = text + last + shown + rename('') + showTab(NO_TAB) + after;
      drawn = [];
      gone = [];
      if (all !== '') terminal.write(all);
    },
    forget() {
      drawn = [];
      gone = [];
    },
  };
}

/** The cursor is at the end of the last line before and after it. */
function changedLines(before: readonly Drawn[], after: readonly Drawn[], columns: number): string {
  let at = before.length - 1;
  let text = '';
  after.forEach((line, row) => {
    if (line.text === before[row]?.text) return;
    const erase = line.width < columns ? '\x1b[K' : '';
    text += `\r${row < at ? up(at - row) : down(row - at)}${line.text}${erase}`;
    at = row;
  });
  const last = after.length - 1;
  if (text === '' || at === last) return text;
  const width = after[last]?.width ?? 0;
  // A terminal that gets narrower wraps the lines around its cursor.
  return `${text}\r${down(last - at)}${right(width)}`;
}

/** The progress of a run for the tab of a terminal, as OSC 9;4 takes it: its state, and a percentage. */
export function tabProgress(state: ProgressState, isPaused: boolean): string {
  const total = totalBytes(state);
  if (total <= 0) return '3;0';
  const percent = Math.floor(Math.min(1, state.bytes / total) * 100);
  return `${isPaused ? 4 : state.errors > 0 ? 2 : 1};${percent}`;
}
