import { Box } from 'ink';
import type { ReactNode } from 'react';
import { cellWidth, cut, fitLine } from '../../src/terminal/cells.ts';
import { footerLine } from '../../src/terminal/footer-line.ts';
import type { KeyHint } from '../../src/terminal/key-table.ts';
import { contentRows, layoutOf, type ScreenLayout } from '../../src/terminal/screen-layout.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import { Row } from './row.tsx';
import { RoomProvider, useEdge, useLook, useScreen } from './screen.tsx';

/** What stands around the content of a page. */
export interface FrameProps {
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
export function Frame(props: FrameProps) {
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
