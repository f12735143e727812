import { goSignal } from '../command/go-signal.ts';
import type { HookLog } from '../log/hook-log.ts';

/** Reads the hooks again on HUP and USR1, ends on TERM, INT and QUIT. */
export function listenForSignals(
  process: NodeJS.Process,
  log: HookLog,
  reload: () => void,
  exit: (code: number) => Promise<void>,
): void {
  for (const signal of ['SIGHUP', 'SIGUSR1'] as const) {
    process.on(signal, () => {
      log.line(`caught ${signal.slice(3)} signal`);
      reload();
    });
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      log.line(`caught ${goSignal(signal)} signal; exiting`);
      void exit(0);
    });
  }
  process.on('SIGUSR2', () => {});
  process.on('SIGQUIT', () => void exit(2));
}
