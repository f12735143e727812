import { Box } from 'ink';
import { cellWidth, fitLine, lineWidth } from '../../src/screen/cells.ts';
import { boxPlace } from '../../src/screen/screen-layout.ts';
import type { Size } from '../../src/screen/screen-model.ts';
import { type Line, span } from '../../src/screen/span.ts';
import { Lines } from './lines.tsx';
import { useLook } from './look-context.tsx';

interface FrameBoxProps {
  readonly lines: readonly Line[];
  /** The room in whose middle it stands. */
  readonly room: Size & { readonly left: number };
}

/** Lines in a box over what is drawn before it. */
export function FrameBox({ lines, room }: FrameBoxProps) {
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
