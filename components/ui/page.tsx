import { Box, type DOMElement } from 'ink';
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { lineWidth, wrap } from '../../src/terminal/cells.ts';
import { ENLARGE, hasAnswers } from '../../src/terminal/drawn-question.ts';
import { type FrameField, fieldLine } from '../../src/terminal/field-line.ts';
import type { KeyHint } from '../../src/terminal/key-table.ts';
import { contentRows, layoutOf } from '../../src/terminal/screen-layout.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import { type Line, span, type Tone } from '../../src/terminal/span.ts';
import { textLines } from '../../src/terminal/text-lines.ts';
import { Dialog, dialogRoom } from './dialog.tsx';
import { Frame } from './frame.tsx';
import { List } from './list.tsx';
import { Row } from './row.tsx';
import { RoomProvider, useLook, useScreen } from './screen.tsx';
import { Help, Lines } from './text.tsx';
import { isWhole } from './whole.ts';

/** What a page asks. */
export interface PageQuestion {
  /** Its lines in a room, each within the columns. */
  lines(room: Size): readonly Line[];
  /** How many of its first lines must be seen before a key confirms; default: all. */
  readonly enough?: number;
  /** In a window without dialogs it stands below the content, not in its place. */
  readonly isBelow?: boolean;
}

/** A question in one sentence, which stands below the content; none for `''`. */
export function shortQuestion(text: string, tone: Tone): PageQuestion | undefined {
  if (text === '') return undefined;
  const isBold = tone === 'warn';
  return { lines: ({ columns }) => textLines(text, columns, tone, isBold), isBelow: true };
}

interface PageProps {
  /** What the screen shows: `photos:2024`. */
  readonly subject?: string;
  /** At the right end of the first line. */
  readonly aside?: string;
  /** A line above the footer: progress, or what went wrong. */
  readonly status?: Line | undefined;
  /** A text that is being typed, below the content. */
  readonly field?: FrameField | undefined;
  /** Beside the content, where the window is wide enough. */
  readonly pane?: ReactNode;
  readonly question?: PageQuestion | undefined;
  readonly children: ReactNode;
}

/**
 * A page of a screen: title, content and keys, and over them a question or the search for an action. A question without
 * room for all of its lines is not drawn, and the screen takes no answer before they were measured inside the window.
 */
export function Page({
  subject = '',
  aside = '',
  pane,
  field,
  question,
  children,
  ...page
}: PageProps) {
  const look = useLook();
  const { screen, size } = useScreen();
  const asked = useRef<DOMElement>(null);
  const layout = layoutOf(size, pane !== undefined);
  const { isWide, inner } = layout;
  const { columns } = inner;
  const roomAbove = (status: Line | undefined): Size => ({
    columns,
    rows: inner.rows - 2 - (status === undefined ? 0 : 1),
  });
  const hints = screen.keys();
  const asks = hints.some(({ confirms }) => confirms === true);
  const note = screen.note() === '' ? undefined : [span(screen.note(), 'warn')];
  const isNoted = !asks || hasRoom(question, roomAbove(note), isWide);
  const status = (isNoted ? note : undefined) ?? page.status;
  const room = roomAbove(status);
  const isAsked = hasRoom(question, room, isWide) && hasAnswers(hints, hints, size.columns, look);
  const isSearching = screen.finding !== undefined;
  const lines = isSearching ? [] : questionLines(question, room, isWide);
  useLayoutEffect(() => {
    screen.drew(size, isAsked && asked.current !== null && isWhole(asked.current, lines.length));
  });

  if (isSearching && !isWide && columns < DIALOG_COLUMNS)
    return <SearchPage {...{ subject, aside }} />;
  if (asks && !isAsked) return <TooSmall subject={subject} />;
  const isBoxed = isWide && lines.length > 0;
  const below = isBoxed ? [] : lines;
  const dialog = <Dialog lines={lines} room={room} ref={asked} />;
  const over = isSearching ? <SearchDialog room={room} /> : isBoxed ? dialog : undefined;
  const rows = Math.max(1, room.rows - below.length - (field === undefined ? 0 : 1));
  return (
    <Frame {...{ layout, subject, aside, status, hints, pane, over }}>
      <Box flexDirection="column" flexGrow={1}>
        <RoomProvider
          columns={columns}
          rows={rows}
          isCovered={over !== undefined}
          hasPane={layout.pane > 0}
        >
          {below.length > 0 && question?.isBelow !== true ? null : children}
        </RoomProvider>
        <Box ref={isBoxed ? null : asked}>
          <List lines={below} opens={!asks} />
        </Box>
      </Box>
      {field === undefined ? null : <Row line={fieldLine(field, columns, look.glyphs)} />}
    </Frame>
  );
}

