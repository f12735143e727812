import { SyncerError } from '../../src/core/errors.ts';
import { modTimeToMs } from '../../src/core/mod-time.ts';
import { type FileEntry, mostDeleted, type Op, type Remote } from '../../src/core/remote.ts';
import { joinPath, leafName } from '../../src/core/remote-path.ts';
import { counted, harmlessLine } from '../../src/core/shown-text.ts';
import { deleteFiles } from '../../src/engine/loss/delete-files.ts';
import type { Run } from '../../src/engine/run.ts';
import { createTaskPool } from '../../src/engine/task-pool.ts';
import { formatSize, formatSizeUnit } from '../../src/go/quantities.ts';
import { readAhead } from '../../src/listing/ordered-batches.ts';
import { versionPages } from '../../src/run/listing/open-listing.ts';
import { requestsAtOnce } from '../../src/run/remotes/remote-flags.ts';
import { runWithSum } from '../../src/run/transfer/run-attempts.ts';
import type {
  Asking,
  Changing,
  CommandCall,
  Remotes,
  StandardOutput,
  UnderConsent,
} from '../../src/shell/command-line/command.ts';
import { deleteBudget } from '../../src/shell/flags/delete-limits.ts';
import { cannotUse } from '../../src/shell/flags/exclusions.ts';
import { askNumber } from '../../src/shell/interactive/input-lines.ts';
import { localTime } from '../../src/terminal/time-texts.ts';
import type { VERSIONS_FLAGS } from './command.ts';

type VersionsNeeds = CommandCall<typeof VERSIONS_FLAGS> & Remotes & StandardOutput & Changing;

export async function versionsCommand(invocation: VersionsNeeds): Promise<void> {
  const [word, spec = ''] = invocation.args;
  const remote = await invocation.remotes.openDir(spec);
  if (word === 'prune') return pruneVersions(invocation, remote);
  if (word === 'restore') return restoreVersions(invocation, remote);
  return listVersions(invocation, remote);
}

/** `syncer versions ls`: a line for each version and delete marker, as they come. */
async function listVersions(
  invocation: CommandCall<typeof VERSIONS_FLAGS> & Remotes & StandardOutput,
  remote: Remote,
): Promise<void> {
  const { flags, out, context } = invocation;
  const isJson = flags['versions-json'];
  let isFirst = true;
  if (isJson) await out.write('[');
  for await (const page of versionPages(remote, await invocation.filter(), context)) {
    let text = '';
    for (const file of page) {
      const path = joinPath(remote.root, file.path);
      const { kind = 'current' } = file.kept ?? {};
      const isMarker = kind.endsWith('marker');
      if (isJson) {
        const record = {
          Path: path,
          Kind: kind,
          Size: file.size,
          ModTime: timeOf(file),
          ID: shownId(file),
          Tier: file.tier ?? '',
        };
        text += `${isFirst ? '' : ','}\n${JSON.stringify(record)}`;
        isFirst = false;
        continue;
      }
      const size = (isMarker ? '-' : formatSize(file.size)).padStart(9);
      const { modTime } = file;
      const shownTime = modTime === undefined ? '-' : localTime(modTimeToMs(modTime));
      const at = shownTime.padEnd('2026-11-20 13:54:57'.length);
      // The remote may be the file itself.
      const name = harmlessLine(file.path === '' ? leafName(path) : file.path);
      text += `${size}  ${at}  ${kind.padEnd(10)}  ${shownId(file)}  ${name}\n`;
    }
    await out.write(text);
  }
  if (isJson) await out.write(isFirst ? ']\n' : '\n]\n');
}

