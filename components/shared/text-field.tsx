import { Text } from 'ink';
import { harmless } from '../../src/core/harmless.ts';
import { cellWidth, cut, cutLeft } from '../../src/screen/cells.ts';
import type { EditedText } from '../../src/screen/text-edit.ts';
import { useLook } from './look-context.tsx';

interface TextFieldProps {
  readonly edited: EditedText;
  /** Before the text. */
  readonly label?: string;
  /** What is taken when nothing is typed; shown dimmed while the field is empty. */
  readonly placeholder?: string;
  /** A secret: every character is shown as a bullet. */
  readonly masked?: boolean;
  readonly columns: number;
}

/** A line in which a text is typed, with the cursor at its place. */
export function TextField({
  edited,
  label = '',
  placeholder = '',
  masked = false,
  columns,
}: TextFieldProps) {
  const { colour, glyphs } = useLook();
  const show = (text: string) =>
    masked ? glyphs.bullet.repeat([...text].length) : harmless(text.replaceAll('\n', ' '));
  const before = show(edited.text.slice(0, edited.cursor));
  const [under = ' ', ...rest] = show(edited.text.slice(edited.cursor));
  const head = label === '' ? '' : `${harmless(label)} `;
  const room = Math.max(4, columns - cellWidth(head) - cellWidth(under));
  const shown = cutLeft(before, room, glyphs.ellipsis);
  const after = cut(rest.join(''), Math.max(0, room - cellWidth(shown)), '');
  const hint =
    edited.text === '' ? cut(harmless(placeholder), Math.max(0, room - 1), glyphs.ellipsis) : '';
  return (
    <Text wrap="truncate">
      <Text bold>{head}</Text>
      {shown}
      <Text inverse>{under}</Text>
      {after}
      <Text dimColor={colour}>{hint === '' ? '' : ` ${hint}`}</Text>
    </Text>
  );
}
