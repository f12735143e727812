import { type ChildProcess, spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { goSignal } from './go-signal.ts';
import type { MakePipe } from './output-pipe.ts';

/** A process to be run. */
export interface ProcessPlan {
  readonly path: string;
  /** What the log calls it. */
  readonly shown: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Empty: the server's. */
  readonly workingDirectory: string;
  /** The process, with all it started, is killed after so many milliseconds; 0: never. */
  readonly timeoutMs: number;
  /** Takes what is written. */
  readonly onOutput: (chunk: Buffer) => void;
}

/** Between the request to end and the end by force, in milliseconds. */
const GRACE_MS = 5000;

/**
 * Runs a process without a shell and waits until all that hold its output have closed it. Resolves to what went
 * wrong, in Go's words; `undefined` where it ended with 0. Never rejects.
 */
export async function runProcess(
  plan: ProcessPlan,
  makePipe: MakePipe | undefined,
): Promise<string | undefined> {
  if (await isNoProgram(plan.path)) return startFailure(plan, { code: 'ENOEXEC' });
  let pipe: ReturnType<MakePipe> | undefined;
  let child: ChildProcess;
  try {
    pipe = makePipe?.();
    const end = pipe?.writeEnd ?? 'pipe';
    child = spawn(plan.path, plan.argv.slice(1), {
      argv0: plan.argv[0] ?? '',
      env: plan.env,
      ...(plan.workingDirectory && { cwd: plan.workingDirectory }),
      stdio: ['ignore', end, end],
      // A group of its own, so that all of it can be killed.
      detached: plan.timeoutMs > 0,
    });
  } catch (thrown) {
    pipe?.output.destroy();
    return startFailure(plan, thrown);
  } finally {
    pipe?.release();
  }
  const outputs: (Readable | null)[] = pipe ? [pipe.output] : [child.stdout, child.stderr];
  const watch = plan.timeoutMs > 0 ? killAfter(child, plan.timeoutMs) : undefined;
  const ended = endOf(child, plan);
  await Promise.all(outputs.map((output) => output && readAll(output, plan.onOutput)));
  const failure = await ended;
  watch?.stop();
  return watch?.fired()
    ? `timed out after ${plan.timeoutMs / 1000}s: ${failure ?? 'ended'}`
    : failure;
}

function endOf(child: ChildProcess, plan: ProcessPlan): Promise<string | undefined> {
  return new Promise((resolve) => {
    child.on('error', (thrown) => {
      if (child.pid === undefined) resolve(startFailure(plan, thrown));
    });
    child.on('exit', (code, signal) => {
      if (signal !== null) resolve(`signal: ${goSignal(signal)}`);
      else resolve(code === 0 ? undefined : `exit status ${code}`);
    });
  });
}

function readAll(output: Readable, onOutput: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve) => {
    output.on('data', onOutput);
    output.on('error', () => {});
    output.on('close', resolve);
  });
}

function killAfter(child: ChildProcess, ms: number): { stop(): void; fired(): boolean } {
  let fired = false;
  const kill = (signal: NodeJS.Signals) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // Nothing of the group is left.
    }
  };
  const timers = [
    setTimeout(() => {
      fired = true;
      kill('SIGTERM');
    }, ms),
    setTimeout(() => kill('SIGKILL'), ms + GRACE_MS),
  ];
  return { stop: () => timers.forEach(clearTimeout), fired: () => fired };
}

/** The C library gives such files to a shell, which webhook does not. */
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

const REASONS: Readonly<Record<string, string>> = {
  E2BIG: 'argument list too long',
  EACCES: 'permission denied',
  ENOENT: 'no such file or directory',
  ENOEXEC: 'exec format error',
  ENOTDIR: 'not a directory',
  ENOMEM: 'cannot allocate memory',
  EAGAIN: 'resource temporarily unavailable',
  EMFILE: 'too many open files',
  ETXTBSY: 'text file busy',
  ERR_INVALID_ARG_VALUE: 'invalid argument',
};

function startFailure({ shown }: ProcessPlan, thrown: unknown): string {
  const { code = '', message } = thrown as NodeJS.ErrnoException;
  return `fork/exec ${shown}: ${REASONS[code] ?? message}`;
}