/** `syncer versions restore`: copies old versions onto their files. */
async function restoreVersions(invocation: VersionsNeeds, remote: Remote): Promise<void> {
  const { flags, out, consent } = invocation;
  const { restoreKept } = remote.can;
  const isOne = flags['versions-at'] === undefined;
  /** The version of the file that is named: a copy of it may come before it in the listing of the next attempt. */
  let one: FileEntry | undefined;
  /** Versions that the next attempt leaves. */
  const done = new Set<string>();
  let restored = 0;
  let equal = 0;
  const restore = async (run: Run) => {
    equal = 0;
    const width = requestsAtOnce(flags, remote);
    const pool = createTaskPool(width, width);
    for await (const file of one ? [one] : chosen(invocation, remote, run.op)) {
      if (isOne) one = file;
      if (file.kept?.kind === 'current') equal++;
      const name = `${file.path}\n${file.kept?.id}`;
      if (file.kept?.kind !== 'old' || done.has(name)) continue;
      await pool.add(async () => {
        const about = joinPath(remote.root, file.path);
        try {
          if (await run.mayChange({ do: 'other', words: 'restore', about, size: file.size })) {
            await restoreKept?.(file, run.op);
            restored++;
            const text = `Restored the version of ${timeOf(file)}`;
            run.log('info', about, 'message', { text });
          }
          done.add(name);
        } catch (thrown) {
          run.fail(thrown, about, 'copy');
        }
      });
    }
    await pool.idle();
  };
  await runWithSum(invocation, restore, async (failed) => {
    if (consent.how === 'pretend') return;
    const unchanged = equal === 0 ? '' : `; ${equal} unchanged since then`;
    await out.write(`Restored ${counted(restored, 'file')}${unchanged}${failed}\n`);
  });
}

/** With `--at` what each file was then, else the newest old version of the file that is named. Rejects with `usage`. */
async function* chosen(
  invocation: CommandCall<typeof VERSIONS_FLAGS> & Remotes,
  remote: Remote,
  op: Op,
): AsyncGenerator<FileEntry> {
  const { flags, beganMs } = invocation;
  const pages = versionPages(remote, await invocation.filter(), op);
  const age = flags['versions-at'];
  if (age !== undefined) {
    yield* versionsAt(pages, beganMs - age);
    return;
  }
  for await (const page of pages) {
    for (const file of page) {
      // What is below the path is no version of it.
      if (file.path !== '') {
        const text = 'name a file with old versions, or give --at for a directory';
        throw new SyncerError('usage', text);
      }
      if (file.kept?.kind !== 'old') continue;
      yield file;
      return;
    }
  }
  throw new SyncerError('file-not-found', `${remote.title} has no old version of this file`);
}

/** When a version was written. */
function timeOf({ modTime }: FileEntry): string {
  return modTime === undefined ? '-' : new Date(modTimeToMs(modTime)).toISOString();
}

/** Old versions and delete markers, and the bytes of the versions. */
interface Sum {
  versions: number;
  markers: number;
  bytes: number;
}

const nothing = (): Sum => ({ versions: 0, markers: 0, bytes: 0 });

/** `syncer versions prune`: deletes old versions for good. */
async function pruneVersions(invocation: VersionsNeeds, remote: Remote): Promise<void> {
  const rules = await rulesOf(invocation);
  const budget = deleteBudget(invocation.flags);
  await askForGood(invocation, remote, rules);
  let sum = nothing();
  const isDry = invocation.consent.how === 'pretend';
  const gone = ({ kept, size }: FileEntry) => {
    if (kept?.kind === 'old') sum.versions++;
    else sum.markers++;
    sum.bytes += size;
  };
  const prune = (run: Run) => {
    // Another attempt finds again what is only counted.
    if (isDry) sum = nothing();
    const doomed = doomedOf(invocation, remote, rules, run.op);
    return deleteVersions(run, remote, doomed, gone);
  };
  const done = isDry ? 'Would delete' : 'Deleted';
  await runWithSum(
    invocation,
    prune,
    (failed) => invocation.out.write(`${done} ${sumText(sum)}${failed}\n`),
    budget,
  );
}

