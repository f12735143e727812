import type { MD5_LAYOUT } from './md5-module.ts';

/** Bytes of a file or of anything else that has positions. */
export interface Range {
  /** In bytes. */
  readonly offset: number;
  /** In bytes. */
  readonly length: number;
}

/** Puts bytes from `position` on into `room`, as many as it likes but at least one; 0 where there are none. */
export type ReadInto = (room: Uint8Array, position: number) => number;

/** A range on its way. */
interface Message extends Range {
  /** Its bytes, and those that end it, that have been put into a room. */
  done: number;
  /** Its length with what ends it, in bytes: whole blocks. */
  readonly padded: number;
}

/** Makes MD5s of several messages at once. */
export interface Md5Lanes {
  /** So many messages it takes at most. */
  readonly lanes: number;
  /**
   * The MD5s of up to `lanes` ranges, in hexadecimal; `undefined` where one ended early. Throws what `read` throws.
   * Ranges of about the same length take the least time: a lane that is done with its own waits for the others.
   */
  hash(ranges: readonly Range[], read: ReadInto): readonly string[] | undefined;
}

/**
 * An instance of `md5Module`, with memory of its own. Threads run this from its text: nothing from outside may be used in
 * it.
 */
export function md5Lanes(module: WebAssembly.Module, layout: typeof MD5_LAYOUT): Md5Lanes {
  const { lanes, constants, rooms, roomLength } = layout;
  const { advance, memory } = new WebAssembly.Instance(module).exports as {
    advance(at: number, blocks: number): void;
    readonly memory: { readonly buffer: ArrayBuffer };
  };
  const BLOCK = 64;
  const state = new Uint32Array(memory.buffer, layout.state, 4 * lanes);
  const table = new Uint32Array(memory.buffer, constants, 4 * BLOCK);
  for (let i = 0; i < BLOCK; i++) {
    table.fill(Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32), 4 * i, 4 * i + 4);
  }
  const roomOf = (lane: number) =>
    new Uint8Array(memory.buffer, rooms + lane * roomLength, roomLength);

  /**
   * Puts what is next of a padded message (RFC 1321, sections 3.1 and 3.2) into its room: a whole room, or what is left.
   * Gives its length; 0 where the message ended early.
   */
  const fill = (room: Uint8Array, message: Message, read: ReadInto): number => {
    const { offset, length, done, padded } = message;
    const filled = Math.min(roomLength, padded - done);
    const bytes = Math.max(0, Math.min(filled, length - done));
    for (let at = 0; at < bytes; ) {
      const got = read(room.subarray(at, bytes), offset + done + at);
      if (got === 0) return 0;
      at += got;
    }
    room.fill(0, bytes, filled);
    if (length >= done && length < done + filled) room[length - done] = 0x80;
    if (done + filled === padded) {
      const bits = new DataView(memory.buffer, room.byteOffset + filled - 8);
      bits.setBigUint64(0, BigInt(length) * 8n, true);
    }
    return filled;
  };

  const digestOf = (lane: number): string => {
    const digest = Buffer.alloc(16);
    for (let at = 0; at < 4; at++) digest.writeUInt32LE(state[at * lanes + lane] ?? 0, 4 * at);
    return digest.toString('hex');
  };

  return {
    lanes,
    hash(ranges, read) {
      [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476].forEach((word, at) => {
        state.fill(word, at * lanes, (at + 1) * lanes);
      });
      const digests: string[] = [];
      const open = new Map<number, Message>();
      ranges.forEach((range, lane) => {
        const padded = Math.ceil((range.length + 9) / BLOCK) * BLOCK;
        open.set(lane, { ...range, done: 0, padded });
      });
      while (open.size > 0) {
        const ends: [blocks: number, lane: number][] = [];
        for (const [lane, message] of open) {
          const filled = fill(roomOf(lane), message, read);
          if (filled === 0) return undefined;
          message.done += filled;
          if (message.done === message.padded) ends.push([filled / BLOCK, lane]);
        }
        let done = 0;
        const advanceTo = (blocks: number) => {
          if (blocks > done) advance(rooms + done * BLOCK, blocks - done);
          done = blocks;
        };
        for (const [blocks, lane] of ends.toSorted(([a], [b]) => a - b)) {
          advanceTo(blocks);
          digests[lane] = digestOf(lane);
          open.delete(lane);
        }
        if (open.size > 0) advanceTo(roomLength / BLOCK);
      }
      return digests;
    },
  };
}
