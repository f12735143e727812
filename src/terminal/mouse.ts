import type { MouseAct } from './key.ts';

/** Reports of the mouse: buttons and wheel, as text with decimal numbers (SGR). */
export const MOUSE_ON = '\x1b[?1000h\x1b[?1006h';
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
