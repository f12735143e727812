import { abortable, afterMs, type Context, linkedAbort } from '../../core/context.ts';
import { defined } from '../../core/defined.ts';
import type { KeepMetadata, Metadata } from '../../core/entry-details.ts';
import { SyncerError } from '../../core/errors.ts';
import type { Remote } from '../../core/remote.ts';
import type { Sides, Verb } from '../../engine/action.ts';
import type { SyncOptions } from '../../engine/pass.ts';
import { openPasses } from '../../engine/passes/list.ts';
import { ruleOptions } from '../../engine/rules/flags.ts';
import { createRunControl, type RunControl, stoppedBy } from '../../engine/run-control.ts';
import { tooLong } from '../../engine/run-limits.ts';
import type { ListingOptions, TransferWidths } from '../../engine/sync-option-parts.ts';
import type {
  CommandCall,
  Remotes,
  Steering,
  UnderConsent,
} from '../../shell/command-line/command.ts';
import { refuseExcluded } from '../../shell/flags/exclusions.ts';
import type { Flags } from '../../shell/flags/flag-table.ts';
import { logText } from '../../shell/log/log-text.ts';
import { bearsFew, hashesAtOnce, requestsAtOnce } from '../remotes/remote-flags.ts';

/** The engine's options from the flags. Opens what they name; rejects with `usage` or `fatal` where flags contradict. */
export async function syncOptions(
  invocation: CommandCall & Remotes,
  verb: Verb,
  sides: RunSides,
): Promise<SyncOptions> {
  const { flags, context, filter } = invocation;
  const { remotes } = invocation;
  const modes = ['before', 'during', 'after'] as const;
  const deletes = modes.find((when) => flags[`delete-${when}`]) ?? 'after';
  // One file is looked up where that matters, and nothing else is deleted.
  if (sides.isFile !== true) refuseExcluded({ name: verb }, invocation, 'tree');
  // A sync has to list the destination, unless the files are named.
  const isListed = (await filter()).fileList !== undefined;
  const noTraverse = flags['no-traverse'] && (verb !== 'sync' || isListed);
  if (flags['no-traverse'] && !noTraverse && sides.isFile !== true)
    context.emit(logText('error', 'Ignoring --no-traverse with sync'));
  const passes = await openPasses(flags, {
    verb,
    ...sides,
    context,
    filter,
    openDir: (spec) => remotes.openDir(spec),
    openPath: (spec) => remotes.openPath(spec),
  });
  const seesAll = passes.some((pass) => pass.seesAll === true);
  const transform = passes.find((pass) => pass.transform !== undefined)?.transform;
  const metadata = await mapped(invocation, keepMetadata(flags, context), sides);
  // Below 0: `off`.
  const cutoff = flags['multi-thread-cutoff'];
  return {
    // What differs.
    ...ruleOptions(flags),
    checksum: flags.checksum,
    sizeOnly: flags['size-only'],
    ignoreSize: flags['ignore-size'],
    noUpdateDirModTime: flags['no-update-dir-modtime'],
    refreshTimes: flags['refresh-times'],
    modifyWindowNs: modifyWindowNs(flags),
    deletesSource: verb === 'move',
    // How both sides are listed, and their names matched.
    noUnicodeNormalization: flags['no-unicode-normalization'],
    ignoreCaseSync: flags['ignore-case-sync'],
    fastList: flags['fast-list'],
    // How a file is copied.
    lowLevelRetries: flags['low-level-retries'],
    ignoreChecksum: flags['ignore-checksum'],
    ranges: { from: cutoff < 0 ? Infinity : cutoff, count: flags['multi-thread-streams'] },
    serverSideAcrossConfigs: flags['server-side-across-configs'],
    // What is deleted.
    deletes: verb !== 'sync' ? 'off' : seesAll ? 'after' : deletes,
    ignoreErrors: flags['ignore-errors'],
    ...(flags.trash ? { trash: true as const } : {}),
    // How much at all, and in parallel.
    maxTransfer: flags['max-transfer'] ?? -1,
    cutoffMode: flags['cutoff-mode'],
    ...poolWidths(flags, sides),
    maxBacklog: Math.max(1, flags['max-backlog']),
    // What the destination is asked for, and directories.
    noTraverse,
    noCheckDest: flags['no-check-dest'],
    createEmptySrcDirs: flags['create-empty-src-dirs'],
    deleteEmptySrcDirs: flags['delete-empty-src-dirs'],
    ...defined({ metadata, transform }),
    passes,
  };
}

