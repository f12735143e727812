import { defined } from '../../core/defined.ts';
import type { KeepMetadata } from '../../core/entry-details.ts';
import type { Remote } from '../../core/remote.ts';
import type { WriteRanges } from '../../core/write-ranges.ts';
import type { Verb } from '../../engine/action.ts';
import type { PassContext, SyncOptions } from '../../engine/pass.ts';
import { openPasses } from '../../engine/passes/list.ts';
import { deleteBudget } from '../../engine/run-limits.ts';
import type { Invocation } from '../../shell/command-line/command.ts';
import { deleteLimits } from '../../shell/flags/delete-limits.ts';
import { refuseExcluded } from '../../shell/flags/exclusions.ts';
import type { Flags } from '../../shell/flags/flag-table.ts';
import { logText } from '../../shell/log/log-text.ts';
import { bearsFew, hashesAtOnce, requestsAtOnce } from '../remotes/remote-flags.ts';
import { keepMetadata } from './transfer-flags.ts';

/** The engine's options from the flags. Opens what they name; rejects with `usage` or `fatal` where flags contradict. */
export async function syncOptions(
  invocation: Invocation,
  verb: Verb,
  sides: Sides,
): Promise<SyncOptions> {
  const { flags, context, filter } = invocation;
  const { openDir, openPath } = invocation.remotes;
  const modes = ['before', 'during', 'after'] as const;
  const deletes = modes.find((when) => flags[`delete-${when}`]) ?? 'after';
  // One file is looked up where that matters, and nothing else is deleted.
  if (sides.isFile !== true) refuseExcluded({ name: verb }, invocation, 'tree');
  // A sync has to list the destination, unless the files are named.
  const isListed = (await filter()).fileList !== undefined;
  const noTraverse = flags['no-traverse'] && (verb !== 'sync' || isListed);
  if (flags['no-traverse'] && !noTraverse && sides.isFile !== true)
    context.emit(logText('error', 'Ignoring --no-traverse with sync'));
  const passes = await openPasses(flags, { verb, ...sides, context, filter, openDir, openPath });
  const seesAll = passes.some((pass) => pass.seesAll === true);
  const transform = passes.find((pass) => pass.transform !== undefined)?.transform;
  const duration = maxDurationMs(flags);
  const metadata = await mapped(invocation, keepMetadata(invocation), sides);
  return {
    checksum: flags.checksum,
    sizeOnly: flags['size-only'],
    ignoreTimes: flags['ignore-times'],
    ignoreSize: flags['ignore-size'],
    ignoreExisting: flags['ignore-existing'],
    existing: flags.existing,
    update: flags.update,
    immutable: flags.immutable,
    noUpdateModTime: flags['no-update-modtime'],
    noUpdateDirModTime: flags['no-update-dir-modtime'],
    modifyWindowNs: modifyWindowNs(flags),
    deletesSource: verb === 'move',
    noTraverse,
    noCheckDest: flags['no-check-dest'],
    noUnicodeNormalization: flags['no-unicode-normalization'],
    ignoreCaseSync: flags['ignore-case-sync'],
    deletes: verb !== 'sync' ? 'off' : seesAll ? 'after' : deletes,
    ignoreErrors: flags['ignore-errors'],
    deleteBudget: deleteBudget(...deleteLimits(flags, verb !== 'move')),
    maxTransfer: flags['max-transfer'] ?? -1,
    cutoffMode: flags['cutoff-mode'],
    // In a review the limit is that of its changes.
    ...(duration === undefined || flags['cutoff-mode'] === 'hard' || invocation.approval?.made
      ? {}
      : { deadline: context.clock.monotonic() + duration }),
    ...(flags.trash ? { keepsReplaced: true as const } : {}),
    createEmptySrcDirs: flags['create-empty-src-dirs'],
    deleteEmptySrcDirs: flags['delete-empty-src-dirs'],
    ignoreChecksum: flags['ignore-checksum'],
    ranges: writeRanges(flags),
    fastList: flags['fast-list'],
    serverSideAcrossConfigs: flags['server-side-across-configs'],
    ...defined({ metadata, transform }),
    maxBacklog: Math.max(1, flags['max-backlog']),
    refreshTimes: flags['refresh-times'],
    ...poolWidths(flags, sides),
    lowLevelRetries: flags['low-level-retries'],
    passes,
  };
}

