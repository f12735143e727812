import { type CFunction, type Libc, loadLibc } from '../../system/libc.ts';
import type { ChildCalls } from './child-reaper.ts';
import type { SpawnArena } from './spawn-arena.ts';

/** The functions of the C library that starting processes needs. */
export interface SpawnCalls extends ChildCalls {
  readonly addressOf: (buffer: Buffer) => bigint;
  /** The address of the text `/dev/null`. */
  readonly devNull: bigint;
  /** Like the `add…` calls, returns an error number, or 0. */
  readonly initActions: (actions: bigint) => number;
  readonly freeActions: (actions: bigint) => void;
  readonly addOpen: (
    actions: bigint,
    fd: number,
    path: bigint,
    flags: number,
    mode: number,
  ) => number;
  readonly addDuplicate: (actions: bigint, from: number, to: number) => number;
  readonly addChdir: (actions: bigint, path: bigint) => number;
  /** Gives the number of an error, or 0. */
  readonly spawn: (arena: SpawnArena, ownGroup: boolean) => Promise<number>;
  /** Throws where there are no more descriptors. */
  readonly pipe: () => { readonly readEnd: number; readonly writeEnd: number };
}

type Find = (name: string, ...parameters: string[]) => CFunction;

const CLOSE_ON_EXEC = 0o2000000;
/** `WNOHANG`, `WEXITED` and `WNOWAIT`: not to wait, and to leave the child as it is. */
const NO_WAIT = 1;
const LOOK_ONLY = NO_WAIT | 4 | 0x01000000;
const ANY_CHILD = 0;
/** Where `siginfo_t` holds the number of the child, and how long it is. */
const SIGNAL_PID_AT = 16;
const SIGNAL_BYTES = 128;
const DEFAULT_SIGNALS = 4;
const SIGNAL_MASK = 8;
const NEW_SESSION = 0x80;
/** More than the C libraries of Linux need for attributes (336 bytes), and for a set of signals (128). */
const ATTRIBUTES_BYTES = 512;
const SIGNALS_BYTES = 128;

/** Finds the functions; `undefined` where the C library cannot be reached, or lacks one. */
export async function loadSpawnCalls(): Promise<SpawnCalls | undefined> {
  if (process.platform !== 'linux') return undefined;
  try {
    return findCalls(await loadLibc());
  } catch {
    return undefined;
  }
}

function findCalls({ func, address: addressOf }: Libc): SpawnCalls {
  const find: Find = (name, ...parameters) => func(name, 'int', parameters);
  const actions = (name: string, ...parameters: string[]) =>
    find(`posix_spawn_file_actions_${name}`, 'void *', ...parameters);
  const spawn = find('posix_spawn', ...Array.from({ length: 6 }, () => 'void *'));
  const pipe2 = find('pipe2', 'int *', 'int');
  const waitpid = find('waitpid', 'int', 'int *', 'int');
  const waitid = find('waitid', 'int', 'int', 'void *', 'int');
  // The attributes are the same for all processes; they are read by the address for as long as the server lives.
  const shared = makeAttributes(find, addressOf, DEFAULT_SIGNALS | SIGNAL_MASK);
  const own = makeAttributes(find, addressOf, DEFAULT_SIGNALS | SIGNAL_MASK | NEW_SESSION);
  const devNull = Buffer.from('/dev/null\0');
  const ended = Buffer.alloc(SIGNAL_BYTES);
  const kept = { devNull, shared, own, ended };
  const endedAt = addressOf(ended);
  return {
    addressOf,
    devNull: addressOf(kept.devNull),
    initActions: actions('init'),
    freeActions: actions('destroy'),
    addOpen: actions('addopen', 'int', 'void *', 'int', 'int'),
    addDuplicate: actions('adddup2', 'int', 'int'),
    addChdir: actions('addchdir_np', 'void *'),
    spawn: (arena, ownGroup) =>
      new Promise((resolve, reject) => {
        const attributes = addressOf(ownGroup ? kept.own : kept.shared);
        const { pid, path, argv, env, memory } = arena;
        spawn.async(
          pid,
          path,
          arena.actions,
          attributes,
          argv,
          env,
          (fault: unknown, result: number) => {
            // The memory must not go before the call has come back.
            if (fault || memory.length === 0) reject(fault);
            else resolve(result);
          },
        );
      }),
    endedChild: () => {
      kept.ended.writeInt32LE(0, SIGNAL_PID_AT);
      waitid(ANY_CHILD, 0, endedAt, LOOK_ONLY);
      return kept.ended.readInt32LE(SIGNAL_PID_AT);
    },
    collect: (pid) => {
      const status = new Int32Array(1);
      return waitpid(pid, status, NO_WAIT) === pid ? status[0] : undefined;
    },
    pipe: () => {
      const ends = new Int32Array(2);
      if (pipe2(ends, CLOSE_ON_EXEC) !== 0) {
        throw Object.assign(new Error('pipe2: too many open files'), { code: 'EMFILE' });
      }
      const [readEnd = 0, writeEnd = 0] = ends;
      return { readEnd, writeEnd };
    },
  };
}

/** What a process does not inherit: Node ignores SIGPIPE, and may hold signals back. */
function makeAttributes(find: Find, addressOf: (buffer: Buffer) => bigint, flags: number): Buffer {
  const memory = Buffer.alloc(ATTRIBUTES_BYTES + 2 * SIGNALS_BYTES);
  const attributes = addressOf(memory);
  const all = attributes + BigInt(ATTRIBUTES_BYTES);
  const none = all + BigInt(SIGNALS_BYTES);
  // `sigfillset` leaves out the signals that the C library uses itself, which would then be ignored in the process.
  memory.fill(0xff, ATTRIBUTES_BYTES, ATTRIBUTES_BYTES + SIGNALS_BYTES);
  find('posix_spawnattr_init', 'void *')(attributes);
  find('posix_spawnattr_setsigdefault', 'void *', 'void *')(attributes, all);
  find('posix_spawnattr_setsigmask', 'void *', 'void *')(attributes, none);
  find('posix_spawnattr_setflags', 'void *', 'short')(attributes, flags);
  return memory;
}
