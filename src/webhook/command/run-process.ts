import type { Readable } from 'node:stream';
import { goErrno } from '../../go/go-texts.ts';

/**
 * Runs a process without a shell and waits until all that hold its output have closed it. Resolves to what went
 * wrong, in Go's words; `undefined` where it ended with 0. Never rejects.
 */
export async function runProcess(
  plan: StartPlan & {
    /** What the log calls it. */
    readonly shown: string;
    /** Milliseconds until the process and its children are killed; 0: never. */
    readonly timeoutMs: number;
    /** Takes output as it is written; until the promise resolves no more is read. */
    readonly onOutput: (chunk: Buffer) => Promise<void> | undefined;
  },
  starter: ProcessStarter,
): Promise<string | undefined> {
  let child: StartedProcess;
  try {
    child = await starter.start(plan);
  } catch (thrown) {
    return `fork/exec ${plan.shown}: ${goErrno(thrown)}`;
  }
  const watch = plan.timeoutMs > 0 ? killAfter(child, plan.timeoutMs) : undefined;
  const closings = child.outputs.map((output) => {
    output.on('data', (chunk: Buffer) => {
      const taken = plan.onOutput(chunk);
      if (taken === undefined) return;
      output.pause();
      void taken.then(() => output.resume());
    });
    output.on('error', () => {});
    return new Promise((resolve) => output.on('close', resolve));
  });
  await Promise.all(closings);
  const { code, signal } = await child.ended;
  watch?.stop();
  const status = code === 0 ? undefined : `exit status ${code}`;
  const failure = signal === null ? status : `signal: ${goSignal(signal)}`;
  return watch?.fired()
    ? `timed out after ${plan.timeoutMs / 1000}s: ${failure ?? 'ended'}`
    : failure;
}

/** Milliseconds between TERM and KILL. */
const GRACE_MS = 5000;
/** Milliseconds to wait after that for a process that has left the group and holds the output. */
const ABANDON_MS = 1000;

/** After `ms` milliseconds, asks a process and its children to end, then kills them, then closes their output. */
function killAfter({ pid, outputs, ended }: StartedProcess, ms: number) {
  let fired = false;
  let isCollected = false;
  void ended.then(() => {
    isCollected = true;
  });
  const kill = (signal: NodeJS.Signals) => {
    // No process gets the number of a group that has members: if one has it now, the group is not ours.
    if (!isCollected || !signalTo(pid, 0)) signalTo(-pid, signal);
  };
  const timers = [
    setTimeout(() => {
      fired = true;
      kill('SIGTERM');
    }, ms),
    setTimeout(() => kill('SIGKILL'), ms + GRACE_MS),
    setTimeout(() => void outputs.map((output) => output.destroy()), ms + GRACE_MS + ABANDON_MS),
  ];
  return { stop: () => timers.forEach(clearTimeout), fired: () => fired };
}

/** Signals a process, or a group by its negative number. Returns whether there is one. */
function signalTo(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** A process to be started. Texts may hold any bytes, as `nameFromBytes` makes them. */
export interface StartPlan {
  /** Absolute, or with a `/` where the working directory is the server's. */
  readonly path: string;
  readonly argv: readonly string[];
  /** `NAME=value`, all of it. */
  readonly env: readonly string[];
  /** Empty: the server's. */
  readonly workingDirectory: string;
  /** A session, and so a group, of its own: all it starts can be killed with it. */
  readonly ownGroup: boolean;
  /** Its output, and when that ends, do not matter. */
  readonly outputUnwanted: boolean;
}

/** How a process ended: with a code or by a signal. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface StartedProcess {
  readonly pid: number;
  /** Its output; they end when the last writer has closed them. */
  readonly outputs: readonly Readable[];
  readonly ended: Promise<ProcessEnd>;
}

/** Starts processes with standard input from `/dev/null`. */
export interface ProcessStarter {
  /** Rejects with an error whose `code` is that of the system, or whose message names the step that failed. */
  start(plan: StartPlan): Promise<StartedProcess>;
  /** Number of queued starts. */
  readonly backlog: number;
  /** Resolves when another start can be queued; `undefined` if it can now. */
  room(): Promise<void> | undefined;
}

const NAMES: Readonly<Record<string, string>> = {
  SIGHUP: 'hangup',
  SIGINT: 'interrupt',
  SIGQUIT: 'quit',
  SIGILL: 'illegal instruction',
  SIGTRAP: 'trace/breakpoint trap',
  SIGABRT: 'aborted',
  SIGBUS: 'bus error',
  SIGFPE: 'floating point exception',
  SIGKILL: 'killed',
  SIGUSR1: 'user defined signal 1',
  SIGSEGV: 'segmentation fault',
  SIGUSR2: 'user defined signal 2',
  SIGPIPE: 'broken pipe',
  SIGALRM: 'alarm clock',
  SIGTERM: 'terminated',
};

/** A signal as Go names it. */
export const goSignal = (signal: NodeJS.Signals): string => NAMES[signal] ?? signal.toLowerCase();
