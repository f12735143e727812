import { Box, type DOMElement } from 'ink';
import type { Ref } from 'react';
import { fitLine, lineWidth } from '../../src/terminal/cells.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import { type FrameLine, span } from '../../src/terminal/span.ts';
import { List } from './list.tsx';
import { RoomProvider, useEdge, useLook } from './screen.tsx';

/** Wider lines are hard to read; addresses need most of it. */
const MOST_COLUMNS = 96;
const LEAST_COLUMNS = 20;

/** What a dialog stands over, and the column where that begins. */
export interface DialogRoom extends Size {
  readonly left: number;
}

/** The columns and rows for the lines of a dialog over a room. @param isLarge it may take all of it */
export function dialogRoom({ columns, rows }: Size, isLarge = false): Size {
  if (isLarge) return { columns: Math.max(1, columns - 4), rows: Math.max(1, rows - 2) };
  return {
    columns: Math.max(1, Math.min(MOST_COLUMNS, columns - 4)),
    rows: Math.max(1, Math.floor(rows * 0.8) - 2),
  };
}

/** Lines in a box in the middle of a room, over the content of a page. */
export function Dialog(props: {
  readonly lines: readonly FrameLine[];
  readonly room: DialogRoom;
  readonly opens?: boolean;
  readonly ref?: Ref<DOMElement>;
}) {
  const { lines, room, opens = false, ref } = props;
  const { vertical, rule, corners, ellipsis } = useLook().glyphs;
  const [topLeft, topRight, bottomLeft, bottomRight] = corners;
  const sides = { top: rule, bottom: rule, left: vertical, right: vertical };
  const edge = useEdge('accent', { ...sides, topLeft, topRight, bottomLeft, bottomRight });
  const widest = Math.max(LEAST_COLUMNS, ...lines.map(({ line }) => lineWidth(line)));
  const columns = Math.max(1, Math.min(widest, room.columns - 4));
  const rows = Math.min(lines.length, Math.max(1, room.rows - 2));
  const filled = lines.slice(0, rows).map(({ line, ...place }): FrameLine => {
    const fitted = fitLine(line, columns, ellipsis);
    const rest = ' '.repeat(columns - lineWidth(fitted));
    // A box has no ground: its blanks cover what is below it.
    return { ...place, line: [span(' '), ...fitted, span(`${rest} `)] };
  });
  return (
    <Box
      position="absolute"
      top={Math.max(0, Math.floor((room.rows - rows - 2) / 3))}
      left={room.left + Math.max(0, Math.floor((room.columns - columns - 4) / 2))}
      {...edge}
    >
      <RoomProvider columns={columns + 2} rows={rows}>
        <Box ref={ref ?? null}>
          <List lines={filled} opens={opens} />
        </Box>
      </RoomProvider>
    </Box>
  );
}
