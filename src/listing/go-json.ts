import { goJsonString } from '../go/go-json-string.ts';

/** A JSON value whose objects keep the order of their fields; a field that is `undefined` is left out. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | { readonly [key: string]: JsonValue | undefined };

/** So many names of fields are remembered as they are written: records of one kind have the same. */
const MOST_NAMES = 64;

const writtenNames = new Map<string, string>();

/** A value on one line. */
export function goJson(value: JsonValue): string {
  if (value === null || typeof value !== 'object') return scalar(value);
  let text = '';
  for (const key of Object.keys(value)) {
    const field = value[key];
    if (field === undefined) continue;
    text += `${text === '' ? '' : ','}${writtenName(key)}:${goJson(field)}`;
  }
  return `{${text}}`;
}

function writtenName(name: string): string {
  let written = writtenNames.get(name);
  if (written === undefined) {
    written = goJsonString(name);
    if (writtenNames.size < MOST_NAMES) writtenNames.set(name, written);
  }
  return written;
}

/** A value over several lines, indented with tabs as Go's `MarshalIndent` does. */
export function goJsonIndented(value: JsonValue, indent = ''): string {
  if (value === null || typeof value !== 'object') return scalar(value);
  const inner = `${indent}\t`;
  const lines: string[] = [];
  for (const key of Object.keys(value)) {
    const field = value[key];
    if (field !== undefined) lines.push(`${writtenName(key)}: ${goJsonIndented(field, inner)}`);
  }
  if (lines.length === 0) return '{}';
  return `{\n${inner}${lines.join(`,\n${inner}`)}\n${indent}}`;
}

function scalar(value: string | number | boolean | null): string {
  return typeof value === 'string' ? goJsonString(value) : String(value);
}
