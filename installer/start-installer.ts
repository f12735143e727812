import { runInstaller } from './run-installer.ts';
import { listenForSignals } from './show/listen-for-signals.ts';

/** Runs the installer with the streams and signals of the process; resolves to the exit code. */
export async function startInstaller(process: NodeJS.Process): Promise<number> {
  const { argv, env, stdout, stderr } = process;
  // Nobody reads any more: that is no reason to stop half-way.
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
