import { goJsonString } from '../go/go-json-string.ts';

/** A JSON value. A map is an object with any keys, in its order. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | ReadonlyMap<string, Json>
  | { readonly [key: string]: Json };

/**
 * Formats a value as Go's `json.MarshalIndent` does, to the byte.
 *
 * @param indent the indentation of each level
 */
export function goJson(value: Json, indent: string, outer = ''): string {
  if (typeof value === 'string') return goJsonString(value);
  if (value === null || typeof value !== 'object') return String(value);
  const inner = outer + indent;
  if (isList(value)) {
    const items = value.map((item) => goJson(item, indent, inner));
    return items.length === 0 ? '[]' : `[\n${inner}${items.join(`,\n${inner}`)}\n${outer}]`;
  }
  const pairs = isMap(value) ? [...value] : Object.entries(value);
  const members = pairs.map(
    ([key, item]) => `${goJsonString(key)}: ${goJson(item, indent, inner)}`,
  );
  return members.length === 0 ? '{}' : `{\n${inner}${members.join(`,\n${inner}`)}\n${outer}}`;
}

function isMap(value: Json): value is ReadonlyMap<string, Json> {
  return value instanceof Map;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
