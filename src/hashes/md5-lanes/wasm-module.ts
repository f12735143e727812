/**
 * Instructions of WebAssembly that this program uses, as bytes
 * (https://webassembly.github.io/spec/core/binary/instructions.html).
 */
export const WASM = {
  loop: [0x03, 0x40],
  end: [0x0b],
  branchIf: (depth: number) => [0x0d, ...unsigned(depth)],
  get: (local: number) => [0x20, ...unsigned(local)],
  set: (local: number) => [0x21, ...unsigned(local)],
  tee: (local: number) => [0x22, ...unsigned(local)],
  number: (value: number) => [0x41, ...signed(value)],
  add: [0x6a],
  subtract: [0x6b],
  /** Of four 32-bit numbers at a time, little-endian; `offset` is added to the address on the stack. */
  vector: {
    load: (offset: number) => [...simd(0x00), 0, ...unsigned(offset)],
    store: (offset: number) => [...simd(0x0b), 0, ...unsigned(offset)],
    /** Chooses four of the eight numbers of two vectors. */
    choose: (...numbers: readonly number[]) => [
      ...simd(0x0d),
      ...numbers.flatMap((at) => [at * 4, at * 4 + 1, at * 4 + 2, at * 4 + 3]),
    ],
    not: simd(0x4d),
    or: simd(0x50),
    xor: simd(0x51),
    /** Of the first where the third has ones, of the second where it has zeros. */
    select: simd(0x52),
    shiftLeft: simd(0xab),
    shiftRight: simd(0xad),
    add: simd(0xae),
  },
} as const;

/** A function: two 32-bit parameters, no result. Its locals are those two and `vectors` behind them. */
export interface WasmFunction {
  readonly name: string;
  readonly vectors: number;
  /** Without the last `end`. */
  readonly code: readonly number[];
}

/**
 * The bytes of a module of one function and `pages` of memory (64 KiB each), both exported, the memory as `memory`
 * (https://webassembly.github.io/spec/core/binary/modules.html).
 */
export function wasmModule(
  { name, vectors, code }: WasmFunction,
  pages: number,
): Uint8Array<ArrayBuffer> {
  const [I32, V128] = [0x7f, 0x7b];
  const body = [...list([[...unsigned(vectors), V128]]), ...code, ...WASM.end];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [[0x60, ...list([[I32], [I32]]), ...list([])]]),
    ...section(3, [[0]]),
    ...section(5, [[0x01, ...unsigned(pages), ...unsigned(pages)]]),
    ...section(7, [
      [...text(name), 0x00, 0],
      [...text('memory'), 0x02, 0],
    ]),
    ...section(10, [[...unsigned(body.length), ...body]]),
  ]);
}

function section(id: number, items: readonly (readonly number[])[]): number[] {
  const content = list(items);
  return [id, ...unsigned(content.length), ...content];
}

function list(items: readonly (readonly number[])[]): number[] {
  return [...unsigned(items.length), ...items.flat()];
}

function text(name: string): number[] {
  const bytes = Buffer.from(name);
  return [...unsigned(bytes.length), ...bytes];
}

function simd(instruction: number): number[] {
  return [0xfd, ...unsigned(instruction)];
}

/** LEB128, as are all numbers of the format. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: number): number[] {
  return value >= -0x40 && value < 0x40
    ? [value & 0x7f]
    : [(value & 0x7f) | 0x80, ...signed(value >> 7)];
}