/** Throws `usage` if nothing says which versions stay. */
async function rulesOf(
  invocation: CommandCall<typeof VERSIONS_FLAGS> & Remotes,
): Promise<PruneRules> {
  const { flags, beganMs: nowMs } = invocation;
  const { 'versions-keep': keep, 'versions-older-than': olderThanMs } = flags;
  if (keep === undefined && olderThanMs === undefined) {
    const text = 'versions prune needs --keep or --older-than; --keep 0 deletes all old versions';
    throw new SyncerError('usage', text);
  }
  if ((keep ?? 0) < 0) throw new SyncerError('usage', '--keep must not be negative');
  const filter = await invocation.filter();
  if (filter.needsMetadata === true) {
    throw cannotUse('filters for metadata', 'old versions', 'listings have no metadata');
  }
  return {
    keep: keep ?? 0,
    olderThanMs: olderThanMs ?? 0,
    nowMs,
    includes: (file) => filter.keepFile(file),
  };
}

async function* doomedOf(invocation: Remotes, remote: Remote, rules: PruneRules, op: Op) {
  const filter = await invocation.filter();
  // The filter decides about each version; what it excludes counts all the same, and keeps its marker.
  const everything = { ...filter, passesAll: true, needsMetadata: false };
  for await (const doomed of doomedVersions(versionPages(remote, everything, op), rules)) {
    if ('version' in doomed) yield doomed;
    else yield { markers: doomed.markers.filter(({ path }) => filter.keepPath(path)) };
  }
}

/** The guard `count`, and on a terminal the number of versions as it must be typed. */
async function askForGood(
  invocation: CommandCall<typeof VERSIONS_FLAGS> & Remotes & Asking & UnderConsent,
  remote: Remote,
  rules: PruneRules,
): Promise<void> {
  const { flags, consent, context } = invocation;
  if (consent.how === 'ask') return;
  const count = async () => {
    const found = { ...nothing(), examples: [] as FileEntry[] };
    for await (const doomed of doomedOf(invocation, remote, rules, context)) {
      if ('markers' in doomed) {
        found.markers += doomed.markers.length;
        continue;
      }
      found.versions++;
      found.bytes += doomed.version.size;
      const path = joinPath(remote.root, doomed.version.path);
      if (found.examples.length < 6) found.examples.push({ ...doomed.version, path });
    }
    return found;
  };
  if (flags.guard !== undefined) {
    const { countOf, refuseCount } = await import('../../src/run/guards/count-guard.ts');
    const counting = async () => {
      const { versions, examples } = await count();
      return { files: versions, examples };
    };
    await refuseCount(invocation, countOf(invocation.flags), counting, 'pruned');
  }
  if (consent.how !== 'all' || flags['allow-deletes'] !== undefined) return;
  await askNumber(invocation, async () => {
    const found = await count();
    const total = found.versions + found.markers;
    const text = `This deletes ${sumText(found)} of ${remote.title} for good.`;
    return { total, text };
  });
}

function sumText({ versions, markers, bytes }: Sum): string {
  const marked = markers === 0 ? '' : ` and ${counted(markers, 'delete marker')}`;
  return `${counted(versions, 'old version')} (${formatSizeUnit(bytes)})${marked}`;
}

/** Parallel requests of `mostDeleted` deletions each: more would wait for the listing. */
const BATCHES_AT_ONCE = 4;

/**
 * Deletes versions and markers for good, many in one request. A marker is deleted only after all versions below it: no
 * interruption makes an old version current. Errors are counted one by one.
 *
 * @param onGone gets what is gone, or would be with `--dry-run`
 */
