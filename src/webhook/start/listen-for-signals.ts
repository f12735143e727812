import { goSignal } from '../command/go-signal.ts';
import type { HookLog } from '../log/hook-log.ts';

/** What signals bring about. */
interface SignalActions {
  readonly reload: () => void;
  /** Ends when what is going on is done. */
  readonly stop: () => Promise<void>;
  /** Ends at once. */
  readonly quit: (code: number) => void;
}

/** Reads the hooks again on HUP and USR1, stops on TERM and INT, at once on the second of them and on QUIT. */
export function listenForSignals(
  process: NodeJS.Process,
  log: HookLog,
  { reload, stop, quit }: SignalActions,
): void {
  let stopping = false;
  for (const signal of ['SIGHUP', 'SIGUSR1'] as const) {
    process.on(signal, () => {
      log.line(`caught ${signal.slice(3)} signal`);
      reload();
    });
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      log.line(`caught ${goSignal(signal)} signal; exiting`);
      if (stopping) quit(0);
      else void stop();
      stopping = true;
    });
  }
  process.on('SIGUSR2', () => {});
  process.on('SIGQUIT', () => quit(2));
}
