import { type GoMap, type GoValue, NIL_MAP } from '../go/go-value.ts';
import type { HookRequest } from '../parameter/hook-request.ts';

/** The beginning of a list or an object: so many items follow, or keys, each with its value. */
interface Opening {
  readonly opens: 'list' | 'object';
  readonly size: number;
}

/**
 * A value that can be copied from thread to thread, one piece after the other: what is copied as it nests may nest
 * too deeply for that. An object that is not there is `undefined`.
 */
type PackedValue = (Exclude<GoValue, GoMap | GoValue[]> | Opening | undefined)[];

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
  const pieces: PackedValue = [];
  const open: Iterator<GoValue>[] = [[value].values()];
  for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
    const { done, value: item } = last.next();
    if (done === true) open.pop();
    else if (item === NIL_MAP) pieces.push(undefined);
    else if (Array.isArray(item)) {
      pieces.push({ opens: 'list', size: item.length });
      open.push(item.values());
    } else if (item instanceof Map) {
      pieces.push({ opens: 'object', size: item.size });
      open.push([...item].flat(1).values());
    } else pieces.push(item);
  }
  return pieces;
}

/** A list or an object that is being put together. */
interface Container {
  readonly value: GoValue[] | GoMap;
  left: number;
  /** Of an object, when its value comes next. */
  key: string | undefined;
}

function unpacked(pieces: PackedValue): GoValue {
  const root: GoValue[] = [];
  const open: Container[] = [{ value: root, left: 1, key: undefined }];
  for (const piece of pieces) {
    const value = begun(piece);
    put(open.at(-1), value);
    if (isOpening(piece)) open.push({ value: value as GoMap, left: piece.size, key: undefined });
    while (open.at(-1)?.left === 0) open.pop();
  }
  return root[0] ?? NIL_MAP;
}

function isOpening(piece: PackedValue[number]): piece is Opening {
  return typeof piece === 'object' && piece !== null && 'opens' in piece;
}

function begun(piece: PackedValue[number]): GoValue {
  if (piece === undefined) return NIL_MAP;
  if (!isOpening(piece)) return piece;
  return piece.opens === 'list' ? [] : new Map();
}

function put(container: Container | undefined, value: GoValue): void {
  if (container === undefined) return;
  const { value: whole, key } = container;
  if (Array.isArray(whole)) whole.push(value);
  else if (key === undefined) {
    container.key = value as string;
    return;
  } else whole.set(key, value);
  container.key = undefined;
  container.left--;
}
