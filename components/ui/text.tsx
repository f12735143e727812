import { fitLine } from '../../src/terminal/cells.ts';
import { scrolled } from '../../src/terminal/help-lines.ts';
import type { Look } from '../../src/terminal/look.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import type { Line, Tone } from '../../src/terminal/span.ts';
import { textLines } from '../../src/terminal/text-lines.ts';
import { Row } from './row.tsx';
import { useLook, useRoom } from './screen.tsx';

/** Lines one below the other, as many as there is room for, cut at the right. */
export function Lines(props: {
  readonly lines: readonly Line[];
  /** The first one shown; the last ones fill the room. */
  readonly first?: number;
  /** Default: those of the room. */
  readonly rows?: number;
}) {
  const { ellipsis } = useLook().glyphs;
  const room = useRoom();
  const { lines, first = 0, rows = room.rows } = props;
  return scrolled(lines, first, rows).map((line, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a line of the screen is its place
    <Row key={at} line={fitLine(line, room.columns, ellipsis)} />
  ));
}

/** How lines are made for a room. */
export interface LinesInProps {
  readonly lines: (room: Size, look: Look) => readonly Line[];
}

/** Lines that are made for the room they have. */
export const LinesIn = ({ lines }: LinesInProps) => <Lines lines={lines(useRoom(), useLook())} />;

/** A text in one tone, broken at the end of the room. */
export function Paragraph(props: { readonly text: string | undefined; readonly tone?: Tone }) {
  const { text = '', tone } = props;
  return <Lines lines={textLines(text, useRoom().columns, tone)} />;
}
