/** Arrays with one figure of every node. */
type Column = Int32Array | Uint32Array | Uint8Array | Float64Array | BigUint64Array;

/** A longer array with the same start; the rest is 0. */
export function grown<C extends Column>(column: C, length: number): C {
  const longer = new (column.constructor as new (length: number) => C)(length);
  longer.set(column as never);
  return longer;
}

/** The new length of an array that is too short: half as much again wastes a third at most. */
export function nextLength(length: number): number {
  return Math.ceil(length * 1.5) + 64;
}

/** Makes room for place `id` in the arrays of an object, which are of one length. */
export function growAll<C extends { [Name in keyof C]: Column }>(columns: C, id: number): void {
  const length = nextLength(id);
  for (const name of Object.keys(columns) as (keyof C)[])
    columns[name] = grown(columns[name], length);
}
