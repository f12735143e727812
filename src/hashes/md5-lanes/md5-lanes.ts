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
  const INITIAL = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
  const digest = Buffer.alloc(16);
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

  /** For each lane how many blocks of its room are left of its message, or one of these. */
  const ends = new Int32Array(lanes);
  const [GOES_ON, IDLE, ENDED] = [-1, -2, -3];
  /** The lane whose message ends next, of those that end in their rooms; -1 if none does. */
  const nextEnd = (): number => {
    let found = -1;
    for (let lane = 0; lane < lanes; lane++) {
      const blocks = ends[lane] as number;
      if (blocks >= 0 && (found < 0 || blocks < (ends[found] as number))) found = lane;
    }
    return found;
  };

  return {
    lanes,
    hash(ranges, read) {
      const digests = ranges.map((): string | undefined => undefined);
      const open: (Message | undefined)[] = [];
      let begun = 0;
      const beginNext = (lane: number): Message | undefined => {
        const range = ranges[begun];
        if (range === undefined) return undefined;
        const { offset, length } = range;
        const padded = Math.ceil((length + layout.messageEnd) / BLOCK) * BLOCK;
        for (let at = 0; at < 4; at++) state[at * lanes + lane] = INITIAL[at] as number;
        return { offset, length, index: begun++, done: 0, padded };
      };
      for (let lane = 0; lane < lanes; lane++) open[lane] = beginNext(lane);
      for (;;) {
        let [isIdle, areFull] = [true, false];
        for (let lane = 0; lane < lanes; lane++) {
          const message = open[lane];
          ends[lane] = IDLE;
          if (message === undefined) continue;
          isIdle = false;
          const filled = fill(message, lane, read);
          message.done += filled;
          const isWhole = filled === 0 || message.done === message.padded;
          ends[lane] = isWhole ? filled / BLOCK : GOES_ON;
          areFull ||= !isWhole;
        }
        if (isIdle) return digests;
        let done = 0;
        const advanceTo = (blocks: number) => {
          if (blocks > done) advance(layout.rooms + done * BLOCK, blocks - done);
          done = blocks;
        };
        for (let lane = nextEnd(); lane >= 0; lane = nextEnd()) {
          const blocks = ends[lane] as number;
          advanceTo(blocks);
          if (blocks > 0) {
            for (let at = 0; at < 4; at++)
              digest.writeUInt32LE(state[at * lanes + lane] ?? 0, 4 * at);
            digests[open[lane]?.index as number] = digest.toString('hex');
          }
          ends[lane] = ENDED;
        }
        if (areFull) advanceTo(roomLength / BLOCK);
        for (let lane = 0; lane < lanes; lane++)
          if (ends[lane] === ENDED) open[lane] = beginNext(lane);
      }
    },
  };
}
