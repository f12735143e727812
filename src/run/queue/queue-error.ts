import { certificateFault, errorCode } from '../../backends/http/connection-error.ts';
import type { Clock } from '../../core/context.ts';
import { hasCode, SyncerError } from '../../core/errors.ts';
import type { QueueAddress } from './queue-address.ts';

/** A command that the user may not send, by itself or in a script; Redis before 7.2 says the latter in a sentence. */
const NOT_PERMITTED = /^NOPERM|ACL failure in script|The user executing the script can't/;

const PERMIT = 'does not permit a command';

/**
 * An error of the queue in words: `unreachable` (exit code 5) if it gave no response, `access-denied` for a login or a
 * command that it refuses, `no-space` if its memory or disk is full. The cause is left out: it has the command with its
 * arguments, which may be the password.
 */
export function queueError(thrown: unknown, { shown }: Pick<QueueAddress, 'shown'>): SyncerError {
  if (thrown instanceof SyncerError) return thrown;
  const { previousErrors } = (thrown ?? {}) as { readonly previousErrors?: readonly Error[] };
  // The server discards a transaction of which it refused a command: what it said about that.
  const error =
    previousErrors?.[0] ?? (thrown instanceof Error ? thrown : new Error(String(thrown)));
  const code = errorCode(error);
  const certificate = certificateFault(code);
  if (certificate !== undefined) {
    return unreachable(shown, `${certificate.why}; ${certificate.advice}`);
  }
  if (NOT_PERMITTED.test(error.message)) {
    return denied(shown, `${PERMIT}: ${reply(error)}`, {
      advice: `run: syncer doctor --queue ${shown}`,
    });
  }
  const [word = ''] = error.message.split(' ', 1);
  switch (word) {
    case 'NOAUTH':
      return denied(shown, 'requires a login; set SYNCER_QUEUE_PASSWORD');
    case 'WRONGPASS':
      return denied(shown, 'refuses the login; check the user and SYNCER_QUEUE_PASSWORD');
    case 'WRONGTYPE':
      return new SyncerError(
        'other',
        `the queue at ${shown} has a key that syncer has not written`,
        {
          advice: `end the run with: syncer stop RUN --queue ${shown}; or write another database into the address`,
        },
      );
    case 'OOM':
      return full(shown, 'its memory is full; raise maxmemory');
    case 'MISCONF':
      return full(shown, 'it cannot write to its disk; see its log');
    case 'READONLY':
      return unreachable(shown, 'it is a replica, which cannot be written to');
    default:
      if (/Unknown RESP type|Protocol error/.test(error.message)) {
        return new SyncerError('config', `${shown} is no Redis or Valkey server`, {
          advice: 'check the host and the port',
        });
      }
      return unreachable(shown, reasonOf(code, error, shown));
  }
}

/** Whether an error of `queueError` is of a command that the user may not send. */
export const isNotPermitted = ({ message }: SyncerError): boolean => message.includes(PERMIT);

const UNRESOLVED = 'the host cannot be resolved; check the name and your network';
const NO_ROUTE = 'no route to the host';

/** What codes of the system mean here. */
const REASONS: Readonly<Partial<Record<string, string>>> = {
  ECONNREFUSED: 'connection refused; is the server running?',
  ENOENT: 'there is no such socket; is the server running?',
  EACCES: 'permission denied for the socket',
  ENOTFOUND: UNRESOLVED,
  EAI_AGAIN: UNRESOLVED,
  EHOSTUNREACH: NO_ROUTE,
  ENETUNREACH: NO_ROUTE,
};

function reasonOf(code: string, error: Error, shown: string): string {
  const known = REASONS[code];
  if (known !== undefined) return known;
  const isTls = shown.startsWith('rediss:');
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    const why = isTls
      ? '; if the server requires a client certificate, pass it with --client-cert and --client-key'
      : '; a server with TLS needs rediss://';
    return `the connection was reset${shown.startsWith('unix:') ? '' : why}`;
  }
  if (/^ERR_SSL|^EPROTO/.test(code)) return 'it does not speak TLS; write redis:// without TLS';
  if (code === 'ETIMEDOUT' || /timed out|ETIMEDOUT/.test(error.message)) {
    return `no response in time${isTls ? '; if it has no TLS, write redis://' : ''}`;
  }
  if (error.name === 'MaxRetriesPerRequestError' || /connection is closed/i.test(error.message))
    return 'the connection was lost';
  return reply(error);
}

/** One line, and no more of it than names a command or a key. */
const reply = ({ message }: Error): string => (message.split('\n', 1)[0] ?? '').slice(0, 200);

function unreachable(shown: string, why: string): SyncerError {
  return new SyncerError('unreachable', `cannot reach the queue at ${shown}: ${why}`);
}

function denied(shown: string, why: string, more?: { readonly advice: string }): SyncerError {
  return new SyncerError('access-denied', `the queue at ${shown} ${why}`, more);
}

function full(shown: string, why: string): SyncerError {
  return new SyncerError('no-space', `the queue at ${shown} takes nothing: ${why}`);
}

/** The error of a run that the server does not know any more: `unreachable` (exit code 5). */
export function lostRun(run: string): SyncerError {
  return new SyncerError('unreachable', `the queue has lost run ${run}`, {
    advice: 'nothing more is deleted; run the same command again, and set appendonly yes',
  });
}

/** Sends a command, and again as long as the queue is away. It may be carried out more than once. */
export type Persistent = <T>(command: () => Promise<T>) => Promise<T>;

/** How long a run waits for a queue that is away, and between two attempts, in milliseconds. */
const [PATIENCE_MS, PAUSE_MS] = [60_000, 250];

/**
 * Commands of a run: a queue that is away for up to a minute is waited for. Rejects with the words for people, and with
 * the signal's reason. It is no retry of one command: all commands share the wait, which has an end and no number of
 * tries, and is reported once.
 *
 * @param tell told when the queue goes away, and when it is back
 */
export function persistent(
  address: QueueAddress,
  clock: Clock,
  signal: AbortSignal,
  tell: (text: string) => void = () => {},
): Persistent {
  // Commands that follow each other, as at the end of a run, share one minute.
  let awaySinceMs: number | undefined;
  return async (command) => {
    for (;;) {
      signal.throwIfAborted();
      try {
        const answer = await command();
        if (awaySinceMs !== undefined) tell('The queue answers again');
        awaySinceMs = undefined;
        return answer;
      } catch (thrown) {
        const error: SyncerError = queueError(thrown, address);
        if (!hasCode(error, 'unreachable')) throw error;
        const nowMs = clock.monotonic();
        if (awaySinceMs === undefined)
          tell(`${error.message}; waiting up to ${PATIENCE_MS / 1000} s`);
        awaySinceMs ??= nowMs;
        if (nowMs - awaySinceMs >= PATIENCE_MS) throw error;
        await clock.sleep(PAUSE_MS, signal);
      }
    }
  };
}
