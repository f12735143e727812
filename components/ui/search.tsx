import { Box } from 'ink';
import { contentRows, layoutOf } from '../../src/terminal/screen-layout.ts';
import { Dialog, type DialogRoom } from './dialog.tsx';
import { Frame } from './frame.tsx';
import { List } from './list.tsx';
import { Row } from './row.tsx';
import { useLook, useScreen } from './screen.tsx';

/** The search for an action in the place of a page. */
export function SearchPage({
  subject,
  aside,
}: {
  readonly subject: string;
  readonly aside: string;
}) {
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
export function SearchDialog({ room }: { readonly room: DialogRoom }) {
  const { glyphs } = useLook();
  const { screen } = useScreen();
  const columns = Math.min(60, room.columns - 6);
  const rows = Math.min(14, room.rows - 4);
  const found = screen.foundLines({ columns, rows }, glyphs);
  return <Dialog lines={[{ line: screen.searchLine(columns, glyphs) }, ...found]} room={room} />;
}
