import { type GoMap, type GoValue, NIL_MAP } from '../go/go-value.ts';
import type { HookRequest } from '../parameter/hook-request.ts';

/** A value that can be copied from thread to thread: an object that is not there is `undefined`. */
type PackedValue = Exclude<GoValue, GoMap | GoValue[]> | undefined | PackedValue[] | PackedMap;
type PackedMap = Map<string, PackedValue>;

/** A request that can be copied from thread to thread. */
export type PackedRequest = Omit<HookRequest, 'headers' | 'query' | 'payload' | 'body'> & {
  readonly values: readonly [headers: PackedValue, query: PackedValue, payload: PackedValue];
  readonly body: Uint8Array;
};

/** Makes a request fit for the way to another thread. */
export function packRequest({ headers, query, payload, ...other }: HookRequest): PackedRequest {
  return { ...other, values: [packed(headers), packed(query), packed(payload)] };
}

/** Undoes `packRequest`. */
export function unpackRequest({ values, body, ...other }: PackedRequest): HookRequest {
  const [headers, query, payload] = values.map((value) => unpacked(value) as GoMap);
  return {
    ...other,
    headers: headers ?? NIL_MAP,
    query: query ?? NIL_MAP,
    payload: payload ?? NIL_MAP,
    body: Buffer.from(body),
  };
}

function packed(value: GoValue): PackedValue {
  if (value === NIL_MAP) return undefined;
  if (Array.isArray(value)) return value.map(packed);
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [key, packed(item)]));
  return value;
}

function unpacked(value: PackedValue): GoValue {
  if (value === undefined) return NIL_MAP;
  if (Array.isArray(value)) return value.map(unpacked);
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [key, unpacked(item)]));
  return value;
}
