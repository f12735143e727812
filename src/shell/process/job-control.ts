import { closeSync, readdirSync, readFileSync } from 'node:fs';

/** The process as a job of a shell. */
export type JobControl = ReturnType<typeof jobControl>;

/** The part of the process that this needs. */
export type JobProcess = Pick<
  NodeJS.Process,
  'pid' | 'kill' | 'on' | 'once' | 'off' | 'prependListener' | 'listenerCount'
>;

/** The signals that end a process and can be caught; those of `listenForSignals` abort the run before. */
const DEADLY = [
  ...(['SIGQUIT', 'SIGUSR2', 'SIGALRM', 'SIGVTALRM', 'SIGPROF', 'SIGXCPU', 'SIGABRT'] as const),
  ...(['SIGTRAP', 'SIGSYS', 'SIGIO', 'SIGPWR', 'SIGSTKFLT'] as const),
];

/** The job of `process`. */
export function jobControl(process: JobProcess) {
  return {
    /** Whether the terminal belongs to this process; a background job must not touch it. */
    isForeground() {
      const [group, ofTerminal] = groupsOf(process.pid);
      return group !== undefined && group === ofTerminal;
    },
    /** Reads the size of the terminal: a job in the background does not learn that it has changed. */
    readSize: () => void process.kill(process.pid, 'SIGWINCH'),
    /** Stops the whole job as Ctrl-Z does; resolves when it continues. */
    async suspend() {
      const continued = new Promise<void>((resolve) => process.once('SIGCONT', () => resolve()));
      // The whole group: the shell may wait for a parent of this process.
      process.kill(0, 'SIGSTOP');
      await continued;
    },
    /** As if Ctrl-C had been pressed. */
    interrupt: () => void process.kill(process.pid, 'SIGINT'),
    /** As if Ctrl-\ had been pressed. */
    quit: () => void process.kill(process.pid, 'SIGQUIT'),
    /**
     * Calls `onStop` when the job is asked to stop, and `onContinue` when it continues; returns the function that ends
     * this.
     */
    listen(onStop: () => void, onContinue: () => void) {
      process.on('SIGTSTP', onStop).on('SIGCONT', onContinue);
      return () => void process.off('SIGTSTP', onStop).off('SIGCONT', onContinue);
    },
    /** Calls `listener` right before the process ends, also by a signal; returns the function that ends this. */
    atExit(listener: () => void) {
      const end = () => {
        process.off('exit', listener);
        for (const signal of DEADLY) process.off(signal, onSignal);
      };
      const onSignal = (signal: NodeJS.Signals) => {
        // Another listener keeps it from ending the process.
        if (process.listenerCount(signal) > 1) return;
        listener();
        end();
        process.kill(process.pid, signal);
      };
      // Before `leaveTerminal`.
      process.prependListener('exit', listener);
      for (const signal of DEADLY) process.on(signal, onSignal);
      return end;
    },
  };
}

/** The process group, and that of the terminal (proc(5), fields `pgrp` and `tpgid`). */
function groupsOf(pid: number): readonly (string | undefined)[] {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return [fields[2], fields[5]];
  } catch {
    // There is no /proc.
  }
  try {
    // Not at the top: every start would pay for it.
    const { execFileSync } = process.getBuiltinModule('node:child_process');
    const options = { encoding: 'latin1' as const, stdio: 'pipe' as const };
    return execFileSync('ps', ['-o', 'pgid=,tpgid=', '-p', String(pid)], options)
      .trim()
      .split(/\s+/);
  } catch {
    return [];
  }
}

/**
 * Must be called last. At exit, Node restores the terminal mode of its start. In the background that would stop the job
 * forever (SIGTTOU) or change a mode that the shell has set since. Closed descriptors are not restored, so a background
 * job closes every descriptor of a terminal.
 *
 * @param list the numbers of all open descriptors
 */
export function leaveTerminal({
  isInBackground = () => {
    const [group, ofTerminal] = groupsOf(process.pid);
    return Number(ofTerminal) > 0 && group !== ofTerminal;
  },
  list = (): readonly number[] => readdirSync('/dev/fd').map(Number),
  isTerminal = (descriptor: number) => process.getBuiltinModule('node:tty').isatty(descriptor),
  close = (descriptor: number) => closeSync(descriptor),
} = {}): void {
  // In this order: `node:tty` takes milliseconds to load.
  if (!isInBackground() || ![0, 1, 2].some(isTerminal)) return;
  for (const descriptor of list()) if (isTerminal(descriptor)) close(descriptor);
}
