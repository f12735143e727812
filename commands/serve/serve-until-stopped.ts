import { once } from 'node:events';
import { timerMs } from '../../src/core/context.ts';
import { SyncerError } from '../../src/core/errors.ts';
import type { Emit } from '../../src/core/events.ts';
import {
  type ListenPlan,
  parseListenAddress,
  readTls,
} from '../../src/serve/listen/open-listeners.ts';
import type { CommandCall, Interruption } from '../../src/shell/command-line/command.ts';
import type { FlagsWith } from '../../src/shell/flags/flag-table.ts';
import { logText } from '../../src/shell/log/log-text.ts';
import { shownHead } from '../../src/shell/log/secret-fields.ts';
import type { SERVE_FLAGS } from './command.ts';

/** Where to listen, by the flags. Rejects with `usage`. */
export async function listenPlan(
  flags: FlagsWith<typeof SERVE_FLAGS>,
  emit: Emit,
): Promise<Required<Pick<ListenPlan, 'addresses' | 'tls'>>> {
  const given = flags.addr.length === 0 ? ['127.0.0.1:8080'] : flags.addr;
  const { cert, key, 'client-ca': clientCa, 'min-tls-version': minVersion } = flags;
  return {
    addresses: given.map(parseListenAddress),
    tls: await readTls({ cert, key, clientCa, minVersion }, (level, text) =>
      emit(logText(level, text)),
    ),
  };
}

/**
 * Waits for Ctrl-C or SIGTERM, then for running requests as long as `--drain-timeout`, and rejects with the reason.
 * @param announce called when the server can be used
 */
export async function serveUntilStopped(
  { flags, context, interruption }: CommandCall<typeof SERVE_FLAGS> & Interruption,
  server: { close(graceMs: number): Promise<void> },
  announce: () => void,
): Promise<void> {
  const signals = [interruption, context.signal];
  const stopped = signals.find(({ aborted }) => aborted);
  try {
    if (stopped === undefined) {
      announce();
      await Promise.race(signals.map((signal) => once(signal, 'abort')));
    }
  } finally {
    await server.close(timerMs(Math.max(flags['serve-drain-timeout'], 0)));
  }
  for (const signal of signals) signal.throwIfAborted();
}

/** Logs a line about the server itself. */
export function notice(emit: Emit, message: string): void {
  emit(logText('notice', message));
}

/** Logs a completed request of any protocol, and the failure of the server if it has one. */
export function logRequest(
  emit: Emit,
  report: Readonly<Record<'method' | 'url', string> & Record<'status' | 'tookMs', number>> & {
    readonly code?: string;
    readonly failure?: unknown;
  },
): void {
  const { method, url, status, code, tookMs, failure } = report;
  const request = shownHead(`${method} ${url}`);
  const what = `${request} ${status}${code ? ` ${code}` : ''} in ${tookMs.toFixed(1)} ms`;
  emit(logText('info', what));
  if (failure === undefined) return;
  const why = failure instanceof Error ? failure.message : String(failure);
  const error = new SyncerError('other', `${what}: ${why}`, { cause: failure });
  const fields = { text: error.message, error };
  emit({ type: 'log', level: 'error', code: 'message', fields });
}