interface HelpPageProps {
  readonly keys: readonly KeyHint[];
  /** The first line shown. */
  readonly first?: number;
}

/** The page of what the keys of another page do. */
export function HelpPage(help: HelpPageProps) {
  return (
    <Page subject="keys">
      <Help {...help} />
    </Page>
  );
}

/** From this width on the search for an action is a dialog. */
const DIALOG_COLUMNS = 100;

/** The lines of a question in the room that it has on a page. */
function questionLines(question: PageQuestion | undefined, room: Size, isWide: boolean) {
  const { rows, columns } = isWide ? dialogRoom(room) : room;
  const lines = question?.lines({ columns, rows }) ?? [];
  return lines.slice(0, rows).map((line) => ({ line }));
}

/** Whether all lines of a question that must be seen are drawn there. */
function hasRoom(question: PageQuestion | undefined, room: Size, isWide: boolean): boolean {
  const { columns } = isWide ? dialogRoom(room) : room;
  const all = question?.lines({ columns, rows: Number.POSITIVE_INFINITY }) ?? [];
  const needed = all.slice(0, question?.enough);
  const shown = questionLines(question, room, isWide);
  const isDrawn = isWide ? shown.length + 2 <= room.rows : shown.length <= room.rows;
  return (
    needed.length > 0 &&
    needed.length <= shown.length &&
    isDrawn &&
    needed.every((line) => lineWidth(line) <= columns)
  );
}

/** Stands in the place of a question that the window does not show whole, without the keys that confirm it. */
function TooSmall({ subject }: { readonly subject: string }) {
  const { screen, size } = useScreen();
  const hints = screen.keys().filter(({ confirms }) => confirms !== true);
  const lines = wrap(ENLARGE, size.columns).map((text) => [span(text, 'warn')]);
  return (
    <Frame layout={layoutOf(size, false)} subject={size.rows < 3 ? ENLARGE : subject} hints={hints}>
      <Lines lines={lines} />
    </Frame>
  );
}

/** The search for an action in the place of the page. */
function SearchPage({ subject, aside }: { readonly subject: string; readonly aside: string }) {
  const { glyphs } = useLook();
  const { screen, size } = useScreen();
  const layout = layoutOf(size, false);
  const { columns } = layout.inner;
  const rows = Math.max(1, contentRows(layout.inner) - 1);
  return (
    <Frame {...{ layout, subject, aside }} hints={screen.keys()}>
      <Box flexDirection="column" flexGrow={1}>
        <List lines={screen.foundLines({ columns, rows }, glyphs)} />
      </Box>
      <Row line={screen.searchLine(columns, glyphs)} />
    </Frame>
  );
}

/** The same over the page. */
function SearchDialog({ room }: { readonly room: Size }) {
  const { glyphs } = useLook();
  const { screen } = useScreen();
  const columns = Math.min(60, room.columns - 6);
  const found = screen.foundLines({ columns, rows: Math.min(14, room.rows - 4) }, glyphs);
  const lines = [{ line: screen.searchLine(columns, glyphs) }, ...found];
  return <Dialog lines={lines} room={room} />;
}
