import { innermost } from '../../core/around.ts';
import type { Context } from '../../core/context.ts';
import { SyncerError } from '../../core/errors.ts';
import type { PlaceIdentity } from '../../core/finding.ts';
import { modTimeToMs } from '../../core/mod-time.ts';
import type { Remote } from '../../core/remote.ts';
import type { CutoffMode } from '../../engine/sync-option-parts.ts';
import {
  hashedIdentity,
  type OwnView,
  QUEUE_PROTOCOL,
  type QueueLimits,
  type QueueVerb,
  type RunSpec,
  runDifferences,
} from '../../queue/run-spec.ts';
import type { Invocation } from '../command.ts';
import { FLAGS, type Flags } from '../flags/flag-table.ts';
import { VERSION } from '../version.ts';
import { refuseUnshared } from './refuse-with-queue.ts';
import { runWords } from './run-words.ts';

/** Both sides of a run, as this machine has opened them. */
interface OpenedSides {
  readonly source: Remote;
  readonly dest: Remote;
}

/**
 * The spec of a run that this command begins, with a look at the first object of the source. Rejects with `usage` for
 * places that many machines cannot share, and with the error of the look.
 */
export async function runSpecOf(
  { flags, args, context, runId }: Pick<Invocation, 'flags' | 'args' | 'context' | 'runId'>,
  verb: QueueVerb,
  sides: OpenedSides,
): Promise<RunSpec> {
  const [source = '', dest = ''] = args;
  const { first, ...view } = await ownView(flags, { source, dest }, sides, context);
  return {
    ...{ ...view, id: runId, verb, source, dest },
    limits: limitsOf(flags),
    first: first === null ? null : { key: first.key, etag: first.etag },
    begunMs: context.clock.now(),
  };
}

/**
 * Compares a run with what this machine would work on. Resolves to a sentence for each difference; to none if it may
 * work on the run.
 *
 * @param spec `isFirstGone`: objects of the source may be deleted by now
 * @param flags of this machine, parsed from the words of the run
 */
export async function differencesFrom(
  spec: RunSpec & { readonly isFirstGone?: boolean },
  flags: Flags,
  sides: OpenedSides,
  context: Context,
): Promise<readonly string[]> {
  try {
    const own = await ownView(flags, spec, sides, context);
    return runDifferences(spec, own, spec.isFirstGone);
  } catch (thrown) {
    context.signal.throwIfAborted();
    if (thrown instanceof SyncerError) return [thrown.message];
    throw thrown;
  }
}

async function ownView(
  flags: Flags,
  written: { readonly source: string; readonly dest: string },
  { source, dest }: OpenedSides,
  context: Context,
): Promise<OwnView> {
  refuseUnshared(source, written.source);
  refuseUnshared(dest, written.dest);
  return {
    ...{ protocol: QUEUE_PROTOCOL, version: VERSION, words: await runWords(flags, context) },
    places: {
      // Nothing is written there.
      source: hashedIdentity({ ...identityOf(source, written.source), writing: '' }),
      dest: hashedIdentity(identityOf(dest, written.dest)),
    },
    first: await firstOf(source, context),
  };
}

/** What a place is for all machines. Throws `usage` if that is not known. */
export function identityOf(remote: Remote, asWritten: string): PlaceIdentity {
  const identity = innermost(remote).can.inspection?.identity;
  if (identity === undefined) throw new SyncerError('usage', `"${asWritten}" cannot be shared`);
  return identity;
}

async function firstOf(source: Remote, { signal }: Context): Promise<OwnView['first']> {
  const page = await source.can.listTreePage?.('', undefined, { signal }, { most: 1 });
  const file = page?.entries.find((entry) => entry.kind === 'file');
  if (file?.kind !== 'file') return null;
  const { path: key, etag = '', storedTime } = file;
  const stored = storedTime === undefined ? {} : { storedMs: modTimeToMs(storedTime) };
  return { key, etag, ...stored };
}

function limitsOf(flags: Flags): QueueLimits {
  const { bwlimit, tpslimit, 'max-duration': maxDurationMs, 'max-delete': maxDelete } = flags;
  const { 'max-delete-size': maxDeleteBytes = -1, 'max-transfer': maxTransfer = -1 } = flags;
  const { 'cutoff-mode': cutoffMode, retries } = flags;
  return {
    ...(bwlimit === undefined ? {} : { bandwidth: bwlimit }),
    ...(tpslimit > 0 ? { requestsPerSecond: tpslimit } : {}),
    ...(maxDurationMs === undefined || maxDurationMs <= 0 ? {} : { maxDurationMs }),
    ...(typeof maxDelete !== 'number' || maxDelete < 0 ? {} : { maxDelete }),
    ...(maxDeleteBytes < 0 ? {} : { maxDeleteBytes }),
    ...(maxTransfer < 0 ? {} : { maxTransfer }),
    ...(cutoffMode === 'hard' ? {} : { cutoffMode: cutoffMode as CutoffMode }),
    ...(retries === FLAGS.retries.default ? {} : { retries }),
  };
}
