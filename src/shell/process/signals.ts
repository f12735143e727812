import { readFileSync } from 'node:fs';
import { SyncerError } from '../../core/errors.ts';

/**
 * Handles Ctrl-C and SIGTERM. The first aborts the returned signal, so that the run can clean up; the second ends the
 * process immediately. A hangup aborts too, unless the program was started by nohup, and is not counted: system, shell
 * and home screen may all send one when a terminal is closed. After a stop the size of the terminal is read again.
 * SIGUSR1 would open Node's debugger, SIGUSR2 end the process: neither does anything.
 *
 * @param exit ends the process immediately
 */
export function listenForSignals(
  process: Pick<NodeJS.Process, 'pid'> & {
    kill(pid: number, signal: NodeJS.Signals): unknown;
    on(signal: NodeJS.Signals, listener: () => void): unknown;
  },
  exit: (code: number) => void,
  ignoresIt: () => boolean = ignoresHangUp,
): AbortSignal {
  const controller = new AbortController();
  let isAsked = false;
  const end = (error: SyncerError) => {
    if (isAsked) exit(error.exit);
    isAsked = true;
    controller.abort(error);
  };
  process.on('SIGINT', () => end(new SyncerError('interrupted', 'stopped by Ctrl-C')));
  process.on('SIGTERM', () => end(new SyncerError('terminated', 'stopped by SIGTERM')));
  // Even a listener without effect keeps Node from ending.
  const isIgnored = ignoresIt();
  process.on('SIGHUP', () => {
    if (!isIgnored)
      controller.abort(new SyncerError('terminated', 'stopped: the terminal was closed'));
  });
  // Only the foreground job learns that its terminal has changed.
  process.on('SIGCONT', () => process.kill(process.pid, 'SIGWINCH'));
  for (const name of ['SIGUSR1', 'SIGUSR2'] as const) process.on(name, () => {});
  return controller.signal;
}

/**
 * Whether the program ignores SIGHUP: started by nohup(1), or from a script that ignores it. Node resets inherited
 * ignored signals before our code runs, so this is read from traces: the command in `$_`, the standard input that nohup
 * provides on a terminal (`/dev/null`, open for writing only), and the signals ignored by the parent, which its
 * children inherit.
 *
 * @param readProc reads a file of proc(5), by its path below `/proc`; throws if there is none
 */
export function ignoresHangUp(
  env = process.env,
  readProc = (path: string) => readFileSync(`/proc/${path}`, 'latin1'),
): boolean {
  if (/(^|\/)nohup$/.test(env['_'] ?? '')) return true;
  try {
    // The access mode of open(2): for writing only.
    const flags = /^flags:\s*([0-7]+)$/m.exec(readProc('self/fdinfo/0'))?.[1] ?? '0';
    if ((Number.parseInt(flags, 8) & 0o3) === 0o1) return true;
    const stat = readProc('self/stat');
    const [, parent, , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A new session, such as a terminal window, does not follow its parent.
    if (session === stat.slice(0, stat.indexOf(' '))) return false;
    const ignored = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readProc(`${parent}/status`))?.[1] ?? '0';
    // The lowest bit is that of SIGHUP.
    return (BigInt(`0x${ignored}`) & 1n) !== 0n;
  } catch {
    return false;
  }
}

/**
 * Ctrl-C reaches every program of the terminal: it is meant for the one that was started, not for the screen.
 * @returns makes it count here again
 */
export function holdInterrupts(): () => void {
  const listeners = process.listeners('SIGINT');
  process.removeAllListeners('SIGINT');
  const ignore = () => {};
  process.on('SIGINT', ignore);
  return () => {
    process.off('SIGINT', ignore);
    for (const listener of listeners) process.on('SIGINT', listener);
  };
}
