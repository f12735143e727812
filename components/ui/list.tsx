import { Box, type DOMElement, measureElement } from 'ink';
import { useLayoutEffect, useRef } from 'react';
import { fitLine } from '../../src/terminal/cells.ts';
import { cursorList } from '../../src/terminal/cursor-list.ts';
import type { FrameLine, Line } from '../../src/terminal/span.ts';
import { Row } from './row.tsx';
import { useLook, useRoom, useScreen } from './screen.tsx';

/** The lines of a list, and what the mouse does there. */
export interface ListProps {
  /** Cut to the columns, and as many as there are rows. */
  readonly lines: readonly FrameLine[];
  /** A click on the line of the cursor is Enter; never where Enter would confirm. */
  readonly opens?: boolean;
  /** Of two lists side by side the one with the keys. */
  readonly isActive?: boolean;
  /** The line of the cursor is drawn as any other. */
  readonly isPlain?: boolean;
}

/** Lines with a cursor, which the mouse can move. */
export function List({ lines, opens = false, isActive = true, isPlain = false }: ListProps) {
  const { screen } = useScreen();
  const { columns, isCovered } = useRoom();
  const box = useRef<DOMElement>(null);
  useLayoutEffect(() => {
    if (isCovered) return;
    const cursor = lines.find(({ selected }) => selected === true)?.at;
    return screen.addList({
      opens,
      isActive,
      cursor,
      placeOf: ({ column, row }) => {
        if (box.current === null) return undefined;
        const { x, y, width, height } = measureElement(box.current);
        const isIn = column >= x && column < x + width && row >= y && row < y + height;
        return isIn ? { at: lines[row - y]?.at } : undefined;
      },
    });
  });
  return (
    <Box ref={box} flexDirection="column" width={columns}>
      {lines.map(({ line, selected = false, at }, row) => (
        <Row
          // A list that scrolls moves its rows, and only the new ones are laid out.
          key={at ?? `line ${row}`}
          line={line}
          selected={selected && isActive && !isPlain}
          columns={columns}
        />
      ))}
    </Box>
  );
}

interface MenuProps<Item> extends Omit<ListProps, 'lines'> {
  readonly items: ArrayLike<Item>;
  readonly cursor: number;
  readonly lineOf: (item: Item, selected: boolean, at: number) => Line;
  readonly isMarked?: ((item: Item) => boolean) | undefined;
  readonly none?: Line;
  readonly head?: readonly Line[];
  /** The first item shown, if that shows the cursor. */
  readonly first?: number;
  /** Default: those of the room. */
  readonly rows?: number;
}

/** A list of items, each with the place of the pointer before it, around the one with the cursor. */
export function Menu<Item>(props: MenuProps<Item>) {
  const { glyphs } = useLook();
  const room = useRoom();
  const { items, cursor, lineOf, isMarked, none, head = [], first = 0, ...list } = props;
  const { rows = room.rows, ...others } = list;
  const size = { columns: room.columns, rows: Math.max(1, rows - head.length) };
  const lines = cursorList(items, cursor, size, glyphs, lineOf, first, isMarked);
  const above = items.length > 0 || none === undefined ? head : [...head, none];
  const fitted = above.map((line) => ({ line: fitLine(line, room.columns, glyphs.ellipsis) }));
  return <List lines={[...fitted, ...lines].slice(0, Math.max(1, rows))} {...others} />;
}
