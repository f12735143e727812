import { Box } from 'ink';
import type { ReactNode } from 'react';
import { cellWidth, cut, fitLine, wrap } from '../../src/terminal/cells.ts';
import { ENLARGE } from '../../src/terminal/drawn-question.ts';
import { type FrameField, fieldLine } from '../../src/terminal/field-line.ts';
import { footerLine } from '../../src/terminal/footer-line.ts';
import { scrolledRange } from '../../src/terminal/help-lines.ts';
import type { KeyHint, KeyRule } from '../../src/terminal/key-table.ts';
import {
  contentRows,
  GUTTER,
  layoutOf,
  type ScreenLayout,
} from '../../src/terminal/screen-layout.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import { Dialog } from './dialog.tsx';
import { List } from './list.tsx';
import { type PageQuestion, useQuestion } from './question.ts';
import { Row } from './row.tsx';
import { RoomProvider, useEdge, useLook, useScreen } from './screen.tsx';
import { Lines } from './text.tsx';

export interface PageProps extends Pick<FrameProps, 'aside' | 'status' | 'pane' | 'children'> {
  /** What the screen shows: `photos:2024`. */
  readonly subject?: string;
  /** A text that is being typed, below the content. */
  readonly field?: FrameField | undefined;
  /** The pane is as wide as the content: which of the two has the keys, and the dialogs over it. */
  readonly active?: 'content' | 'pane';
  /** The keys that work now, read when the content is known; default: all in the order of their table. */
  readonly hints?: () => readonly KeyRule<unknown>[];
  /** Over the content, above or below it, or in its place. */
  readonly question?: PageQuestion | undefined;
}

/** From this width on the search for an action is a dialog. */
const DIALOG_COLUMNS = 100;

/** A page of a screen: title, content and keys, and over them a question or the search for an action. */
export function Page(props: PageProps) {
  const { subject = '', aside = '', field, pane, active, question, children } = props;
  const look = useLook();
  const { glyphs } = look;
  const { screen, size } = useScreen();
  const layout = layoutOf(size, pane !== undefined, active !== undefined);
  const { isWide, inner } = layout;
  const { columns } = inner;
  // A dialog has the whole window, but for one about one of two lists.
  const isOverAll = active === undefined && question?.isAbove !== true;
  const isRight = active === 'pane' && layout.pane > 0;
  const side = isRight
    ? { isWide, columns: layout.pane, rows: inner.rows, left: columns + GUTTER }
    : { isWide, columns: isOverAll ? size.columns : columns, rows: inner.rows, left: 0 };
  const placed = useQuestion(question, side, props.status, props.hints);
  const { hints, room, status, lines, isDialog, isTooLarge, box } = placed;
  const whole = layoutOf(size, false).inner;
  if (screen.helpFrom !== undefined) {
    const help = screen.helpLines(whole.columns, look);
    const range = scrolledRange(help.length, screen.helpFrom, contentRows(whole));
    return (
      <Frame subject="keys" aside={range} hints={screen.keys()}>
        <Lines lines={help} first={screen.helpFrom} />
      </Frame>
    );
  }
  const isSearching = screen.finding !== undefined;
  if (isSearching && !isWide && columns < DIALOG_COLUMNS) {
    const found = { columns: whole.columns, rows: Math.max(1, contentRows(whole) - 1) };
    return (
      <Frame subject={subject} aside={aside} hints={screen.keys()}>
        <Box flexDirection="column" flexGrow={1}>
          <List lines={screen.foundLines(found, glyphs)} />
        </Box>
        <Row line={screen.searchLine(whole.columns, glyphs)} />
      </Frame>
    );
  }
  if (isTooLarge) {
    // In the place of the question, without the keys that confirm it.
    const others = hints.filter(({ confirms }) => confirms !== true);
    return (
      <Frame subject={size.rows < 3 ? ENLARGE : subject} hints={others}>
        <Lines lines={wrap(ENLARGE, size.columns).map((text) => [span(text, 'warn')])} />
      </Frame>
    );
  }
  const { isAbove = false, isBelow = false, opens = false } = question ?? {};
  const dialog = isDialog ? (
    <Dialog lines={lines} opens={opens} room={room} ref={box} />
  ) : undefined;
  const search = { columns: Math.min(60, room.columns - 6), rows: Math.min(14, room.rows - 4) };
  const searchLines = () => [
    { line: screen.searchLine(search.columns, glyphs) },
    ...screen.foundLines(search, glyphs),
  ];
  const over = isSearching ? <Dialog lines={searchLines()} room={room} /> : dialog;
  const inPage = isDialog ? [] : lines;
  const asked =
    inPage.length === 0 ? null : (
      <Box ref={box}>
        <List lines={inPage} opens={opens} />
      </Box>
    );
  const isReplaced = inPage.length > 0 && !isAbove && !isBelow;
  const rows = room.rows - inPage.length - (field === undefined ? 0 : 1);
  const frame = { layout, subject, aside, status, hints, pane, over };
  return (
    <Frame {...frame}>
      <Box flexDirection="column" flexGrow={1}>
        <RoomProvider
          columns={columns}
          rows={Math.max(1, rows)}
          isCovered={over !== undefined}
          hasPane={layout.pane > 0}
        >
          {isAbove ? asked : null}
          {isReplaced ? null : children}
          {isAbove ? null : asked}
        </RoomProvider>
      </Box>
      {field === undefined ? null : <Row line={fieldLine(field, columns, glyphs)} />}
    </Frame>
  );
}