/** With `--metadata-mapper`. */
async function mapped(
  { flags, context: { signal, emit } }: Invocation,
  keep: KeepMetadata | undefined,
  { source, dest }: Sides,
): Promise<KeepMetadata | undefined> {
  const { 'metadata-mapper': command } = flags;
  if (keep === undefined || !command) return keep;
  const [{ metadataMapper }, { splitCommand }, { dumpList }] = await Promise.all([
    import('./metadata-mapper.ts'),
    import('../../config/config-password.ts'),
    import('../../shell/log/dump-list.ts'),
  ]);
  const show = (text: string) => emit(logText('debug', text));
  const dump = dumpList(flags).has('mapper') ? show : undefined;
  const words = splitCommand(command);
  return { ...keep, map: metadataMapper({ words, source, dest, signal, dump }) };
}

/** `--multi-thread-cutoff`, where `off` is never, and `--multi-thread-streams`. */
function writeRanges(flags: Flags): WriteRanges {
  const from = flags['multi-thread-cutoff'];
  return {
    from: from < 0 ? Number.POSITIVE_INFINITY : from,
    count: flags['multi-thread-streams'],
  };
}

/** `--modify-window` in nanoseconds, at least one. */
export function modifyWindowNs(flags: Flags): bigint {
  const ms = flags['modify-window'];
  return ms === undefined ? 1n : BigInt(Math.max(1, Math.round(ms * 1e6)));
}

/** Object stores bear many requests at once from the start; with fewer, the program waits for those that are far. */
const FAR_STORES = 64;

/**
 * How many files are transferred and compared at once, at least one. Where bytes cross a network, waiting is
 * what takes time, so that more at once is faster, and how many are best is found out on the way; on a disk a few
 * are enough, but small files are copied in batches. For services of rclone's backends it is what these are made for,
 * and more small files wait, for which one request is enough.
 * What the user set stays.
 */
export function poolWidths(
  flags: Flags,
  { source, dest }: Sides,
): Pick<SyncOptions, 'transfers' | 'smallTransfers' | 'smallUpTo' | 'checkers' | 'adapts'> {
  const onDisk = source.traits.onDisk && dest.traits.onDisk;
  const isFew = bearsFew(source, dest);
  const smallUpTo = carriedUpTo({ source, dest });
  const isStore = ({ traits }: Remote) => traits.onDisk || traits.bucketBased;
  return {
    transfers: Math.max(1, flags.transfers ?? (onDisk || isFew ? 4 : 16)),
    ...(onDisk && flags.transfers === undefined ? { smallTransfers: 192 } : {}),
    ...(smallUpTo !== undefined && flags.transfers === undefined
      ? { smallTransfers: 128, smallUpTo }
      : {}),
    checkers: (flags.checksum ? hashesAtOnce : requestsAtOnce)(flags, source, dest),
    adapts: {
      transfers: !onDisk && !isFew && flags.transfers === undefined,
      checkers: !onDisk && !isFew && flags.checkers === undefined,
      far: isStore(source) && isStore(dest) ? FAR_STORES : undefined,
    },
  };
}

/** Up to which size another program copies files in groups; `undefined` if they pass through syncer. */
function carriedUpTo({ source, dest }: Sides): number | undefined {
  const [one, other] = [source.traits, dest.traits];
  const isCarried = [one, other].every(({ onDisk, carries }) => onDisk || carries !== undefined);
  return isCarried ? (one.carries ?? other.carries)?.smallUpTo : undefined;
}

/** `--max-duration`; `undefined` for no limit, as 0 and negative ones are in rclone. */
export function maxDurationMs({ 'max-duration': given = 0 }: Pick<Flags, 'max-duration'>) {
  return given > 0 ? given : undefined;
}

/** What a run goes between. */
type Sides = Pick<PassContext, 'source' | 'dest' | 'isFile' | 'isTwoWay'>;
