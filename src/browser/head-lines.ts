import { harmless } from '../core/harmless.ts';
import { wrap } from '../screen/cells.ts';
import { type Line, span } from '../screen/span.ts';

/** Whether the beginning of a file looks like text: UTF-8, and next to no control characters. */
export function isText(head: Buffer): boolean {
  if (head.includes(0)) return false;
  const text = head.toString('utf8');
  // A character may be cut off at the end.
  const broken = text.slice(0, -1).split('\ufffd').length - 1;
  const controls = text.replace(/[^\0-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f]/g, '').length;
  return (broken + controls) * 20 <= text.length;
}

/** The beginning of a file in lines: text as it is, or bytes by sixteen (by eight on narrow terminals). */
export function headLines(head: Buffer, hex: boolean, columns: number): readonly Line[] {
  if (head.length === 0) return [[span('  The file is empty.', 'dim')]];
  return hex
    ? hexLines(head, columns >= 78 ? 16 : columns >= 44 ? 8 : 4)
    : textLines(head, columns);
}

function textLines(head: Buffer, columns: number): readonly Line[] {
  const text = head.toString('utf8').replace(/\r\n?/g, '\n').replaceAll('\t', '    ');
  const lines = text.replace(/\n$/, '').split('\n');
  return lines.flatMap((line) =>
    wrap(harmless(line), Math.max(1, columns)).map(
      (part): Line => [span(part === '' ? ' ' : part)],
    ),
  );
}

function hexLines(head: Buffer, width: number): readonly Line[] {
  const lines: Line[] = [];
  for (let at = 0; at < head.length; at += width) {
    const bytes = head.subarray(at, at + width);
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const ascii = [...bytes].map((byte) =>
      byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.',
    );
    lines.push([
      span(`${at.toString(16).padStart(8, '0')}  `, 'dim'),
      span(hex.padEnd(width * 3)),
      span(` ${ascii.join('')}`, 'accent'),
    ]);
  }
  return lines;
}
