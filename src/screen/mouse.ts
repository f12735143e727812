import type { MouseAct } from './key.ts';
import type { ScreenFrame } from './screen-frame.ts';
import { boxPlace, boxRoom, CONTENT_TOP, contentRows, GUTTER, layoutOf } from './screen-layout.ts';
import type { Size } from './screen-model.ts';

/** Reports of the mouse: buttons and wheel, as text with decimal numbers (SGR). */
export const MOUSE_ON = '\x1b[?1000h\x1b[?1006h';
/** The end of it. */
export const MOUSE_OFF = '\x1b[?1006l\x1b[?1000l';

const REPORT = /^\x1b\[<(\d+);(\d+);(\d+)([Mm])$/;
/** What can stand between the beginning of a report and its end. */
const WITHIN = /^\x1b\[<[\x20-\x3f]*/;
/** The beginning of a report of terminals that know no SGR: three characters follow. */
const OLD_REPORT = '\x1b[M';
const OLD_WHOLE = /^\x1b\[M[^\0-\x1f]{0,3}/;
const OLD_LENGTH = 6;
const LEFT = 0;
const WHEEL_UP = 64;
const WHEEL_DOWN = 65;

/**
 * Takes the reports of the mouse out of the input of a terminal. One that is broken, or cut between two reads, is never
 * left in as keys: what may be the beginning of a report waits for its rest.
 */
export class MouseReports {
  #held = '';
  /** Escape was given as a key: what follows may still be the rest of a report. */
  #isAfterEscape = false;
  #pressed: MouseAct | undefined;

  /** How long what waits may be a key after all, in milliseconds: Escape, or a bracket behind it. */
  get waitMs(): number | undefined {
    if (this.#held === '\x1b') return 25;
    return this.#isAfterEscape && this.#held === '\x1b[' ? 500 : undefined;
  }

  /** What waits is a key: nothing has followed. */
  flush(): string {
    if (this.waitMs === undefined) return '';
    const key = this.#held.slice(-1);
    this.#isAfterEscape = key === '\x1b';
    this.#held = '';
    return key;
  }

  /** The input as text without reports, and what these say, in their order. */
  push(text: string): readonly (string | MouseAct)[] {
    const isRest = this.#isAfterEscape && this.#held === '' && /^\[(?:$|[<M])/.test(text);
    if (!isRest && this.#held === '') this.#isAfterEscape = false;
    let input = `${isRest ? '\x1b' : this.#held}${text}`;
    if (this.#isAfterEscape && !/^\x1b\[(?:$|[<M\0-\x1f])/.test(input)) input = input.slice(1);
    this.#held = '';
    const parts: (string | MouseAct)[] = [];
    let keys = '';
    for (let rest = input; rest !== ''; ) {
      const length = reportLength(rest);
      if (length === undefined) {
        this.#held = rest;
        break;
      }
      if (length === 0) {
        keys += rest[0];
        rest = rest.slice(1);
        continue;
      }
      const act = this.#actOf(rest.slice(0, length));
      rest = rest.slice(length);
      if (act === undefined) continue;
      parts.push(keys, act);
      keys = '';
    }
    if (this.#held !== '\x1b[') this.#isAfterEscape = false;
    return [...parts, keys].filter((part) => part !== '');
  }

  /** A click is its end, so that no report is under way when it opens something. */
  #actOf(report: string): MouseAct | undefined {
    const [, code, column, row, end] = REPORT.exec(report) ?? [];
    const button = Number(code);
    const place = { column: Number(column) - 1, row: Number(row) - 1 };
    if (button === WHEEL_UP || button === WHEEL_DOWN) {
      return { kind: button === WHEEL_UP ? 'wheel-up' : 'wheel-down', ...place };
    }
    const before = this.#pressed;
    const act = button === LEFT ? ({ kind: 'click', ...place } as const) : undefined;
    this.#pressed = end === 'M' ? act : undefined;
    return end === 'm' && before?.row === act?.row ? act : undefined;
  }
}

/** How much of the text is a report at its beginning; `undefined` if that depends on what follows. */
function reportLength(text: string): number | undefined {
  if (!text.startsWith('\x1b')) return 0;
  if (text === '\x1b' || text === '\x1b[') return undefined;
  if (text.startsWith(OLD_REPORT)) {
    const [found = ''] = OLD_WHOLE.exec(text) ?? [];
    return found.length === text.length && found.length < OLD_LENGTH ? undefined : found.length;
  }
  if (/^\x1b\[[\0-\x1f]/.test(text)) return 2;
  const within = WITHIN.exec(text)?.[0].length ?? 0;
  if (within === 0) return 0;
  const end = text.codePointAt(within);
  if (end === undefined) return undefined;
  // Anything else cannot stand in a report: it was cut there.
  return end >= 0x40 && end <= 0x7e ? within + 1 : within;
}

/** Where the mouse is on a screen. */
export interface MousePlace {
  /** The list that does not have the cursor, of two side by side. */
  readonly isOther: boolean;
  /** The place in the list of the line below the mouse. */
  readonly at: number | undefined;
}

/** Where on a frame the mouse is; `undefined` outside of its content. */
export function mousePlace(
  { column, row }: MouseAct,
  frame: ScreenFrame,
  size: Size,
): MousePlace | undefined {
  const { isWide, inner } = layoutOf(size, frame.pane !== undefined, frame.paneList !== undefined);
  const line = row - CONTENT_TOP - (isWide ? 1 : 0);
  const rows = contentRows(layoutOf(size, false).inner, frame.status === undefined ? 0 : 1);
  if (line < 0 || line >= rows) return undefined;
  if (frame.box !== undefined) {
    const { top, left, lines, columns } = boxPlace(frame.box, boxRoom(frame, size, rows));
    const isIn = column > left && column < left + columns + 3 && line > top;
    const at = isIn && line <= top + lines ? frame.boxList?.[line - top - 1]?.at : undefined;
    return { isOther: false, at };
  }
  if (column < inner.columns) {
    const isOther = frame.paneList?.some(({ selected }) => selected === true) ?? false;
    return { isOther, at: frame.lines[line]?.at };
  }
  const isPane = column >= inner.columns + GUTTER && frame.paneList !== undefined;
  if (!isPane) return { isOther: false, at: undefined };
  const isOther = !frame.paneList.some(({ selected }) => selected === true);
  return { isOther, at: frame.paneList[line]?.at };
}

/** The place of the cursor in the list that has it. */
export function cursorPlace({ lines, paneList, boxList, box }: ScreenFrame): number | undefined {
  const all = box === undefined ? [...lines, ...(paneList ?? [])] : (boxList ?? []);
  return all.find(({ selected }) => selected === true)?.at;
}
