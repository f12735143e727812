import { Box } from 'ink';
import { wrap } from '../../src/terminal/cells.ts';
import { ENLARGE } from '../../src/terminal/drawn-question.ts';
import { type FrameField, fieldLine } from '../../src/terminal/field-line.ts';
import { scrolledRange } from '../../src/terminal/help-lines.ts';
import type { KeyRule } from '../../src/terminal/key-table.ts';
import { contentRows, GUTTER, layoutOf } from '../../src/terminal/screen-layout.ts';
import { span } from '../../src/terminal/span.ts';
import { Dialog, type DialogRoom } from './dialog.tsx';
import { Frame, type FrameProps } from './frame.tsx';
import { List } from './list.tsx';
import { type PageQuestion, useQuestion } from './question.ts';
import { Row } from './row.tsx';
import { RoomProvider, useLook, useScreen } from './screen.tsx';
import { Lines } from './text.tsx';

/** What a page shows. */
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
  const { glyphs } = useLook();
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
  if (screen.helpFrom !== undefined) return <HelpPage />;
  const isSearching = screen.finding !== undefined;
  if (isSearching && !isWide && columns < DIALOG_COLUMNS) {
    return <SearchPage subject={subject} aside={aside} />;
  }
  if (isTooLarge) return <TooSmall subject={subject} hints={() => hints} />;

  const { isAbove = false, isBelow = false, opens = false } = question ?? {};
  const dialog = isDialog ? (
    <Dialog lines={lines} opens={opens} room={room} ref={box} />
  ) : undefined;
  const over = isSearching ? <SearchDialog room={room} /> : dialog;
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

/** Stands in the place of a question that the window does not show whole, without the keys that confirm it. */
function TooSmall({ subject, hints }: Required<Pick<PageProps, 'subject' | 'hints'>>) {
  const { size } = useScreen();
  const lines = wrap(ENLARGE, size.columns).map((text) => [span(text, 'warn')]);
  const others = hints().filter(({ confirms }) => confirms !== true);
  return (
    <Frame subject={size.rows < 3 ? ENLARGE : subject} hints={others}>
      <Lines lines={lines} />
    </Frame>
  );
}

/** What the keys of the page do, in its place. */
function HelpPage() {
  const look = useLook();
  const { screen, size } = useScreen();
  const { inner } = layoutOf(size, false);
  const { helpFrom: first = 0 } = screen;
  const lines = screen.helpLines(inner.columns, look);
  const aside = scrolledRange(lines.length, first, contentRows(inner));
  return (
    <Frame subject="keys" aside={aside} hints={screen.keys()}>
      <Lines lines={lines} first={first} />
    </Frame>
  );
}

/** The search for an action in the place of a page. */
function SearchPage({ subject, aside }: { readonly subject: string; readonly aside: string }) {
  const { glyphs } = useLook();
  const { screen, size } = useScreen();
  const { inner } = layoutOf(size, false);
  const { columns } = inner;
  const rows = Math.max(1, contentRows(inner) - 1);
  return (
    <Frame subject={subject} aside={aside} hints={screen.keys()}>
      <Box flexDirection="column" flexGrow={1}>
        <List lines={screen.foundLines({ columns, rows }, glyphs)} />
      </Box>
      <Row line={screen.searchLine(columns, glyphs)} />
    </Frame>
  );
}

/** The search for an action over a page. */
function SearchDialog({ room }: { readonly room: DialogRoom }) {
  const { glyphs } = useLook();
  const { screen } = useScreen();
  const columns = Math.min(60, room.columns - 6);
  const rows = Math.min(14, room.rows - 4);
  const found = screen.foundLines({ columns, rows }, glyphs);
  return <Dialog lines={[{ line: screen.searchLine(columns, glyphs) }, ...found]} room={room} />;
}
