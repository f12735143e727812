import { fitLine } from './cells.ts';
import { footerLine } from './footer-line.ts';
import {
  footerKeys,
  type KeyHint,
  type KeyRule,
  NO_KEYS,
  QUIT_KEYS,
  spelled,
} from './key-table.ts';
import type { Look } from './look.ts';
import type { ScreenFrame } from './screen-frame.ts';
import { boxPlace, layoutOf } from './screen-layout.ts';
import type { Size } from './screen-model.ts';
import type { Line } from './span.ts';

/** Stands where a question has no room: it cannot be answered. */
export const ENLARGE = 'enlarge the window to answer';

/** How many lines of a question that scrolls have to be seen: what happens, and to what. */
export const ENOUGH_LINES = 6;

/** Whether all lines of the question of a frame are drawn in a window of this size, and the keys that answer it, and one that leaves it. */
export function isQuestionDrawn(
  frame: ScreenFrame,
  keys: readonly KeyRule<unknown>[],
  size: Size,
  look: Look,
): boolean {
  const { asked, hints } = frame;
  const hasKeys = hasAnswers(hints, keys, size.columns, look);
  return asked !== undefined && hasKeys && hasAll(drawnLines(frame, size, look), asked);
}

/** Whether the footer of these hints has the keys that answer a question, and one that leaves it. */
export function hasAnswers(
  hints: readonly KeyHint[],
  keys: readonly KeyRule<unknown>[],
  columns: number,
  look: Look,
): boolean {
  const footer = textOf(footerLine(hints, columns, look.glyphs));
  const isInFooter = (hint: KeyHint) =>
    footerKeys([hint]).some((one) => footer.includes(hintText(one, look)));
  const [yes, no] = [keys.filter(isAnswer), keys.filter(isWayOut)];
  return yes.every((rule) => rule.short === '' || isInFooter(rule)) && no.some(isInFooter);
}

const isAnswer = ({ confirms }: KeyRule<unknown>) => confirms === true;
const isWayOut = (rule: KeyRule<unknown>) =>
  !isAnswer(rule) && [...QUIT_KEYS, ...NO_KEYS].includes(rule.keys);
const textOf = (line: Line) => line.map(({ text }) => text).join('');
const hintText = ({ keys, does }: KeyHint, { glyphs }: Look) => `${spelled(keys, glyphs)} ${does}`;

/** The lines of a frame that the window has room for. */
function drawnLines(frame: ScreenFrame, size: Size, { glyphs }: Look): readonly Line[] {
  const { box, lines, pane, status } = frame;
  const { inner } = layoutOf(size, pane !== undefined);
  const rows = inner.rows - 2 - (status === undefined ? 0 : 1);
  if (box === undefined) {
    const shown = lines.slice(0, Math.max(0, rows));
    return shown.map(({ line }) => fitLine(line, inner.columns, glyphs.ellipsis));
  }
  const place = boxPlace(box, { columns: inner.columns, rows });
  const shown = place.lines + 2 > rows ? [] : box.slice(0, place.lines);
  return shown.map((line) => fitLine(line, place.columns, glyphs.ellipsis));
}

/** Whether the lines are among the drawn ones, in this order. */
function hasAll(drawn: readonly Line[], wanted: readonly Line[]): boolean {
  let at = 0;
  return wanted.every((line) => {
    const text = textOf(line).trimEnd();
    if (text === '') return true;
    at = drawn.findIndex((one, row) => row >= at && textOf(one).trimEnd() === text) + 1;
    return at > 0;
  });
}
