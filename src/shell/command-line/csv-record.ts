import { SyncerError } from '../../core/errors.ts';

const QUOTED = /"((?:[^"]|"")*)"(?=[,\n]|$)/y;
const PLAIN = /[^,\n]*/y;
const fault = (why: string) => new SyncerError('usage', why);

/**
 * The values of a list in one text: a CSV record by the rules of Go's `encoding/csv`, as rclone reads variables. A
 * value with a comma, a quote or a line end is in double quotes, with `""` for a quote. Throws `usage` for invalid
 * quotes, and for further lines, which rclone would ignore.
 */
export function readCsvRecord(text: string): string[] {
  const record = text
    .replaceAll('\r\n', '\n')
    .replace(/\r$/, '')
    .replace(/^\n+|\n+$/g, '');
  if (record === '') return [];
  const values: string[] = [];
  for (let at = 0; ; at++) {
    const quoted = record[at] === '"';
    const pattern = quoted ? QUOTED : PLAIN;
    pattern.lastIndex = at;
    const match = pattern.exec(record);
    if (match === null) throw fault('extraneous or missing " in quoted-field');
    const [whole, inside] = match;
    if (!quoted && whole.includes('"')) throw fault('bare " in non-quoted-field');
    values.push(quoted ? (inside ?? '').replaceAll('""', '"') : whole);
    at += whole.length;
    if (record[at] === '\n') throw fault('it must be one line of comma-separated values');
    if (record[at] === undefined) return values;
  }
}
