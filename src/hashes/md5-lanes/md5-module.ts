/**
 * Instructions of WebAssembly that this program uses, as bytes
 * (https://webassembly.github.io/spec/core/binary/instructions.html).
 */
const WASM = {
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

/**
 * The bytes of a module of one function and `pages` of memory (64 KiB each), both exported, the memory as `memory`
 * (https://webassembly.github.io/spec/core/binary/modules.html). The function has two 32-bit parameters and no result;
 * its locals are those two and `vectors` behind them. `code`: without the last `end`.
 */
function wasmModule(
  name: string,
  vectors: number,
  code: readonly number[],
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

const { get, set, tee, number, add, subtract, loop, branchIf, end, vector } = WASM;
/** Messages in a vector. */
const WIDTH = 4;
/** Vectors computed side by side: while the processor waits for one, it computes the other. */
const GROUPS = 2;

/** Of a block, in bytes. */
const BLOCK = 64;

/** What lies where in the module's memory; addresses and lengths in bytes. */
export const MD5_LAYOUT = {
  /** Messages that are hashed at once. */
  lanes: WIDTH * GROUPS,
  /** Four words of state: for each the eight lanes' one behind the other, four lanes to a vector. */
  state: 0,
  /** The constants of the 64 steps, each four times. */
  constants: 1024,
  /** The lanes' rooms: where the first begins, and how long each is, whole blocks. */
  rooms: 4096,
  roomLength: 64 * 1024 - 512,
  /** What ends a message takes at least so much, in bytes (RFC 1321, 3.1 and 3.2). */
  messageEnd: 9,
  pages: 8,
} as const;

/** In bytes. */
const VECTOR = 16;
/** Where the words of the blocks lie that are being taken in, in vectors. */
const WORDS = 512;

// The function's locals: its parameters, rows of a block, the same words of two rows each, and the state.
const [AT, BLOCKS] = [0, 1];
const FIRST_VECTOR = 2;
const [ROW, PAIR] = [FIRST_VECTOR, FIRST_VECTOR + WIDTH];
/** The local that holds a word of the state: 0 to 3 for A to D. */
const word = (group: number, index: number) => PAIR + WIDTH + group * 4 + index;
const stateOf = (group: number, index: number) => (index * GROUPS + group) * VECTOR;

/**
 * A module that hashes eight messages at once with MD5 (RFC 1321): one processor is five times as fast as with one
 * after the other, because the steps of one message must wait for each other. It exports `advance(at, blocks)`, which
 * takes in `blocks` blocks of 64 bytes of each lane, from the address `at` in the first lane's room on, and its memory.
 */
export function md5Module(): Uint8Array<ArrayBuffer> {
  const groups = Array.from({ length: GROUPS }, (_, group) => group);
  const code = [
    ...loop,
    ...groups.flatMap((group) =>
      [0, 1, 2, 3].flatMap((index) => [
        ...[...number(MD5_LAYOUT.state), ...vector.load(stateOf(group, index))],
        ...set(word(group, index)),
      ]),
    ),
    ...groups.flatMap(loadWords),
    ...Array.from({ length: BLOCK }, (_, at) => groups.flatMap((group) => step(group, at))).flat(),
    ...groups.flatMap(addState),
    ...[...get(AT), ...number(BLOCK), ...add, ...set(AT)],
    ...[...get(BLOCKS), ...number(1), ...subtract, ...tee(BLOCKS), ...branchIf(0)],
    ...end,
  ];
  const vectors = 2 * WIDTH + GROUPS * 4;
  return wasmModule('advance', vectors, code, MD5_LAYOUT.pages);
}

/** A block's words of four lanes, so that a vector holds the same word of each. */
function loadWords(group: number): number[] {
  const code: number[] = [];
  const two = (a: number, b: number, ...chosen: number[]) => [
    ...[...get(a), ...get(b), ...vector.choose(...chosen)],
  ];
  for (let from = 0; from < BLOCK; from += VECTOR) {
    for (let lane = 0; lane < WIDTH; lane++) {
      const room = (group * WIDTH + lane) * MD5_LAYOUT.roomLength;
      code.push(...get(AT), ...vector.load(room + from), ...set(ROW + lane));
    }
    code.push(...two(ROW, ROW + 1, 0, 4, 1, 5), ...set(PAIR));
    code.push(...two(ROW + 2, ROW + 3, 0, 4, 1, 5), ...set(PAIR + 1));
    code.push(...two(ROW, ROW + 1, 2, 6, 3, 7), ...set(PAIR + 2));
    code.push(...two(ROW + 2, ROW + 3, 2, 6, 3, 7), ...set(PAIR + 3));
    for (let at = 0; at < WIDTH; at++) {
      const pair = PAIR + (at >> 1) * 2;
      const halves = at % 2 === 0 ? [0, 1, 4, 5] : [2, 3, 6, 7];
      const to = wordOf(group, from / 4 + at);
      code.push(...number(WORDS), ...two(pair, pair + 1, ...halves), ...vector.store(to));
    }
  }
  return code;
}

const wordOf = (group: number, index: number) => ((group * BLOCK) / 4) * VECTOR + index * VECTOR;

/** `a = b + ((a + F(b, c, d) + X[k] + T[i]) <<< s)` */
function step(group: number, index: number): number[] {
  const round = index >> 4;
  const k = [index, 5 * index + 1, 3 * index + 5, 7 * index][round] ?? 0;
  // Bits by which the steps of each round are rotated, in turn (RFC 1321, section 3.4).
  const rotations = [
    [7, 12, 17, 22],
    [5, 9, 14, 20],
    [4, 11, 16, 23],
    [6, 10, 15, 21],
  ];
  const bits = rotations[round]?.[index % 4] ?? 0;
  const words = [0, 1, 2, 3].map((at) => word(group, (at - index + BLOCK) % 4));
  const [a = 0, b = 0, c = 0, d = 0] = words;
  return [
    ...[...number(WORDS), ...vector.load(wordOf(group, k % 16))],
    ...[...number(MD5_LAYOUT.constants), ...vector.load(index * VECTOR), ...vector.add],
    ...[...get(a), ...vector.add, ...mixed(round, b, c, d), ...vector.add],
    ...[...tee(a), ...number(bits), ...vector.shiftLeft],
    ...[...get(a), ...number(32 - bits), ...vector.shiftRight, ...vector.or],
    ...[...get(b), ...vector.add, ...set(a)],
  ];
}

/** F, G, H and I of RFC 1321. */
function mixed(round: number, b: number, c: number, d: number): number[] {
  if (round === 0) return [...get(c), ...get(d), ...get(b), ...vector.select];
  if (round === 1) return [...get(b), ...get(c), ...get(d), ...vector.select];
  if (round === 2) return [...get(b), ...get(c), ...get(d), ...vector.xor, ...vector.xor];
  return [...get(c), ...get(b), ...get(d), ...vector.not, ...vector.or, ...vector.xor];
}

function addState(group: number): number[] {
  return [0, 1, 2, 3].flatMap((index) => {
    const at = stateOf(group, index);
    const before = [...number(MD5_LAYOUT.state), ...vector.load(at)];
    return [
      ...number(MD5_LAYOUT.state),
      ...[...before, ...get(word(group, index)), ...vector.add, ...vector.store(at)],
    ];
  });
}
