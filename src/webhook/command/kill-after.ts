import type { StartedProcess } from './process-starter.ts';

/** Milliseconds between TERM and KILL. */
const GRACE_MS = 5000;
/** Milliseconds to wait after that for a process that has left the group and holds the output. */
const ABANDON_MS = 1000;

/** After `ms` milliseconds, asks a process and its children to end, then kills them, then closes their output. */
export function killAfter(
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
  const steps: readonly (readonly [number, () => void])[] = [
    [
      ms,
      () => {
        fired = true;
        kill('SIGTERM');
      },
    ],
    [ms + GRACE_MS, () => kill('SIGKILL')],
    [ms + GRACE_MS + ABANDON_MS, () => void outputs.map((output) => output.destroy())],
  ];
  const timers = steps.map(([at, step]) => setTimeout(step, at));
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