/** What stands around the content of a page. */
interface FrameProps {
  /** Default: without a pane. */
  readonly layout?: ScreenLayout;
  /** What the screen shows: `photos:2024`. */
  readonly subject: string;
  /** At the right end of the first line. */
  readonly aside?: string;
  /** Above the footer: progress, or what went wrong. */
  readonly status?: Line | undefined;
  /** The keys that work now, the most important first. */
  readonly hints: readonly KeyHint[];
  /** Beside the content, where the window is wide enough. */
  readonly pane?: ReactNode;
  /** Over content and pane. */
  readonly over?: ReactNode;
  readonly children: ReactNode;
}

/** The lines around the content of every screen, with rules between them on a wide one. */
function Frame(props: FrameProps) {
  const { subject, aside = '', status, hints, pane, over, children } = props;
  const { glyphs } = useLook();
  const { size, title } = useScreen();
  const { columns, rows } = size;
  const { layout = layoutOf(size, false) } = props;
  const { isWide, inner } = layout;
  const height = contentRows(inner, status === undefined ? 0 : 1);
  const edge = layout.pane === 0 ? undefined : inner.columns + 1;
  const paneEdge = useEdge('dim', { left: glyphs.vertical });
  // The aside is there whole or not; the subject is cut to the room that is left.
  const name = cut(`syncer ${title}`.trimEnd(), columns, glyphs.ellipsis);
  const left = columns - cellWidth(name);
  const end = aside === '' || cellWidth(aside) + 1 > left ? '' : ` ${aside}`;
  const room = left - cellWidth(end) - 2;
  const about = room > 3 ? cut(subject, room, glyphs.ellipsis) : '';
  const gap = ' '.repeat(Math.max(0, room - cellWidth(about)));
  const rest = span(end === '' ? '' : gap + end, 'dim');
  const head = <Row line={[span(name, 'title'), span(`  ${about}`), rest]} />;
  const footer = <Row line={footerLine(hints, columns, glyphs)} />;
  // The lines of a window without room for the content would be drawn over each other.
  if (rows < 3) {
    return (
      <Box flexDirection="column" width={columns} height={rows}>
        {head}
        {rows < 2 ? null : footer}
      </Box>
    );
  }
  return (
    <Box flexDirection="column" width={columns} height={rows}>
      {head}
      {isWide ? <Rule edge={edge} tee={glyphs.teeDown} /> : null}
      <Box height={height}>
        <Box flexDirection="column" width={inner.columns}>
          <RoomProvider columns={inner.columns} rows={height}>
            {children}
          </RoomProvider>
        </Box>
        {edge === undefined ? null : (
          <Box flexDirection="column" height={height} marginLeft={1} paddingLeft={1} {...paneEdge}>
            <RoomProvider columns={layout.pane} rows={height} isCovered={over !== undefined}>
              {pane}
            </RoomProvider>
          </Box>
        )}
        {over}
      </Box>
      {isWide ? <Rule edge={edge} tee={glyphs.teeUp} /> : null}
      {status === undefined ? null : <Row line={fitLine(status, columns, glyphs.ellipsis)} />}
      {footer}
    </Box>
  );
}

/** @param tee how the edge of the pane meets it, at `edge` */
function Rule({ edge, tee }: { readonly edge: number | undefined; readonly tee: string }) {
  const { rule } = useLook().glyphs;
  const { columns } = useScreen().size;
  const right = edge === undefined ? '' : tee + rule.repeat(Math.max(0, columns - edge - 1));
  return <Row line={[span(rule.repeat(edge ?? columns) + right, 'dim')]} />;
}
