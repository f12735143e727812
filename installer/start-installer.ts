import { SyncerError } from '../src/core/errors.ts';
import { thisIgnoresHangUp } from '../src/shell/process/hang-up.ts';
import { runInstaller } from './run-installer.ts';

/** Runs the installer with the streams and signals of the process; resolves to the exit code. */
export async function startInstaller(process: NodeJS.Process): Promise<number> {
  const { argv, env, stdout, stderr } = process;
  // A closed output is no reason to stop half-way.
  for (const stream of [stdout, stderr]) stream.on('error', () => {});
  return runInstaller({
    argv: argv.slice(2),
    env,
    cwd: process.cwd(),
    get stdin() {
      return process.stdin;
    },
    stdout,
    stderr,
    signal: listenForSignals(process),
  });
}

/**
 * Aborts at the first signal that asks the installer to end. It then undoes what it did, and further signals must not
 * keep it from that: they are passed over. Started by nohup it passes over hangups as well.
 */
function listenForSignals(process: NodeJS.Process): AbortSignal {
  const controller = new AbortController();
  const end = (error: SyncerError) => {
    if (!controller.signal.aborted) controller.abort(error);
  };
  process.on('SIGINT', () => end(new SyncerError('interrupted', 'interrupted by Ctrl-C')));
  process.on('SIGTERM', () => end(new SyncerError('terminated', 'terminated by a signal')));
  const isIgnored = thisIgnoresHangUp();
  process.on('SIGHUP', () => {
    if (!isIgnored) end(new SyncerError('terminated', 'the terminal was closed'));
  });
  process.on('SIGQUIT', () => end(new SyncerError('terminated', 'terminated by a signal')));
  return controller.signal;
}
