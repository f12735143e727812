import type { BoxProps } from 'ink';
import type { Tone } from '../../src/terminal/span.ts';
import { DEFAULT_THEME, drawnStyle } from '../../src/terminal/theme.ts';
import { useLook } from './screen.tsx';

const NOTHING = {
  top: '',
  bottom: '',
  left: '',
  right: '',
  topLeft: '',
  topRight: '',
  bottomLeft: '',
  bottomRight: '',
};

/** The props of a box with a border in a tone, at the sides that have a character. */
export function useEdge(tone: Tone, parts: Partial<typeof NOTHING>): BoxProps {
  const { colour, theme = DEFAULT_THEME } = useLook();
  const { color, dimColor = false } = colour ? drawnStyle({ text: '', tone }, theme) : {};
  return {
    borderStyle: { ...NOTHING, ...parts },
    borderTop: parts.top !== undefined,
    borderBottom: parts.bottom !== undefined,
    borderLeft: parts.left !== undefined,
    borderRight: parts.right !== undefined,
    borderDimColor: dimColor,
    ...(color === undefined ? {} : { borderColor: color }),
  };
}
