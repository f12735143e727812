import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants as files } from 'node:fs';
import { open } from 'node:fs/promises';
import { Socket } from 'node:net';
import { constants } from 'node:os';
import { getSystemErrorName } from 'node:util';
import { nameToBytes } from '../../core/name-bytes.ts';
import { goErrno } from '../../go/go-texts.ts';
import { type CFunction, type Libc, loadLibc } from '../../system/libc.ts';
import type { ProcessEnd, ProcessStarter, StartedProcess, StartPlan } from './run-process.ts';

/** The best way to start processes that there is here. */
export async function openStarter({ on }: Pick<NodeJS.Process, 'on'>): Promise<ProcessStarter> {
  let calls: SpawnCalls;
  try {
    if (process.platform !== 'linux') return new NodeStarter();
    calls = findCalls(await loadLibc());
  } catch {
    // The C library cannot be reached, or lacks a function.
    return new NodeStarter();
  }
  const reaper = new ChildReaper(calls, process.pid === 1);
  on.call(process, 'SIGCHLD', () => reaper.reap());
  return new NativeStarter(calls, reaper);
}

/** Starts in other threads at the same time; more than the processors can do would not help. */
const MAX_STARTING = 3;
/** Queued starts before callers have to wait. */
const MAX_BACKLOG = 4096;
const DEV_NULL = Buffer.from('/dev/null\0');

/**
 * Starts processes with `posix_spawn`. Unlike Node's `spawn` it does not copy the tables of the server's memory, waits
 * in another thread, and passes arguments byte by byte.
 */
export class NativeStarter implements ProcessStarter {
  readonly #calls: SpawnCalls;
  readonly #reaper: ChildReaper;
  readonly #waiting: (() => void)[] = [];
  readonly #heldUp: (() => void)[] = [];
  #starting = 0;
  /** Takes the unwanted output of all processes. */
  #drain: number | undefined;

  constructor(calls: SpawnCalls, reaper: ChildReaper) {
    this.#calls = calls;
    this.#reaper = reaper;
  }

  get backlog(): number {
    return this.#waiting.length + this.#starting;
  }

