import { type DOMElement, measureElement } from 'ink';
import { useLayoutEffect, useRef } from 'react';
import { lineWidth } from '../../src/terminal/cells.ts';
import { ENOUGH_LINES } from '../../src/terminal/drawn-question.ts';
import { footerLine } from '../../src/terminal/footer-line.ts';
import { scrolledText } from '../../src/terminal/help-lines.ts';
import {
  footerKeys,
  type KeyHint,
  type KeyRule,
  NO_KEYS,
  QUIT_KEYS,
  spelled,
} from '../../src/terminal/key-table.ts';
import type { Look } from '../../src/terminal/look.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import { type FrameLine, type Line, span, type Tone } from '../../src/terminal/span.ts';
import { textLines } from '../../src/terminal/text-lines.ts';
import { type DialogRoom, dialogRoom } from './dialog.tsx';
import { useLook, useScreen } from './screen.tsx';

export interface PageQuestion {
  /** Its lines in a room, each within the columns; those of a list have their places. */
  lines(room: Size): readonly FrameLine[];
  /** How many of its first lines must be seen before a key confirms; default: all. */
  readonly enough?: number;
  /** A dialog of it may take all the room: names that were chosen have to be read. */
  readonly isLarge?: boolean;
  /** In a window without dialogs it stands below the content, not in its place. */
  readonly isBelow?: boolean;
  /** It stands above the content, also in a window with dialogs. */
  readonly isAbove?: boolean;
  /** A click on the line of the cursor is Enter; never where Enter would confirm. */
  readonly opens?: boolean;
}

/** A question in one sentence, which stands below the content; none for `''`. */
export function shortQuestion(text: string, tone: Tone): PageQuestion | undefined {
  if (text === '') return undefined;
  const linesIn = ({ columns }: Size) => textLines(text, columns, tone, tone === 'warn');
  return { lines: (room) => linesIn(room).map((line) => ({ line })), isBelow: true };
}

/** A question that scrolls where it has little room. @param keys those that scroll, as the help shows them */
export function scrollingQuestion(
  linesIn: (columns: number) => readonly Line[],
  first: number,
  keys: string,
  look: Pick<Look, 'glyphs'>,
): PageQuestion {
  return {
    enough: ENOUGH_LINES,
    lines: ({ columns, rows }) =>
      scrolledText(linesIn(columns), first, rows, keys, look).map((line) => ({ line })),
  };
}

/**
 * Finds the place of a question, and reports after each frame whether the screen takes an answer: only if all lines of
 * the question were measured inside the window. Gives the keys that work now, the room of the content and of a dialog over
 * it, what stands above the keys, the lines and their box, and whether they must not be drawn, for lack of room.
 * @param side what of a window it has, before what stands above and below the content; `isWide`: it stands in a dialog
 */
export function useQuestion(
  question: PageQuestion | undefined,
  { isWide, columns, rows, left }: DialogRoom & { readonly isWide: boolean },
  pageStatus: Line | undefined,
  pageHints: (() => readonly KeyRule<unknown>[]) | undefined,
) {
  const look = useLook();
  const { screen, size } = useScreen();
  const box = useRef<DOMElement>(null);
  const keys = screen.keys();
  const isDialog = isWide && question?.isAbove !== true;
  const asks = keys.some(({ confirms }) => confirms === true);
  const roomAbove = (status: Line | undefined): DialogRoom => ({
    columns,
    rows: rows - 2 - (status === undefined ? 0 : 1),
    left,
  });
  const note = screen.note() === '' ? undefined : [span(screen.note(), 'warn')];
  const isNoted = note !== undefined && (!asks || hasRoom(question, roomAbove(note), isDialog));
  const status = isNoted ? note : pageStatus;
  const room = roomAbove(status);
  const isRoomy = asks && hasRoom(question, room, isDialog);
  const lines = linesIn(question, room, isDialog);
  const isOver = screen.finding !== undefined || screen.helpFrom !== undefined;
  const hints = isOver ? keys : (pageHints?.() ?? keys);
  const isAsked = isRoomy && hasAnswers(hints, keys, size.columns, look);
  useLayoutEffect(() => {
    screen.drew(size, isAsked && box.current !== null && isWhole(box.current, lines.length));
  });
  const isShown = isDialog && lines.length > 0;
  return { hints, room, status, lines, isDialog: isShown, isTooLarge: asks && !isAsked, box };
}

/** Whether the footer of these hints has the keys that answer a question, and one that leaves it. */
function hasAnswers(
  hints: readonly KeyHint[],
  keys: readonly KeyRule<unknown>[],
  columns: number,
  { glyphs }: Look,
): boolean {
  const footer = footerLine(hints, columns, glyphs).map(({ text }) => text);
  const isInFooter = (hint: KeyHint) =>
    footerKeys([hint]).some(({ keys, does }) =>
      footer.join('').includes(`${spelled(keys, glyphs)} ${does}`),
    );
  const wayOut = [...QUIT_KEYS, ...NO_KEYS];
  return (
    keys.every((rule) => rule.confirms !== true || rule.short === '' || isInFooter(rule)) &&
    keys.some((rule) => rule.confirms !== true && wayOut.includes(rule.keys) && isInFooter(rule))
  );
}

/** The lines of a question that its place has room for. */
function linesIn(question: PageQuestion | undefined, room: Size, isDialog: boolean) {
  const place = isDialog ? dialogRoom(room, question?.isLarge) : room;
  return question?.lines(place).slice(0, Math.max(0, place.rows)) ?? [];
}

/** Whether all lines of a question that must be seen have room. */
function hasRoom(question: PageQuestion | undefined, room: Size, isDialog: boolean): boolean {
  const { columns } = isDialog ? dialogRoom(room, question?.isLarge) : room;
  const all = question?.lines({ columns, rows: Number.POSITIVE_INFINITY }) ?? [];
  const needed = all.slice(0, question?.enough);
  const { length } = linesIn(question, room, isDialog);
  return (
    needed.length > 0 &&
    needed.length <= length &&
    length + (isDialog ? 2 : 0) <= room.rows &&
    needed.every(({ line }) => lineWidth(line) <= columns)
  );
}

/** Whether a box lies, with all its rows, inside all boxes around it, as they are laid out: nothing of it is cut off. */
function isWhole(box: DOMElement, rows: number): boolean {
  const { x, y, width, height } = measureElement(box);
  for (let around = box.parentNode; around !== undefined; around = around.parentNode) {
    const room = measureElement(around);
    const isAcross = x >= room.x && x + width <= room.x + room.width;
    if (!isAcross || y < room.y || y + height > room.y + room.height) return false;
  }
  return height === rows;
}
