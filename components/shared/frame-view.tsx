import { Box } from 'ink';
import { fieldLine } from '../../src/screen/field-line.ts';
import type { Look } from '../../src/screen/look.ts';
import type { FrameLine, ScreenFrame } from '../../src/screen/screen-frame.ts';
import { boxRoom, layoutOf } from '../../src/screen/screen-layout.ts';
import type { Size } from '../../src/screen/screen-model.ts';
import { FrameBox } from './frame-box.tsx';
import { Lines } from './lines.tsx';
import { useLook } from './look-context.tsx';
import { Page, pageRows } from './page.tsx';
import { Row } from './row.tsx';
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
  const { lines, field, box, paneList, ...page } = model.frame(size, look);
  const paneCursor = paneList?.findIndex(({ selected }) => selected === true);
  const { inner } = layoutOf(size, page.pane !== undefined, paneList !== undefined);
  const { columns } = inner;
  const rows = pageRows(size, page.status !== undefined);
  const room = boxRoom({ ...page, ...(paneList === undefined ? {} : { paneList }) }, size, rows);
  const over = box === undefined ? undefined : <FrameBox lines={box} room={room} />;
  return (
    <Page size={size} title={title} paneCursor={paneCursor} over={over} {...page}>
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
