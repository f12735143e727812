import type { Readable } from 'node:stream';
import { goErrno } from '../../go/go-texts.ts';
import {
  goSignal,
  type ProcessEnd,
  type ProcessStarter,
  type StartedProcess,
  type StartPlan,
} from './process-starter.ts';

/** A process to be run. */
export interface ProcessPlan extends StartPlan {
  /** What the log calls it. */
  readonly shown: string;
  /** Milliseconds until the process and its children are killed; 0: never. */
  readonly timeoutMs: number;
  /** Takes output as it is written; until the promise resolves no more is read. */
  readonly onOutput: (chunk: Buffer) => Promise<void> | undefined;
}

/**
 * Runs a process without a shell and waits until all that hold its output have closed it. Resolves to what went
 * wrong, in Go's words; `undefined` where it ended with 0. Never rejects.
 */
export async function runProcess(
  plan: ProcessPlan,
  starter: ProcessStarter,
): Promise<string | undefined> {
  let child: StartedProcess;
  try {
    child = await starter.start(plan);
  } catch (thrown) {
    return `fork/exec ${plan.shown}: ${goErrno(thrown)}`;
  }
  const watch = plan.timeoutMs > 0 ? killAfter(child, plan.timeoutMs) : undefined;
  await Promise.all(child.outputs.map((output) => readAll(output, plan.onOutput)));
  const failure = failureOf(await child.ended);
  watch?.stop();
  return watch?.fired()
    ? `timed out after ${plan.timeoutMs / 1000}s: ${failure ?? 'ended'}`
    : failure;
}

function failureOf({ code, signal }: ProcessEnd): string | undefined {
  if (signal !== null) return `signal: ${goSignal(signal)}`;
  return code === 0 ? undefined : `exit status ${code}`;
}

function readAll(output: Readable, onOutput: ProcessPlan['onOutput']): Promise<void> {
  return new Promise((resolve) => {
    output.on('data', (chunk: Buffer) => {
      const taken = onOutput(chunk);
      if (taken === undefined) return;
      output.pause();
      void taken.then(() => output.resume());
    });
    output.on('error', () => {});
    output.on('close', resolve);
  });
}

/** Milliseconds between TERM and KILL. */
const GRACE_MS = 5000;
/** Milliseconds to wait after that for a process that has left the group and holds the output. */
const ABANDON_MS = 1000;

/** After `ms` milliseconds, asks a process and its children to end, then kills them, then closes their output. */
function killAfter(
  { pid, outputs, ended }: StartedProcess,
  ms: number,
): { stop(): void; fired(): boolean } {
  let fired = false;
  let isCollected = false;
  void ended.then(() => {
    isCollected = true;
  });
  const kill = (signal: NodeJS.Signals) => {
    // No process gets the number of a group that has members: if one has it now, the group is not ours.
    if (!isCollected || !signalTo(pid, 0)) signalTo(-pid, signal);
  };
  const end = () => {
    fired = true;
    kill('SIGTERM');
  };
  const abandon = () => void outputs.map((output) => output.destroy());
  const timers = [
    setTimeout(end, ms),
    setTimeout(() => kill('SIGKILL'), ms + GRACE_MS),
    setTimeout(abandon, ms + GRACE_MS + ABANDON_MS),
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
