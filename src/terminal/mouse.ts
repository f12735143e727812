import type { MouseAct } from './key.ts';
import type { ScreenFrame } from './screen-frame.ts';
import { boxPlace, boxRoom, CONTENT_TOP, contentRows, GUTTER, layoutOf } from './screen-layout.ts';
import type { Size } from './screen-model.ts';

/** Reports of the mouse: buttons and wheel, as text with decimal numbers (SGR). */
export const MOUSE_ON = '\x1b[?1000h\x1b[?1006h';
/** The end of it. */
export const MOUSE_OFF = '\x1b[?1006l\x1b[?1000l';

const REPORT = /^\x1b\[<(\d+);(\d+);(\d+)([Mm])$/;
const LEFT = 0;
const WHEEL_UP = 64;
const WHEEL_DOWN = 65;

/** Reads the reports of a mouse, one after the other. */
export class MouseReports {
  #pressed: MouseAct | undefined;

  /** `undefined` for other buttons and broken reports. A click is its end: none is under way when it opens something. */
  actOf(report: string): MouseAct | undefined {
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
