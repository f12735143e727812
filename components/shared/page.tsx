import { Box } from 'ink';
import type { ReactNode } from 'react';
import { cellWidth, cut } from '../../src/terminal/cells.ts';
import { footerLine } from '../../src/terminal/footer-line.ts';
import type { KeyHint } from '../../src/terminal/key-table.ts';
import { contentRows, layoutOf } from '../../src/terminal/screen-layout.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import { DEFAULT_THEME } from '../../src/terminal/theme.ts';
import { Row } from '../ui/row.tsx';
import { useLook } from '../ui/screen.tsx';
import { Lines } from './lines.tsx';

interface PageProps {
  readonly size: Size;
  /** What screen this is and what it shows: `ncdu`, `photos:2024`. */
  readonly title: string;
  readonly subject?: string;
  /** At the right end of the first line. */
  readonly aside?: string;
  /** A line above the footer: progress, or what went wrong. */
  readonly status?: Line | undefined;
  readonly hints: readonly KeyHint[];
  /** Lines beside the content, where the screen is wide enough. */
  readonly pane?: readonly Line[] | undefined;
  /** What is drawn over the content. */
  readonly over?: ReactNode;
  readonly children: ReactNode;
}

/** How many lines `Page` leaves for its children. */
export function pageRows(size: Size, hasStatus: boolean): number {
  return contentRows(layoutOf(size, false).inner, hasStatus ? 1 : 0);
}

/**
 * The frame of every full screen: a title line, the content, an optional status line, the keys that work now; on a wide
 * screen rules between them, and a pane beside the content.
 */
export function Page({
  size,
  title,
  subject = '',
  aside = '',
  status,
  hints,
  pane,
  over,
  children,
}: PageProps) {
  const { columns, rows } = size;
  const layout = layoutOf(size, pane !== undefined);
  const height = pageRows(size, status !== undefined);
  const at = layout.pane === 0 ? undefined : layout.inner.columns + 1;
  return (
    <Box flexDirection="column" width={columns} height={rows}>
      <TitleLine title={title} subject={subject} aside={aside} columns={columns} />
      {layout.isWide ? <Rule columns={columns} at={at} isTop /> : null}
      <Box height={height}>
        <Box flexDirection="column" width={layout.inner.columns}>
          {children}
        </Box>
        {at === undefined ? null : <Pane lines={pane ?? []} rows={height} />}
        {over}
      </Box>
      {layout.isWide ? <Rule columns={columns} at={at} /> : null}
      {status === undefined ? null : <Row line={status} />}
      <Footer hints={hints} columns={columns} />
    </Box>
  );
}

interface RuleProps {
  readonly columns: number;
  /** Where the rule between list and pane meets it. */
  readonly at: number | undefined;
  readonly isTop?: boolean;
}

function Rule({ columns, at, isTop = false }: RuleProps) {
  const { rule, teeDown, teeUp } = useLook().glyphs;
  const tee = isTop ? teeDown : teeUp;
  const text =
    at === undefined
      ? rule.repeat(columns)
      : `${rule.repeat(at)}${tee}${rule.repeat(Math.max(0, columns - at - 1))}`;
  return <Row line={[span(text, 'dim')]} />;
}

interface PaneProps {
  readonly lines: readonly Line[];
  readonly rows: number;
}

function Pane({ lines, rows }: PaneProps) {
  const { colour, theme = DEFAULT_THEME, glyphs } = useLook();
  const { color, dimColor = false } = colour ? theme.dim : {};
  // A line without a character would have no height.
  const shown = lines.map((line) => (line.some(({ text }) => text !== '') ? line : [span(' ')]));
  return (
    <Box
      flexDirection="column"
      height={rows}
      marginLeft={1}
      paddingLeft={1}
      borderStyle={{ ...NO_BORDER, left: glyphs.vertical }}
      borderTop={false}
      borderRight={false}
      borderBottom={false}
      borderColor={color}
      borderDimColor={dimColor}
    >
      <Lines lines={shown} rows={rows} />
    </Box>
  );
}

const NO_BORDER = {
  top: '',
  right: '',
  bottom: '',
  left: '',
  topLeft: '',
  topRight: '',
  bottomLeft: '',
  bottomRight: '',
};

interface TitleLineProps {
  readonly title: string;
  readonly subject: string;
  readonly aside: string;
  readonly columns: number;
}

function TitleLine({ title, subject, aside, columns }: TitleLineProps) {
  const { glyphs } = useLook();
  const name = cut(`syncer ${title}`.trimEnd(), columns, glyphs.ellipsis);
  const asideWidth = cellWidth(aside);
  const showsAside = aside !== '' && cellWidth(name) + asideWidth + 1 <= columns;
  const room = columns - cellWidth(name) - (showsAside ? asideWidth + 1 : 0) - 2;
  const about = room > 3 ? cut(subject, room, glyphs.ellipsis) : '';
  const gap = Math.max(0, room - cellWidth(about) + 1);
  const line: Line = [
    span(name, 'title'),
    span(about === '' ? ' ' : `  ${about}`),
    span(showsAside ? ' '.repeat(about === '' ? gap + 1 : gap) + aside : '', 'dim'),
  ];
  return <Row line={line} />;
}

interface FooterProps {
  /** The keys that work now, the most important first. */
  readonly hints: readonly KeyHint[];
  readonly columns: number;
}

/** The last line of every screen: the keys that work now, as many as fit; `?` shows all of them. */
function Footer({ hints, columns }: FooterProps) {
  const { glyphs } = useLook();
  return <Row line={footerLine(hints, columns, glyphs)} />;
}
