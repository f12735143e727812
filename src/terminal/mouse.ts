import type { MouseAct } from './key.ts';
import type { ScreenFrame } from './screen-frame.ts';
import { boxPlace, CONTENT_TOP, contentRows, layoutOf } from './screen-layout.ts';
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

/** The place in the list of the line below the mouse, if there is one; `undefined` outside of the content of a frame. */
export function mousePlace(
  { column, row }: MouseAct,
  frame: ScreenFrame,
  size: Size,
): { readonly at: number | undefined } | undefined {
  const { isWide, inner } = layoutOf(size, frame.pane !== undefined);
  const line = row - CONTENT_TOP - (isWide ? 1 : 0);
  const rows = contentRows(inner, frame.status === undefined ? 0 : 1);
  if (line < 0 || line >= rows) return undefined;
  if (frame.box !== undefined) {
    const room = { columns: inner.columns, rows };
    const { top, left, lines, columns } = boxPlace(frame.box, room);
    const isIn = column > left && column < left + columns + 3 && line > top;
    return { at: isIn && line <= top + lines ? frame.boxList?.[line - top - 1]?.at : undefined };
  }
  return { at: column < inner.columns ? frame.lines[line]?.at : undefined };
}

/** The place of the cursor in the list that has it. */
export function cursorPlace({ lines, boxList, box }: ScreenFrame): number | undefined {
  const all = box === undefined ? lines : (boxList ?? []);
  return all.find(({ selected }) => selected === true)?.at;
}
