import type { MD5_LAYOUT } from './md5-module.ts';

/** Bytes of a file or of anything else that has positions. */
export interface Range {
  /** In bytes. */
  readonly offset: number;
  /** In bytes. */
  readonly length: number;
}

/** Puts bytes of a range from `position` on into `room`, as many as it likes but at least one; 0 where there are none. */
export type ReadInto = (room: Uint8Array, position: number, range: number) => number;

/** A range on its way. */
interface Message extends Range {
  readonly index: number;
  /** Its bytes, and those that end it, that have been put into a room. */
  done: number;
  /** Its length with what ends it, in bytes: whole blocks. */
  readonly padded: number;
}

/** Makes MD5s of several messages at once. */
export interface Md5Lanes {
  /** How many are computed in parallel. */
  readonly lanes: number;
  /**
   * The MD5s of ranges, in hexadecimal; `undefined` for those that ended early. A lane that is done starts the next
   * range; the longest should not be the last. Throws what `read` throws.
   */
  hash(ranges: readonly Range[], read: ReadInto): readonly (string | undefined)[];
}

/** An instance of `md5Module`, with its own memory. Threads run this from its text: it must use nothing from outside. */
export function md5Lanes(module: WebAssembly.Module, layout: typeof MD5_LAYOUT): Md5Lanes {
  const { lanes, constants, roomLength } = layout;
  const { advance, memory } = new WebAssembly.Instance(module).exports as {
    advance(at: number, blocks: number): void;
    readonly memory: { readonly buffer: ArrayBuffer };
  };
  const BLOCK = 64;
  const view = new DataView(memory.buffer);
  const rooms = Array.from(
    { length: lanes },
    (_, lane) => new Uint8Array(memory.buffer, layout.rooms + lane * roomLength, roomLength),
  );
  const state = new Uint32Array(memory.buffer, layout.state, 4 * lanes);
  const table = new Uint32Array(memory.buffer, constants, 4 * BLOCK);
  for (let i = 0; i < BLOCK; i++) {
    table.fill(Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32), 4 * i, 4 * i + 4);
  }
  /**
   * Puts the next bytes of a padded message (RFC 1321, 3.1 and 3.2) into its room. Returns how many; 0 if the message
   * ended early.
   */
  const fill = (message: Message, lane: number, read: ReadInto): number => {
    const room = rooms[lane] as Uint8Array;
    const { index, offset, length, done, padded } = message;
    const filled = Math.min(roomLength, padded - done);
    const bytes = Math.max(0, Math.min(filled, length - done));
    for (let at = 0; at < bytes; ) {
      const got = read(room.subarray(at, bytes), offset + done + at, index);
      if (got === 0) return 0;
      at += got;
    }
    room.fill(0, bytes, filled);
    if (length >= done && length < done + filled) room[length - done] = 0x80;
    if (done + filled === padded) {
      const bits = room.byteOffset + filled - 8;
      view.setUint32(bits, length << 3, true);
      view.setUint32(bits + 4, Math.floor(length / 2 ** 29), true);
    }
    return filled;
  };

  const digest = Buffer.alloc(16);
  const digestOf = (lane: number): string => {
    for (let at = 0; at < 4; at++) digest.writeUInt32LE(state[at * lanes + lane] ?? 0, 4 * at);
    return digest.toString('hex');
  };

  const begin = (lane: number) => {
    [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476].forEach((word, at) => {
      state[at * lanes + lane] = word;
    });
  };

  return {
    lanes,
    hash(ranges, read) {
      const digests = ranges.map((): string | undefined => undefined);
      const waiting = ranges.entries();
      const open = new Map<number, Message>();
      const beginNext = (lane: number) => {
        const { value: next } = waiting.next();
        if (next === undefined) return void open.delete(lane);
        const [index, range] = next;
        const padded = Math.ceil((range.length + 9) / BLOCK) * BLOCK;
        open.set(lane, { ...range, index, done: 0, padded });
        begin(lane);
      };
      for (let lane = 0; lane < lanes; lane++) beginNext(lane);
      while (open.size > 0) {
        const ends: { readonly lane: number; readonly blocks: number }[] = [];
        for (const [lane, message] of open) {
          const filled = fill(message, lane, read);
          message.done += filled;
          if (filled === 0) ends.push({ lane, blocks: 0 });
          else if (message.done === message.padded) ends.push({ lane, blocks: filled / BLOCK });
        }
        let done = 0;
        const advanceTo = (blocks: number) => {
          if (blocks > done) advance(layout.rooms + done * BLOCK, blocks - done);
          done = blocks;
        };
        const ended = ends.toSorted((a, b) => a.blocks - b.blocks);
        for (const { lane, blocks } of ended) {
          advanceTo(blocks);
          const index = open.get(lane)?.index ?? -1;
          if (blocks > 0) digests[index] = digestOf(lane);
        }
        if (ended.length < open.size) advanceTo(roomLength / BLOCK);
        for (const { lane } of ended) beginNext(lane);
      }
      return digests;
    },
  };
}
