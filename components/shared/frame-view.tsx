import { Box } from 'ink';
import { cellWidth, fitLine, lineWidth } from '../../src/terminal/cells.ts';
import { fieldLine } from '../../src/terminal/field-line.ts';
import type { Look } from '../../src/terminal/look.ts';
import type { FrameLine, ScreenFrame } from '../../src/terminal/screen-frame.ts';
import { boxPlace, layoutOf } from '../../src/terminal/screen-layout.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import { Row } from '../ui/row.tsx';
import { useLook } from '../ui/screen.tsx';
import { Lines } from './lines.tsx';
import { Page, pageRows } from './page.tsx';
import type { ViewProps } from './screen-root.tsx';

interface Framed {
  frame(size: Size, look: Look): ScreenFrame;
  /** Nothing at all is to be drawn now. */
  readonly isBlank?: boolean;
}

/** The view of a screen of lines, by the title of its frame. */
export function frameView(title: string) {
  return (props: ViewProps<Framed>) => <FrameView {...props} title={title} />;
}

function FrameView({ model, size, title }: ViewProps<Framed> & { readonly title: string }) {
  const look = useLook();
  if (model.isBlank === true) return <Box height={size.rows} />;
  const { lines, field, box, ...page } = model.frame(size, look);
  const { inner } = layoutOf(size, page.pane !== undefined);
  const { columns } = inner;
  const rows = pageRows(size, page.status !== undefined);
  const over = box === undefined ? undefined : <FrameBox lines={box} room={{ columns, rows }} />;
  return (
    <Page size={size} title={title} over={over} {...page}>
      <Box flexDirection="column" flexGrow={1}>
        <FrameLines lines={lines} columns={columns} />
      </Box>
      {field === undefined ? null : <Row line={fieldLine(field, columns, look.glyphs)} />}
    </Page>
  );
}

interface FrameLinesProps {
  readonly lines: readonly FrameLine[];
  readonly columns: number;
}

/** Lines, some of which may be texts that are being typed. */
function FrameLines({ lines, columns }: FrameLinesProps) {
  const { glyphs } = useLook();
  return (
    <Lines
      lines={lines.map(({ line, field }) => (field ? fieldLine(field, columns, glyphs) : line))}
      rows={lines.length}
      cursor={lines.findIndex(({ selected }) => selected)}
      columns={columns}
    />
  );
}

interface FrameBoxProps {
  readonly lines: readonly Line[];
  /** The room in whose middle it stands. */
  readonly room: Size;
}

/** Lines in a box over what is drawn before it. */
function FrameBox({ lines, room }: FrameBoxProps) {
  const { glyphs } = useLook();
  const { vertical, rule, ellipsis, corners } = glyphs;
  const [topLeft, topRight, bottomLeft, bottomRight] = corners;
  const { top, left, lines: most, columns: inner } = boxPlace(lines, room);
  const shown = lines.slice(0, most).map((line): Line => {
    const fitted = fitLine(line, inner, ellipsis);
    const rest = ' '.repeat(Math.max(0, inner - lineWidth(fitted)));
    return [span(`${vertical} `, 'accent'), ...fitted, span(`${rest} `), span(vertical, 'accent')];
  });
  const across = rule.repeat(Math.ceil((inner + 2) / cellWidth(rule)));
  const all: Line[] = [
    [span(`${topLeft}${across}${topRight}`, 'accent')],
    ...shown,
    [span(`${bottomLeft}${across}${bottomRight}`, 'accent')],
  ];
  return (
    <Box position="absolute" top={top} left={left} flexDirection="column">
      <Lines lines={all} rows={all.length} />
    </Box>
  );
}
