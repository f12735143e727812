import { Box } from 'ink';
import type { ReactNode } from 'react';
import { cellWidth, cut } from '../../src/screen/cells.ts';
import type { KeyHint } from '../../src/screen/key-table.ts';
import type { Size } from '../../src/screen/screen-model.ts';
import { type Line, span } from '../../src/screen/span.ts';
import { Footer } from './footer.tsx';
import { useLook } from './look-context.tsx';
import { Row } from './row.tsx';

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
  readonly children: ReactNode;
}

/** How many lines `Page` leaves for its children. */
export function pageRows(size: Size, hasStatus: boolean): number {
  return Math.max(1, size.rows - 2 - (hasStatus ? 1 : 0));
}

/** The frame of every full screen: a title line, the content, an optional status line, the keys that work now. */
export function Page({
  size,
  title,
  subject = '',
  aside = '',
  status,
  hints,
  children,
}: PageProps) {
  const { columns, rows } = size;
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      <TitleLine title={title} subject={subject} aside={aside} columns={columns} />
      <Box flexDirection="column" height={pageRows(size, status !== undefined)} overflow="hidden">
        {children}
      </Box>
      {status === undefined ? null : <Row line={status} />}
      <Footer hints={hints} columns={columns} />
    </Box>
  );
}

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
