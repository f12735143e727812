import type { Invocation } from '../app/command.ts';
import { listRoot } from '../app/configure/wizard/list-root.ts';
import { transportOptions } from '../app/remotes/transport-options.ts';
import { parseRemoteSpec } from '../config/remote-spec.ts';
import { testResultText } from '../config-wizard/work.ts';
import { hasCode, toSyncerError } from '../core/errors.ts';
import type { Op, Remote } from '../core/remote.ts';
import { mayChange } from '../engine/change-guard.ts';
import { type CheckResult, failed, ok } from './check.ts';
import { connectionChecks } from './connection-checks.ts';
import { mendRemote } from './mend-remote.ts';
import { ownFileChecks } from './own-file-checks.ts';
import { writeChecks } from './write-checks.ts';

/** A remote, opened without a request, or why it cannot be. */
async function opened(
  { remotes }: Invocation,
  spec: string,
): Promise<{ readonly remote?: Remote; readonly result: CheckResult }> {
  try {
    const remote = await remotes.openDir(spec);
    return { remote, result: ok('config', remote.title) };
  } catch (thrown) {
    const mend = mendRemote(thrown, nameOf(spec));
    return { result: failed('config', toSyncerError(thrown).message, mend) };
  }
}

/** The checks of all remotes of the configuration that need no request. */
export async function* offlineChecks(
  invocation: Invocation,
  names: readonly string[],
): AsyncGenerator<CheckResult> {
  for (const name of names) {
    const { result } = await opened(invocation, `${name}:`);
    yield { ...result, check: name };
  }
}

/** The checks of one remote, with requests. */
export async function* remoteChecks(
  invocation: Invocation,
  spec: string,
): AsyncGenerator<CheckResult> {
  const { context, flags, env } = invocation;
  const { remote, result } = await opened(invocation, spec);
  yield result;
  if (remote === undefined) return;
  const name = nameOf(spec);
  const op: Op = { signal: context.signal };
  const { inspection } = remote.can;
  if (inspection !== undefined) {
    const { signal, clock, emit } = context;
    const transport = await transportOptions(flags, env, clock, emit);
    const place = { url: inspection.url, remote: name, transport, clock, signal };
    for await (const check of connectionChecks(place)) {
      yield check;
      // Everything else would fail for the same reason.
      if (check.check === 'connection' && check.verdict === 'failed') return;
    }
  }
  try {
    const text = testResultText(await listRoot(remote, op)).replace(/^Test passed: /, '');
    yield ok('list', text);
  } catch (thrown) {
    op.signal.throwIfAborted();
    yield failed('list', toSyncerError(thrown).message, mendRemote(thrown, name));
    if (!hasCode(thrown, 'access-denied')) return;
  }
  yield* ownFileChecks(remote, spec, context.clock.now(), op);
  if (inspection !== undefined) yield* inspection.findings(op);
  if (!flags['doctor-write']) return;
  const action = { do: 'other', words: 'write a file to', about: remote.title } as const;
  if (await mayChange(invocation, action)) yield* writeChecks(remote, op);
}

/** The name of the remote in the configuration; `''` for a path and for a connection string. */
function nameOf(spec: string): string {
  try {
    const { name } = parseRemoteSpec(spec);
    return name.startsWith(':') ? '' : name;
  } catch {
    return '';
  }
}
