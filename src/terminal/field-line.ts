import { harmless } from '../core/shown-text.ts';
import { cellWidth, cut, cutLeft } from './cells.ts';
import type { Glyphs } from './look.ts';
import { type Line, span } from './span.ts';
import type { EditedText } from './text-edit.ts';

/** A text that is being typed. */
export interface FrameField {
  /** Before the text. */
  readonly label: string;
  readonly edited: EditedText;
  /** What is taken when nothing is typed; shown dimmed while the field is empty. */
  readonly placeholder?: string;
  /** A secret: every character is shown as a bullet. */
  readonly masked?: boolean;
}

/** The line in which a text is typed, with the cursor at its place. */
export function fieldLine(
  { label, edited, placeholder = '', masked = false }: FrameField,
  columns: number,
  { bullet, ellipsis }: Glyphs,
): Line {
  const show = (text: string) =>
    masked ? bullet.repeat([...text].length) : harmless(text.replaceAll('\n', ' '));
  const before = show(edited.text.slice(0, edited.cursor));
  const [under = ' ', ...rest] = show(edited.text.slice(edited.cursor));
  const head = label === '' ? '' : `${harmless(label)} `;
  const room = Math.max(4, columns - cellWidth(head) - cellWidth(under));
  const shown = cutLeft(before, room, ellipsis);
  const after = cut(rest.join(''), Math.max(0, room - cellWidth(shown)), '');
  const hint =
    edited.text === '' ? cut(harmless(placeholder), Math.max(0, room - 1), ellipsis) : '';
  return [
    span(head, 'plain', true),
    span(shown),
    { text: under, tone: 'cursor', isCaret: true },
    span(after),
    span(hint === '' ? '' : ` ${hint}`, 'dim'),
  ];
}