/** With `--metadata-mapper`. */
async function mapped(
  { flags, context: { signal, emit } }: CommandCall,
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

/** `--modify-window` in nanoseconds, at least one. */
export function modifyWindowNs(flags: Flags): bigint {
  const ms = flags['modify-window'];
  return ms === undefined ? 1n : BigInt(Math.max(1, Math.round(ms * 1e6)));
}

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
): TransferWidths & Pick<ListingOptions, 'checkers' | 'adapts'> {
  const onDisk = source.traits.onDisk && dest.traits.onDisk;
  const isFew = bearsFew(source, dest);
  const [one, other] = [source.traits, dest.traits];
  const isCarried = [one, other].every(({ onDisk, carries }) => onDisk || carries !== undefined);
  // Up to which size another program copies files in groups.
  const smallUpTo = isCarried ? (one.carries ?? other.carries)?.smallUpTo : undefined;
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
      // They bear many requests at once from the start; with fewer, the program waits for those that are far.
      far: isStore(source) && isStore(dest) ? 64 : undefined,
    },
  };
}

/** What a run goes between. */
interface RunSides extends Sides {
  readonly isFile?: boolean;
  readonly isTwoWay?: true;
}

/** What `--metadata` and `--metadata-set` ask for; `undefined` without `--metadata`. Throws `usage`. */
export function keepMetadata(flags: Flags, context: Context): KeepMetadata | undefined {
  const set = readMetadataSet(flags['metadata-set']);
  if (flags.metadata) return { set };
  if (Object.keys(set).length > 0)
    context.emit(logText('notice', 'Ignoring --metadata-set as --metadata is not set'));
  return undefined;
}

/** Reads `key=value` texts; keys are in lower case, of two with one key the last counts. Throws `usage`. */
export function readMetadataSet(texts: readonly string[]): Metadata {
  const pairs = texts.map((text): [string, string] => {
    const equals = text.indexOf('=');
    if (equals < 0)
      throw new SyncerError('usage', `failed to parse '${text}' as metadata key=value`);
    return [text.slice(0, equals).toLowerCase(), text.slice(equals + 1)];
  });
  return Object.fromEntries(pairs);
}

/** `--max-duration` of a run: at its end every wait ends with `max-duration`. */
export interface TimeLimit {
  readonly control: RunControl | undefined;
  /** With `hard` its signal ends the run; with the other modes `control` does, when running transfers are finished. */
  readonly context: Context;
  /** Waits for what comes before the run: opening paths, other runs. */
  until<T>(work: Promise<T>): Promise<T>;
  /** The run is over: forget the limit. */
  end(): void;
}

/** Starts the time of a run; in a review that is as its changes begin. */
export function startTimeLimit(
  invocation: CommandCall & Steering & Partial<UnderConsent>,
): TimeLimit {
  const { context, control, flags, consent } = invocation;
  const { 'max-duration': ms = 0 } = flags;
  // As in rclone.
  if (ms <= 0) return { context, control, until: (work) => work, end: () => {} };
  const deadline = new AbortController();
  const { signal } = deadline;
  const abort = () => deadline.abort(tooLong());
  const made = consent?.how === 'collect' ? consent.plan.made : undefined;
  let end = made === undefined ? afterMs(ms, abort) : () => {};
  let isOver = false;
  void made?.then(() => {
    if (!isOver) end = afterMs(ms, abort);
  });
  const limit = {
    until: <T>(work: Promise<T>) => abortable(work, signal),
    end() {
      isOver = true;
      end();
    },
  };
  if (flags['cutoff-mode'] !== 'hard') {
    return { ...limit, context, control: stoppedBy(control ?? createRunControl(() => {}), signal) };
  }
  const ofRun = linkedAbort(context.signal, signal).signal;
  return { ...limit, context: { ...context, signal: ofRun }, control };
}
