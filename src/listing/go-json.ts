import { goJsonString } from '../core/go-json-string.ts';

/** A JSON value whose objects keep the order of their fields; a field that is `undefined` is left out. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | { readonly [key: string]: JsonValue | undefined };

/** A value on one line. */
export function goJson(value: JsonValue): string {
  if (value === null || typeof value !== 'object') return scalar(value);
  return `{${fields(value, goJson).join(',')}}`;
}

/** A value over several lines, indented with tabs as Go's `MarshalIndent` does. */
export function goJsonIndented(value: JsonValue, indent = ''): string {
  if (value === null || typeof value !== 'object') return scalar(value);
  const inner = `${indent}\t`;
  const lines = fields(value, (field) => goJsonIndented(field, inner), ' ');
  if (lines.length === 0) return '{}';
  return `{\n${inner}${lines.join(`,\n${inner}`)}\n${indent}}`;
}

function fields(
  object: { readonly [key: string]: JsonValue | undefined },
  write: (value: JsonValue) => string,
  gap = '',
): string[] {
  const written: string[] = [];
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (value !== undefined) written.push(`${goJsonString(key)}:${gap}${write(value)}`);
  }
  return written;
}

function scalar(value: string | number | boolean | null): string {
  return typeof value === 'string' ? goJsonString(value) : String(value);
}
