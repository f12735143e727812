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
import type { Line } from './span.ts';

/** Stands where a question has no room: it cannot be answered. */
export const ENLARGE = 'enlarge the window to answer';

/** How many lines of a question that scrolls have to be seen: what happens, and to what. */
export const ENOUGH_LINES = 6;

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
