import type { ConfigFile } from '../../src/config/config-file.ts';
import { draftOf } from '../../src/config/dialogue/remote-summary.ts';
import { iniSections } from '../../src/config/ini-lines.ts';
import { kindOf } from '../../src/config/option-sources.ts';
import type { About } from '../../src/core/entry-details.ts';
import { hasCode, SyncerError, toSyncerError } from '../../src/core/errors.ts';
import type { Op, Remote } from '../../src/core/remote.ts';
import type { HomeRemote } from '../../src/run/home-entry.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';
import type { RemoteHealth } from '../../src/state/remote-health.ts';
import { openDraft, REMOTE_KINDS } from '../config/use.ts';

/** Time limit for the answer of a remote, in milliseconds. */
const ANSWER_MS = 5_000;

/**
 * Asks a remote with one request whether it works: for its space where it knows that, else for a page of its root; its
 * used space is then that of a scan.
 * Never rejects; a new login is not stored.
 */
export async function askRemote(
  invocation: Invocation,
  file: ConfigFile,
  { name, type }: HomeRemote,
  leaving: AbortSignal,
  scannedSize: (remote: Remote) => Promise<Partial<RemoteHealth> | undefined>,
): Promise<RemoteHealth> {
  const askedMs = invocation.context.clock.now();
  const signal = AbortSignal.any([leaving, AbortSignal.timeout(ANSWER_MS)]);
  try {
    const kind = kindOf(type, REMOTE_KINDS);
    const values = iniSections(await file.read()).get(name);
    if (kind === undefined || values === undefined) throw new SyncerError('config', 'not found');
    const draft = draftOf({ name, values }, kind);
    const { backend, params } = await openDraft(invocation, file, draft, signal, 1);
    const remote = await (await backend.load()).open(params);
    try {
      const { used, free, total } = await answerOf(remote, { signal });
      return {
        askedMs,
        ...(used === undefined ? await scannedSize(remote) : { used }),
        ...(free === undefined ? {} : { free }),
        ...(total === undefined ? {} : { total }),
      };
    } finally {
      await remote.close();
    }
  } catch (thrown) {
    const { message } = toSyncerError(thrown);
    const isOffline = signal.aborted || hasCode(thrown, 'network', 'unreachable', 'timed-out');
    return { askedMs, problem: message, ...(isOffline ? { isOffline } : {}) };
  }
}

async function answerOf(remote: Remote, op: Op): Promise<About> {
  const { about } = remote.can;
  if (about !== undefined) return about(op);
  await remote.listPage('', undefined, op);
  return {};
}
