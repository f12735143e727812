import { nameToBytes } from '../../core/name-bytes.ts';

const POINTER = 8;
const PID_AT = 0;
const ACTIONS_AT = 16;
/** More than the C libraries of Linux need (80 bytes). */
const ACTIONS_BYTES = 256;
const STRINGS_AT = ACTIONS_AT + ACTIONS_BYTES;

/** All that a start needs in memory, in one piece that does not move: addresses for the C library. */
export type SpawnArena = Readonly<ReturnType<typeof layOut>>;

/**
 * Lays out what a start needs. Throws an error with the code `EINVAL` for a text with a zero in it.
 * @param addressOf gives the address of a buffer
 */
export function layOut(
  plan: {
    readonly path: string;
    readonly workingDirectory: string;
    readonly argv: readonly string[];
    readonly env: readonly string[];
  },
  addressOf: (buffer: Buffer) => bigint,
) {
  const { path, workingDirectory, argv, env } = plan;
  const texts = [path, workingDirectory, ...argv, ...env];
  const bytes = nameToBytes(`${texts.join('\0')}\0`);
  const pointersAt = Math.ceil((STRINGS_AT + bytes.length) / POINTER) * POINTER;
  const envAt = pointersAt + (argv.length + 1) * POINTER;
  const memory = Buffer.alloc(envAt + (env.length + 1) * POINTER);
  bytes.copy(memory, STRINGS_AT);
  const base = addressOf(memory);
  const places: bigint[] = [];
  for (let at = 0; at < bytes.length; at = bytes.indexOf(0, at) + 1) {
    places.push(base + BigInt(STRINGS_AT + at));
  }
  if (places.length !== texts.length) {
    throw Object.assign(new Error('a text holds a zero'), { code: 'EINVAL' });
  }
  const [pathPlace = 0n, directoryPlace = 0n, ...rest] = places;
  for (const [i, place] of rest.entries()) {
    const at = i < argv.length ? pointersAt + i * POINTER : envAt + (i - argv.length) * POINTER;
    memory.writeBigUInt64LE(place, at);
  }
  return {
    /** Must be kept as long as the addresses are used. */
    memory,
    pid: base + BigInt(PID_AT),
    actions: base + BigInt(ACTIONS_AT),
    path: pathPlace,
    workingDirectory: directoryPlace,
    argv: base + BigInt(pointersAt),
    env: base + BigInt(envAt),
  };
}

/** The number of the process that was started. */
export function startedPid({ memory }: SpawnArena): number {
  return memory.readInt32LE(PID_AT);
}
