import { nameToBytes } from '../../core/name-bytes.ts';
import { type CFunction, type Libc, loadLibc } from '../../system/libc.ts';
import type { ChildCalls } from './child-reaper.ts';
import type { StartPlan } from './process-starter.ts';

/** What a start needs in memory: to be kept until it is done. Texts end with a zero, and lists with `null`. */
export type SpawnMemory = Readonly<ReturnType<typeof spawnMemory>>;

/** More than the C libraries of Linux need for file actions (80 bytes). */
const ACTIONS_BYTES = 256;

/** Throws an error with the code `EINVAL` for a text with a zero in it. */
export function spawnMemory({ path, workingDirectory, argv, env }: StartPlan) {
  if ([path, workingDirectory, ...argv, ...env].some((text) => text.includes('\0'))) {
    throw Object.assign(new Error('a text holds a zero'), { code: 'EINVAL' });
  }
  return {
    pid: new Int32Array(1),
    actions: Buffer.alloc(ACTIONS_BYTES),
    path: cString(path),
    workingDirectory: cString(workingDirectory),
    argv: [...argv.map(cString), null],
    env: [...env.map(cString), null],
  };
}

function cString(text: string): Buffer {
  return nameToBytes(`${text}\0`);
}

/** The functions of the C library that starting processes needs. */
export interface SpawnCalls extends ChildCalls {
  /** Like the `add…` calls, returns an error number, or 0. */
  readonly initActions: (actions: Buffer) => number;
  readonly freeActions: (actions: Buffer) => void;
  readonly addOpen: (
    actions: Buffer,
    fd: number,
    path: Buffer,
    flags: number,
    mode: number,
  ) => number;
  readonly addDuplicate: (actions: Buffer, from: number, to: number) => number;
  readonly addChdir: (actions: Buffer, path: Buffer) => number;
  /** Gives the number of an error, or 0 and writes that of the process. */
  readonly spawn: (memory: SpawnMemory, ownGroup: boolean) => Promise<number>;
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

function findCalls({ func }: Libc): SpawnCalls {
  const find: Find = (name, ...parameters) => func(name, 'int', parameters);
  const actions = (name: string, ...parameters: string[]) =>
    find(`posix_spawn_file_actions_${name}`, 'void *', ...parameters);
  const spawn = find('posix_spawn', 'int *', 'void *', 'void *', 'void *', 'void **', 'void **');
  const pipe2 = find('pipe2', 'int *', 'int');
  const waitpid = find('waitpid', 'int', 'int *', 'int');
  const waitid = find('waitid', 'int', 'int', 'void *', 'int');
  const shared = makeAttributes(find, DEFAULT_SIGNALS | SIGNAL_MASK);
  const own = makeAttributes(find, DEFAULT_SIGNALS | SIGNAL_MASK | NEW_SESSION);
  const ended = Buffer.alloc(SIGNAL_BYTES);
  return {
    initActions: actions('init'),
    freeActions: actions('destroy'),
    addOpen: actions('addopen', 'int', 'void *', 'int', 'int'),
    addDuplicate: actions('adddup2', 'int', 'int'),
    addChdir: actions('addchdir_np', 'void *'),
    spawn: (memory, ownGroup) =>
      new Promise((resolve, reject) => {
        const { pid, path, argv, env } = memory;
        const done = (fault: unknown, result: number) => {
          // The memory must not go before the call has come back.
          if (fault || memory.pid !== pid) reject(fault);
          else resolve(result);
        };
        spawn.async(pid, path, memory.actions, ownGroup ? own : shared, argv, env, done);
      }),
    endedChild: () => {
      ended.writeInt32LE(0, SIGNAL_PID_AT);
      waitid(ANY_CHILD, 0, ended, LOOK_ONLY);
      return ended.readInt32LE(SIGNAL_PID_AT);
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
function makeAttributes(find: Find, flags: number): Buffer {
  const attributes = Buffer.alloc(ATTRIBUTES_BYTES);
  // `sigfillset` leaves out the signals that the C library uses itself, which would then be ignored in the process.
  const all = Buffer.alloc(SIGNALS_BYTES, 0xff);
  find('posix_spawnattr_init', 'void *')(attributes);
  find('posix_spawnattr_setsigdefault', 'void *', 'void *')(attributes, all);
  find('posix_spawnattr_setsigmask', 'void *', 'void *')(attributes, Buffer.alloc(SIGNALS_BYTES));
  find('posix_spawnattr_setflags', 'void *', 'short')(attributes, flags);
  return attributes;
}
