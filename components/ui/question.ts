import { type DOMElement, measureElement } from 'ink';
import { type RefObject, useLayoutEffect, useRef } from 'react';
import { lineWidth } from '../../src/terminal/cells.ts';
import { ENOUGH_LINES, hasAnswers } from '../../src/terminal/drawn-question.ts';
import type { FrameLine } from '../../src/terminal/frame-line.ts';
import { scrolledText } from '../../src/terminal/help-lines.ts';
import type { KeyRule } from '../../src/terminal/key-table.ts';
import type { Look } from '../../src/terminal/look.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import { type Line, span, type Tone } from '../../src/terminal/span.ts';
import { textLines } from '../../src/terminal/text-lines.ts';
import { type DialogRoom, dialogRoom } from './dialog.tsx';
import { useLook, useScreen } from './screen.tsx';

/** What a page asks. */
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

/** A question in its place on a page. */
interface PlacedQuestion {
  /** The keys that work now. */
  readonly hints: readonly KeyRule<unknown>[];
  /** The room of the content, and of a dialog over it. */
  readonly room: DialogRoom;
  /** What stands above the keys. */
  readonly status: Line | undefined;
  readonly lines: readonly FrameLine[];
  /** They stand in a dialog over the content. */
  readonly isDialog: boolean;
  /** The question has no room, or its keys have none: it must not be drawn. */
  readonly isTooLarge: boolean;
  /** The box of the lines. */
  readonly box: RefObject<DOMElement | null>;
}

/** What of a window the question of a page has, before what stands above and below the content. */
interface QuestionSide extends DialogRoom {
  /** It stands in a dialog. */
  readonly isWide: boolean;
}

/**
 * Finds the place of a question, and reports after each frame whether the screen takes an answer: only if all lines of
 * the question were measured inside the window.
 */
export function useQuestion(
  question: PageQuestion | undefined,
  { isWide, columns, rows, left }: QuestionSide,
  pageStatus: Line | undefined,
  pageHints: (() => readonly KeyRule<unknown>[]) | undefined,
): PlacedQuestion {
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
  const isTooLarge = asks && !isAsked;
  const isShown = isDialog && lines.length > 0;
  return { hints, room, status, lines, isDialog: isShown, isTooLarge, box };
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
    const isInside =
      x >= room.x &&
      y >= room.y &&
      x + width <= room.x + room.width &&
      y + height <= room.y + room.height;
    if (!isInside) return false;
  }
  return height === rows;
}
