import type { ConfigFile } from '../../src/config/config-file.ts';
import type { Draft } from '../../src/config/dialogue/draft.ts';
import { draftOf } from '../../src/config/dialogue/remote-summary.ts';
import { testResultText } from '../../src/config/dialogue/step.ts';
import { iniSections } from '../../src/config/ini-lines.ts';
import { kindOf } from '../../src/config/option-sources.ts';
import { defined } from '../../src/core/defined.ts';
import { hasCode, SyncerError, toSyncerError } from '../../src/core/errors.ts';
import type { Remote } from '../../src/core/remote.ts';
import type { HomeRemote, RemoteTest } from '../../src/run/home-entry.ts';
import type { CommandCall, Environment, Remotes } from '../../src/shell/command-line/command.ts';
import type { RemoteHealth } from '../../src/state/home.ts';
import { REMOTE_KINDS, withDraft, wizardWorks } from '../config/use.ts';

const ANSWER_MS = 5_000;

/**
 * Asks a remote with one request whether it works: for its space where it knows that, else for a page of its root; its
 * used space is then that of a scan.
 * Never rejects; a new login is not stored.
 */
export async function askRemote(
  invocation: CommandCall & Environment & Remotes,
  file: ConfigFile,
  { name }: HomeRemote,
  leaving: AbortSignal,
  scannedSize: (remote: Remote) => Promise<Partial<RemoteHealth> | undefined>,
): Promise<RemoteHealth> {
  const askedMs = invocation.context.clock.now();
  const signal = AbortSignal.any([leaving, AbortSignal.timeout(ANSWER_MS)]);
  try {
    const draft = await storedDraft(file, name);
    return await withDraft(invocation, file, draft, signal, 1, async (remote) => {
      const { about } = remote.can;
      if (about === undefined) await remote.listPage('', undefined, { signal });
      const { used, free, total } = (await about?.({ signal })) ?? {};
      const inUse = used === undefined ? await scannedSize(remote) : { used };
      return { askedMs, ...inUse, ...defined({ free, total }) };
    });
  } catch (thrown) {
    const { message } = toSyncerError(thrown);
    const isOffline = signal.aborted || hasCode(thrown, 'network', 'unreachable', 'timed-out');
    return { askedMs, problem: message, ...(isOffline ? { isOffline } : {}) };
  }
}

async function storedDraft(file: ConfigFile, name: string, signal?: AbortSignal): Promise<Draft> {
  const values = iniSections(await file.read(signal)).get(name) ?? new Map<string, string>();
  const kind = kindOf(values.get('type') ?? '', REMOTE_KINDS);
  if (kind === undefined) throw new SyncerError('config', 'unknown type');
  return draftOf({ name, values }, kind);
}

/** A test that takes longer has failed, in milliseconds. */
const PATIENCE_MS = 20_000;

/** Tests a remote of the configuration as the wizard does, by listing its root. Never rejects. */
export async function testRemote(
  invocation: CommandCall & Environment & Remotes,
  config: ConfigFile,
  name: string,
): Promise<RemoteTest> {
  const { signal } = invocation.context;
  const late = AbortSignal.timeout(PATIENCE_MS);
  try {
    const draft = await storedDraft(config, name, signal);
    const { test } = wizardWorks(invocation, config);
    const result = await test(draft, AbortSignal.any([signal, late]));
    return { works: true, text: testResultText(result) };
  } catch (thrown) {
    if (late.aborted) return { works: false, text: `no response within ${PATIENCE_MS / 1000} s` };
    const { message, advice } = toSyncerError(thrown);
    return { works: false, text: advice === undefined ? message : `${message}; ${advice}` };
  }
}
