import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { COMPILED_CACHE } from './compiled-cache.ts';

/** How a run of the program ended. */
export interface Ended {
  /** The exit number; `null` where a signal killed it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  /** Standard error as text. */
  readonly stderr: string;
}

/** What a run of the program is given. */
interface RunOptions {
  readonly cwd?: string;
  /** Added to the environment of the world, or taken from it by `undefined`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Standard input; empty where absent; `open`: only what `write` is given comes, and it does not end. */
  readonly input?: string | Uint8Array | { readonly open: true };
  /** A program with arguments that runs the words that follow them: `setpriv …`. */
  readonly through?: readonly string[];
  /** `run` starts the program as a process, as `start` does. */
  readonly inOwnProcess?: boolean;
}

/** `through` for a program in a terminal of its own, which gets what `write` is given as keys. */
export const IN_TERMINAL = ['sh', '-c', 'TERM=xterm exec script -qec "$*" /dev/null', 'sh'];

/** A started program that was not waited for. */
export interface Running {
  readonly pid: number;
  /** What it has written so far. */
  readonly seen: { readonly stdout: string; readonly stderr: string };
  /** Writes to its standard input, which was started `open`. */
  write(input: string): void;
  /** Ends it. */
  end(): void;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
}

/** A place for runs of the program with a home, a configuration and an environment of its own. */
export interface SyncerWorld {
  /** An empty folder for the test's files, the working directory of runs. */
  readonly dir: string;
  /** The configuration file; not there until a test writes it. */
  readonly config: string;
  /**
   * Runs the program to its end: inside the test's process, at a third of the cost, unless the test is about the
   * process and says so. A mount owns its process: it sees to signals and to its end itself.
   */
  run(args: readonly string[], options?: RunOptions): Promise<Ended>;
  /** Starts the program as a process of its own. */
  start(args: readonly string[], options?: RunOptions): Running;
  /** Ends the programs that still run, as after a failed test, and removes it all. */
  remove(): Promise<void>;
}

const root = resolve(import.meta.dirname, '../..');

/** The program from its source; the bundle in `dist` with `SYNCER_TEST_DIST=1`. */
export const PROGRAM =
  process.env['SYNCER_TEST_DIST'] === '1'
    ? join(root, 'dist/syncer.js')
    : join(root, 'src/main.ts');

/** How a world runs the program. */
export interface WorldOptions {
  /** Each `run` starts a process, as all tests of the world are about it. */
  readonly inOwnProcess?: boolean;
}

/** Makes a world. A test removes it when it is done. */
export async function makeSyncerWorld(options: WorldOptions = {}): Promise<SyncerWorld> {
  const base = await mkdtemp(join(tmpdir(), 'syncer-test-'));
  const dir = join(base, 'work');
  const home = join(base, 'home');
  await Promise.all([mkdir(dir), mkdir(home)]);
  const config = join(base, 'syncer.conf');
  const worldEnv = {
    PATH: process.env['PATH'],
    TZ: 'UTC',
    LC_ALL: 'C.UTF-8',
    HOME: home,
    SYNCER_CONFIG: config,
    NODE_NO_WARNINGS: '1',
    ...COMPILED_CACHE,
  };
  const children = new Set<ChildProcess>();
  const start = (args: readonly string[], options: RunOptions = {}): Running => {
    const env = { ...worldEnv, ...options.env };
    return startProgram(args, { cwd: dir, ...options, env }, children);
  };
  return {
    dir,
    config,
    start,
    run: (args, how = {}) =>
      (how.inOwnProcess ?? options.inOwnProcess ?? args[0] === 'mount') || how.through !== undefined
        ? start(args, how).ended
        : runHere(args, { cwd: dir, ...how, env: { ...worldEnv, ...how.env } }),
    async remove() {
      const ends = [...children].map((child) => once(child, 'exit'));
      // In order: a mount is unmounted. One that is stopped continues for that.
      for (const signal of ['SIGTERM', 'SIGCONT'] as const)
        for (const child of children) child.kill(signal);
      await Promise.all(ends);
      leaveWorld();
      await rm(base, { recursive: true, force: true });
    },
  };
}

const ZONE = process.env['TZ'];
/** The working directories of the runs inside this process that go on. */
const runsIn: string[] = [];

/**
 * Runs the program inside this process, whose working directory and time zone are the world's until `leaveWorld`.
 * Throws if another run goes on in another directory: one of them needs a process.
 */
async function runHere(
  args: readonly string[],
  { cwd, env, input }: RunOptions & { readonly cwd: string },
): Promise<Ended> {
  const { runForBytes } = await import('./run-in-process.ts');
  const other = runsIn.find((dir) => dir !== cwd);
  if (other !== undefined) throw new Error(`a run goes on in ${other}, another one is in ${cwd}`);
  process.chdir(cwd);
  process.env['TZ'] = env?.['TZ'];
  const given = typeof input === 'string' || input instanceof Uint8Array ? { input } : {};
  runsIn.push(cwd);
  try {
    return { ...(await runForBytes(args, env ?? {}, given)), signal: null };
  } finally {
    runsIn.splice(runsIn.indexOf(cwd), 1);
  }
}

function leaveWorld(): void {
  process.chdir(root);
  if (ZONE === undefined) delete process.env['TZ'];
  else process.env['TZ'] = ZONE;
}

/** @param children has the program while it runs */
function startProgram(
  args: readonly string[],
  options: RunOptions,
  children: Set<ChildProcess>,
): Running {
  const { cwd, env, input = '', through = [] } = options;
  const [command = process.execPath, ...words] = [...through, process.execPath, PROGRAM, ...args];
  const child = spawn(command, words, { cwd, env });
  if (child.pid !== undefined) children.add(child);
  child.once('exit', () => children.delete(child));
  const seen = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    seen.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    seen.stderr += chunk;
  });
  child.stdin.on('error', () => {});
  if (typeof input === 'string' || input instanceof Uint8Array) child.stdin.end(input);
  const finished = new Promise<Pick<Ended, 'code' | 'signal'>>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
  const ended = Promise.all([finished, buffer(child.stdout), buffer(child.stderr)]).then(
    ([how, stdout, stderr]) => ({ ...how, stdout, stderr: stderr.toString() }),
  );
  return {
    pid: child.pid ?? 0,
    seen,
    write: (text) => void child.stdin.write(text),
    end: () => void child.stdin.end(),
    kill: (signal) => void child.kill(signal),
    ended,
  };
}