  room(): Promise<void> | undefined {
    if (this.#waiting.length < MAX_BACKLOG) return undefined;
    return new Promise((resolve) => void this.#heldUp.push(resolve));
  }

  async start(plan: StartPlan): Promise<StartedProcess> {
    if (this.#starting < MAX_STARTING) this.#starting++;
    else await new Promise<void>((takePlace) => void this.#waiting.push(takePlace));
    try {
      if (plan.outputUnwanted) {
        if (this.#drain === undefined) {
          const { readEnd, writeEnd } = this.#calls.pipe();
          readerOf(readEnd).resume();
          this.#drain = writeEnd;
        }
        return { ...(await this.#spawn(plan, this.#drain)), outputs: [] };
      }
      const { readEnd, writeEnd } = this.#calls.pipe();
      try {
        return { ...(await this.#spawn(plan, writeEnd)), outputs: [readerOf(readEnd)] };
      } catch (thrown) {
        closeSync(readEnd);
        throw thrown;
      } finally {
        closeSync(writeEnd);
      }
    } finally {
      const takePlace = this.#waiting.shift();
      if (takePlace === undefined) this.#starting--;
      else takePlace();
      if (this.#waiting.length < MAX_BACKLOG) this.#heldUp.shift()?.();
    }
  }

  #spawn(plan: StartPlan, output: number) {
    const calls = this.#calls;
    const memory = spawnMemory(plan);
    const { actions, pid } = memory;
    return this.#reaper.watch(async () => {
      requireStep('prepare the start', calls.initActions(actions));
      try {
        requireStep('open /dev/null', calls.addOpen(actions, 0, DEV_NULL, files.O_RDONLY, 0));
        for (const standard of [1, 2]) {
          requireStep('redirect the output', calls.addDuplicate(actions, output, standard));
        }
        if (plan.workingDirectory !== '') {
          const failure = calls.addChdir(actions, memory.workingDirectory);
          requireStep(`chdir ${plan.workingDirectory}`, failure);
        }
        const failure = await calls.spawn(memory, plan.ownGroup);
        if (failure === 0) return pid[0] ?? 0;
        throw Object.assign(new Error(`posix_spawn: ${failure}`), {
          code: getSystemErrorName(-failure),
        });
      } finally {
        calls.freeActions(actions);
      }
    });
  }
}

/** Throws an error that names the step if its call returned an error number. */
function requireStep(step: string, failure: number): void {
  if (failure === 0) return;
  const code = getSystemErrorName(-failure);
  throw new Error(`${step}: ${goErrno({ code, message: code })}`);
}

function readerOf(descriptor: number): Socket {
  return new Socket({ fd: descriptor, readable: true, writable: false });
}

/**
 * Starts processes with Node if the C library is not available: bytes that are not UTF-8 become U+FFFD, and the two
 * outputs are read separately.
 */
class NodeStarter implements ProcessStarter {
  backlog = 0;

  /** A start blocks the server, and so the caller. */
  room(): undefined {
    return undefined;
  }

  async start({ path, argv, env, workingDirectory, ownGroup }: StartPlan): Promise<StartedProcess> {
    this.backlog++;
    try {
      // The C library gives such files to a shell, which webhook does not.
      if (await isNoProgram(path)) throw Object.assign(new Error(), { code: 'ENOEXEC' });
      const variables: Record<string, string> = Object.create(null);
      for (const pair of env) {
        const equals = pair.indexOf('=');
        variables[pair.slice(0, equals)] = pair.slice(equals + 1);
      }
      const child = spawn(path, argv.slice(1), {
        argv0: argv[0] ?? '',
        env: variables,
        ...(workingDirectory && { cwd: workingDirectory }),
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: ownGroup,
      });
      const { promise: ended, resolve } = Promise.withResolvers<ProcessEnd>();
      child.on('exit', (code, signal) => resolve({ code, signal }));
      await once(
        child.on('error', () => {}),
        'spawn',
      );
      return { pid: child.pid ?? 0, outputs: [child.stdout, child.stderr], ended };
    } finally {
      this.backlog--;
    }
  }
}

async function isNoProgram(path: string): Promise<boolean> {
  try {
    const file = await open(path);
    try {
      const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
      return !/^(?:\x7fELF|#!|MZ)/.test(buffer.toString('latin1'));
    } finally {
      await file.close();
    }
  } catch {
    // A program may be executable and not readable.
    return false;
  }
}

const SIGNALS = new Map(
  Object.entries(constants.signals).map(([name, number]) => [number, name as NodeJS.Signals]),
);

/**
 * Reports the ends of children that Node does not know, and leaves all others alone. As the first process of a
 * container it collects them too, like any init process.
 */
export class ChildReaper {
  readonly #calls: Pick<SpawnCalls, 'endedChild' | 'collect'>;
  readonly #isInit: boolean;
  readonly #waiting = new Map<number, (end: ProcessEnd) => void>();
  #starting = 0;

  constructor(calls: Pick<SpawnCalls, 'endedChild' | 'collect'>, isInit: boolean) {
    this.#calls = calls;
    this.#isInit = isInit;
  }

  /** Runs a start, which gives the number of the child. Gives with it the promise of the child's end. */
  async watch(start: () => Promise<number>): Promise<{ pid: number; ended: Promise<ProcessEnd> }> {
    this.#starting++;
    try {
      const pid = await start();
      const ended = new Promise<ProcessEnd>((resolve) => void this.#waiting.set(pid, resolve));
      // It may have ended before its number was known.
      this.#collect(pid);
      return { pid, ended };
    } finally {
      this.#starting--;
    }
  }

  /** Collects children that have ended: to be called on every SIGCHLD. */
  reap(): void {
    for (let pid = this.#calls.endedChild(); pid !== 0; pid = this.#calls.endedChild()) {
      if (this.#waiting.has(pid)) this.#collect(pid);
      else if (this.#isInit && this.#starting === 0) this.#calls.collect(pid);
      else {
        // It hides the others, and must be left to those who started it.
        for (const own of this.#waiting.keys()) this.#collect(own);
        return;
      }
    }
  }

  #collect(pid: number): void {
    const status = this.#calls.collect(pid);
    if (status === undefined) return;
    const signal = status & 0x7f;
    this.#waiting.get(pid)?.(
      signal === 0
        ? { code: (status >> 8) & 0xff, signal: null }
        : { code: null, signal: SIGNALS.get(signal) ?? (`SIG${signal}` as NodeJS.Signals) },
    );
    this.#waiting.delete(pid);
  }
}

/** More than the C libraries of Linux need for file actions (80 bytes). */
const ACTIONS_BYTES = 256;

/**
 * What a start needs in memory: to be kept until it is done. Texts end with a zero, and lists with `null`. Throws an
 * error with the code `EINVAL` for a text with a zero in it.
 */
function spawnMemory({ path, workingDirectory, argv, env }: StartPlan) {
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

const cString = (text: string): Buffer => nameToBytes(`${text}\0`);

/** The functions of the C library that starting processes needs. */
export interface SpawnCalls {
  /** The number of some child that has ended and was not collected; 0 where there is none. */
  readonly endedChild: () => number;
  /** Collects one child and gives its status; `undefined` where it still runs. */
  readonly collect: (pid: number) => number | undefined;
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
  readonly spawn: (memory: ReturnType<typeof spawnMemory>, ownGroup: boolean) => Promise<number>;
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
