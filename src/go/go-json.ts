import { goJsonString } from './go-json-string.ts';

/** A JSON value. Objects and maps keep the order of their fields; `undefined` fields are omitted. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | ReadonlyMap<string, Json>
  | Fields;

interface Fields {
  readonly [key: string]: Json | undefined;
}

/** Formats a value as Go's `encoding/json` does, to the byte: on one line, or with `indent` as `MarshalIndent`. */
export function goJson(value: Json, indent?: string, outer = ''): string {
  if (typeof value === 'string') return goJsonString(value);
  if (value === null || typeof value !== 'object') return String(value);
  const inner = indent === undefined ? '' : outer + indent;
  const comma = indent === undefined ? ',' : `,\n${inner}`;
  const colon = indent === undefined ? ':' : ': ';
  const isList = Array.isArray(value);
  const isMap = value instanceof Map;
  let text = '';
  for (const key of isMap ? value.keys() : Object.keys(value)) {
    const item: Json | undefined = isMap ? value.get(key) : (value as Fields)[key];
    if (item === undefined) continue;
    if (text !== '') text += comma;
    if (!isList) text += goJsonString(key) + colon;
    text += goJson(item, indent, inner);
  }
  if (text !== '' && indent !== undefined) text = `\n${inner}${text}\n${outer}`;
  return isList ? `[${text}]` : `{${text}}`;
}