export async function deleteVersions(
  run: Run,
  remote: Remote,
  doomed: AsyncIterable<Doomed>,
  onGone: (file: FileEntry) => void,
): Promise<void> {
  const size = run.consent.how === 'all' ? mostDeleted : 1;
  const nameOf = (file: FileEntry) => `${joinPath(remote.root, file.path)} (${shownId(file)})`;
  const each = (file: FileEntry) => {
    return { do: 'other', words: 'delete', about: nameOf(file), size: file.size } as const;
  };
  const deleted = new Set<FileEntry>();
  const became = (file: FileEntry, error?: unknown) => {
    if (error !== undefined) return run.fail(error, nameOf(file), 'delete');
    deleted.add(file);
    onGone(file);
  };
  const ask = { each };
  const rules = { areVersions: true, ask, nameOf, became, width: BATCHES_AT_ONCE } as const;
  let isWhole = true;
  for await (const part of readAhead(inParts(doomed, BATCHES_AT_ONCE * size))) {
    if (run.op.signal.aborted) return;
    deleted.clear();
    const versions = part.flatMap((one) => ('version' in one ? [one.version] : []));
    await deleteFiles(run, remote, [versions], rules);
    const markers: FileEntry[] = [];
    for (const one of part) {
      if ('version' in one) isWhole &&= deleted.has(one.version);
      else {
        if (isWhole) for (const marker of one.markers) markers.push(marker);
        isWhole = true;
      }
    }
    await deleteFiles(run, remote, [markers], rules);
  }
}

async function* inParts<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<readonly T[]> {
  let part: T[] = [];
  for await (const item of items) {
    part.push(item);
    if (part.length < size) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

/** The server's name of a version, without the key. */
export const shownId = ({ kept }: FileEntry): string => kept?.id.split('\n', 1)[0] ?? '';

/** Which old versions `versions prune` deletes. */
export interface PruneRules {
  /** How many old versions of each file stay, the newest. */
  readonly keep: number;
  /** Versions that were replaced or deleted less long ago stay, in milliseconds; 0: none for that. */
  readonly olderThanMs: number;
  readonly nowMs: number;
  /** Versions that the filter excludes stay. */
  readonly includes: (file: FileEntry) => boolean;
}

/** What is to be deleted: a version, or at the end of a file the markers that then hide nothing. */
export type Doomed = { readonly version: FileEntry } | { readonly markers: readonly FileEntry[] };

/**
 * What a listing of all versions (`Capabilities.listVersions`) has to delete. Never a current file, and never a marker
 * above a version that stays: that would be current again. `markers` come once for each file, also if there are none.
 */
export async function* doomedVersions(
  pages: AsyncIterable<readonly FileEntry[]>,
  { keep, olderThanMs, nowMs, includes }: PruneRules,
): AsyncGenerator<Doomed> {
  let name: string | undefined;
  let old = 0;
  let markers: FileEntry[] = [];
  /** Since when the next entry is no longer current. */
  let replacedMs: number | undefined;
  for await (const page of pages) {
    for (const file of page) {
      const { kept, modTime } = file;
      if (nameOf(file) !== name) {
        if (name !== undefined) yield { markers };
        [name, old, markers, replacedMs] = [nameOf(file), 0, [], undefined];
      }
      if (kept?.kind === 'old') {
        const isOld =
          olderThanMs <= 0 || (replacedMs !== undefined && replacedMs <= nowMs - olderThanMs);
        if (old++ >= keep && includes(file) && isOld) yield { version: file };
        else markers = [];
      } else if (kept?.kind !== 'current') markers.push(file);
      replacedMs = modTime === undefined ? undefined : modTimeToMs(modTime);
    }
  }
  if (name !== undefined) yield { markers };
}

/** Two keys can have one path: the name of the version then has the key. */
function nameOf({ path, kept }: FileEntry): string {
  return `${path}\n${kept?.id.split('\n', 2)[1] ?? ''}`;
}

/**
 * What each file was at a time: the newest entry that is not younger, and whether it is the current one. Files that
 * did not exist then are skipped.
 */
export async function* versionsAt(
  pages: AsyncIterable<readonly FileEntry[]>,
  atMs: number,
): AsyncGenerator<FileEntry> {
  let name: string | undefined;
  let isFound = false;
  for await (const page of pages) {
    for (const file of page) {
      if (nameOf(file) !== name) [name, isFound] = [nameOf(file), false];
      const { modTime } = file;
      if (isFound || modTime === undefined || modTimeToMs(modTime) > atMs) continue;
      isFound = true;
      yield file;
    }
  }
}
