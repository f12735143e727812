import { cellWidth, cut, fill } from '../../src/screen/cells.ts';
import { POINTER_COLUMNS, pointed } from '../../src/screen/pointed.ts';
import { scrollTo } from '../../src/screen/scroll.ts';
import { type Line, span } from '../../src/screen/span.ts';
import { useLook } from './look-context.tsx';
import { Row } from './row.tsx';

/** One choice of a menu. */
export interface MenuItem {
  readonly label: string;
  /** What it is, shown dimmed behind the label where there is room. */
  readonly note?: string;
  /** The letter or number that takes it, shown before it. */
  readonly key?: string;
}

interface MenuProps {
  readonly items: readonly MenuItem[];
  /** The item the cursor is on. */
  readonly cursor: number;
  readonly columns: number;
  /** How many lines there are for it; longer menus scroll. */
  readonly rows: number;
}

/** A list of choices, one a line, with the cursor on one of them. */
export function Menu({ items, cursor, columns, rows }: MenuProps) {
  const { glyphs } = useLook();
  const first = scrollTo(0, cursor, rows, items.length);
  const keyWidth = Math.max(0, ...items.map(({ key = '' }) => cellWidth(key)));
  const labelWidth = Math.min(
    Math.max(0, ...items.map(({ label }) => cellWidth(label))),
    Math.max(8, Math.floor(columns / 2)),
  );
  return items.slice(first, first + rows).map((item, at) => {
    const selected = first + at === cursor;
    return (
      <Row
        // biome-ignore lint/suspicious/noArrayIndexKey: a line of the screen is its place
        key={at}
        line={menuLine(item, { selected, keyWidth, labelWidth, columns, glyphs })}
        selected={selected}
        columns={columns}
      />
    );
  });
}

interface Widths {
  readonly selected: boolean;
  readonly keyWidth: number;
  readonly labelWidth: number;
  readonly columns: number;
  readonly glyphs: { readonly pointer: string; readonly ellipsis: string };
}

function menuLine(
  { label, note = '', key = '' }: MenuItem,
  { selected, keyWidth, labelWidth, columns, glyphs }: Widths,
): Line {
  const keyed = keyWidth === 0 ? '' : `${key.padStart(keyWidth)}  `;
  const room = columns - POINTER_COLUMNS - cellWidth(keyed);
  const name =
    note === ''
      ? cut(label, room, glyphs.ellipsis)
      : fill(label, Math.min(labelWidth, room), glyphs.ellipsis);
  const noteRoom = room - cellWidth(name) - 2;
  const line: Line = [
    span(keyed, 'accent'),
    span(name, 'plain', selected),
    span(noteRoom > 4 && note !== '' ? `  ${cut(note, noteRoom, glyphs.ellipsis)}` : '', 'dim'),
  ];
  return pointed(line, selected, glyphs);
}
