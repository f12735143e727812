import { Box } from 'ink';
import { cellWidth, fitLine, lineWidth } from '../../src/screen/cells.ts';
import type { Size } from '../../src/screen/screen-model.ts';
import { type Line, span } from '../../src/screen/span.ts';
import { Lines } from './lines.tsx';
import { useLook } from './look-context.tsx';

interface FrameBoxProps {
  readonly lines: readonly Line[];
  /** The room in whose middle it stands. */
  readonly room: Size;
}

/** Lines in a box over what is drawn before it. */
export function FrameBox({ lines, room }: FrameBoxProps) {
  const { glyphs } = useLook();
  const { vertical, rule, ellipsis, corners } = glyphs;
  const [topLeft, topRight, bottomLeft, bottomRight] = corners;
  const widest = Math.max(20, ...lines.map(lineWidth));
  const inner = Math.max(1, Math.min(widest, room.columns - 4));
  const shown = lines.slice(0, Math.max(1, room.rows - 2)).map((line): Line => {
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
  const top = Math.max(0, Math.floor((room.rows - all.length) / 3));
  const left = Math.max(0, Math.floor((room.columns - inner - 4) / 2));
  return (
    <Box position="absolute" top={top} left={left} flexDirection="column">
      <Lines lines={all} rows={all.length} />
    </Box>
  );
}
