import { SyncerError } from '../src/core/errors.ts';
import { ignoresHangUp } from '../src/shell/process/signals.ts';
import { runInstaller } from './run-installer.ts';

/** What asks the installer to end. */
const SIGNALS = [
  ['SIGINT', 'interrupted', 'interrupted by Ctrl-C'],
  ['SIGTERM', 'terminated', 'terminated by a signal'],
  ['SIGHUP', 'terminated', 'the terminal was closed'],
  ['SIGQUIT', 'terminated', 'terminated by a signal'],
] as const;

/** Runs the installer with the streams and signals of the process; resolves to the exit code. */
export async function startInstaller(process: NodeJS.Process): Promise<number> {
  const { argv, env, stdout, stderr } = process;
  // A closed output is no reason to stop half-way.
  for (const stream of [stdout, stderr]) stream.on('error', () => {});
  // The installer then undoes what it did, and further signals must not keep it from that: they are passed over.
  const controller = new AbortController();
  const isHangUpIgnored = ignoresHangUp();
  for (const [name, code, why] of SIGNALS) {
    process.on(name, () => {
      // Started by nohup it passes over hangups as well.
      if (name !== 'SIGHUP' || !isHangUpIgnored) controller.abort(new SyncerError(code, why));
    });
  }
  return runInstaller({
    argv: argv.slice(2),
    env,
    cwd: process.cwd(),
    get stdin() {
      return process.stdin;
    },
    stdout,
    stderr,
    signal: controller.signal,
  });
}
