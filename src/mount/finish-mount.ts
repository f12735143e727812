import { setTimeout as sleep } from 'node:timers/promises';
import { logText } from '../app/log/log-text.ts';
import type { Context } from '../core/context.ts';
import { SyncerError, toSyncerError } from '../core/errors.ts';
import type { Session } from '../fuse/session/session.ts';
import type { Vfs } from '../vfs/vfs.ts';

/** How often to check for files that are still being written, in milliseconds. */
const LOOK_EVERY_MS = 50;

/** What ending a mount needs. */
export interface EndingMount {
  readonly fileSystem: Pick<Vfs, 'state' | 'drain' | 'close'>;
  readonly session: Pick<Session, 'ended' | 'writers' | 'settled' | 'stop'>;
  readonly mountPoint: string;
  readonly context: Pick<Context, 'emit'>;
  /** Time limit, in milliseconds. */
  readonly drainMs: number;
  /** Detaches the mount. */
  unmount(): Promise<void>;
}

/**
 * Ends a mount within `drainMs`: pending uploads first, then the mount, then the files that are still being written
 * or closed. What is not uploaded by then is in the journal of the cache.
 *
 * @param how `gone`: it is unmounted already; `unmount`: the mount first
 */
export async function finishMount(
  how: 'gone' | 'unmount' | 'drain-and-unmount',
  { fileSystem, session, mountPoint, context, drainMs, unmount }: EndingMount,
): Promise<void> {
  const limit = new AbortController();
  const timer = setTimeout(
    () => limit.abort(new SyncerError('timed-out', 'timed out waiting for pending uploads')),
    Math.min(drainMs, 2 ** 31 - 1),
  );
  const op = { signal: limit.signal };
  const over = new Promise<void>((resolve) => {
    limit.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const attempt = async (work: Promise<void>) => {
    try {
      await work;
    } catch (thrown) {
      tellFailure(thrown, mountPoint, context);
    }
  };
  try {
    if (how === 'drain-and-unmount') await Promise.race([attempt(fileSystem.drain(op)), over]);
    if (how !== 'gone') {
      await unmount();
      await Promise.race([session.ended, writersDone(session, limit.signal), over]);
    }
    await Promise.race([session.settled(), over]);
    session.stop();
    await attempt(fileSystem.close(op));
  } finally {
    clearTimeout(timer);
  }
  tellPending(fileSystem, mountPoint, context);
}

async function writersDone(session: EndingMount['session'], signal: AbortSignal): Promise<void> {
  while (session.writers() > 0 && !signal.aborted) await sleep(LOOK_EVERY_MS);
}

function tellFailure(thrown: unknown, mountPoint: string, { emit }: Pick<Context, 'emit'>): void {
  const error = toSyncerError(thrown);
  if (error.code === 'timed-out') return;
  const fields = { text: `${mountPoint}: ${error.message}`, error };
  emit({ type: 'log', level: 'error', code: 'message', fields });
}

function tellPending(
  fileSystem: EndingMount['fileSystem'],
  mountPoint: string,
  { emit }: Pick<Context, 'emit'>,
): void {
  const { uploadsWaiting, uploadsRunning, uploadsFailed } = fileSystem.state();
  const left = uploadsWaiting + uploadsRunning + uploadsFailed;
  if (left === 0) return;
  const message = `${mountPoint}: ${left} files are not uploaded yet; the next mount of the same remote resumes them`;
  emit(logText('notice', message));
}
