import { join } from 'node:path';
import { openReviewScreen } from '../../components/open.ts';
import { formatRemoteSpec } from '../../src/config/remote-spec.ts';
import { hasCode, SyncerError } from '../../src/core/errors.ts';
import { formatRfc3339NanoUtc } from '../../src/core/mod-time.ts';
import { compareNames, foldName } from '../../src/core/name-order.ts';
import type { Op, Remote } from '../../src/core/remote.ts';
import {
  isWithin,
  joinPath,
  LINK_SUFFIX,
  linkPathOf,
  parentPath,
  shownRemote,
} from '../../src/core/remote-path.ts';
import { counted, firstNames } from '../../src/core/shown-text.ts';
import { inReview, type Run } from '../../src/engine/run.ts';
import { createTaskPool } from '../../src/engine/task-pool.ts';
import {
  findRun,
  type HistoryEntry,
  isPath,
  listHistory,
  pathRuns,
  runPhrase,
  runsFolder,
  storedPathOf,
} from '../../src/run/history/list-history.ts';
import { isOfDir, keyOf, movesIn, type NotUndone } from '../../src/run/journal/decide-undo.ts';
import { type DirLine, fileOf, type PlaceLine } from '../../src/run/journal/journal-line.ts';
import { filesOfMoves } from '../../src/run/journal/moved-dir.ts';
import {
  journalDamage,
  knownOld,
  type RunChange,
  type RunChanges,
  readChanges,
} from '../../src/run/journal/read-run.ts';
import { listEntries } from '../../src/run/presence/list-entries.ts';
import { reviewed } from '../../src/run/review/reviewed.ts';
import type { ReviewNeeds } from '../../src/run/review/run-review.ts';
import { runAttempts } from '../../src/run/transfer/run-attempts.ts';
import { syncOptions } from '../../src/run/transfer/sync-options.ts';
import type {
  Changing,
  CommandCall,
  Environment,
  Remotes,
  StandardOutput,
} from '../../src/shell/command-line/command.ts';
import { deleteBudget } from '../../src/shell/flags/delete-limits.ts';
import { cannotUse } from '../../src/shell/flags/exclusions.ts';
import { logText } from '../../src/shell/log/log-text.ts';
import { ChangeUndoer, type Undone } from './change-undoer.ts';
import { PlacesNow } from './places-now.ts';

export const undoCommand = (invocation: ReviewNeeds) =>
  reviewed(invocation, { title: 'undo', show: openReviewScreen }, runUndo);

const WORDS: Readonly<Record<NotUndone, string>> = {
  changed: 'Left as it is: changed since the run',
  blocked: 'Left as it is: a directory of that name is there',
  'below-file': 'Not restored: a file has the name of its directory',
  gone: 'Not restored: its old content is not kept',
  needed: 'Left as it is: it has the old content of a path that was not restored',
};

/**
 * Undoes a run, or its changes at the given paths, as far as they still fit. Rejects with `plan-outdated` if something
 * has changed since and was left, with `file-not-found` if old content is gone, with `directory-not-found` or
 * `bucket-not-found` if a place of the run does not exist.
 */
export async function runUndo(
  invocation: CommandCall & Environment & Remotes & StandardOutput & Changing,
): Promise<void> {
  const { args, env, flags, context, remotes } = invocation;
  const [typed = '', ...paths] = args;
  const entry = await runOf(invocation, typed);
  if (entry.undoneBy !== undefined)
    context.emit(logText('notice', `Already undone by ${entry.undoneBy}`, entry.id));
  // Also in another container, whose processes cannot be seen.
  const { stores } = invocation;
  const isKnown = entry.isRunning || entry.past !== undefined;
  const listed = isKnown ? [] : await listEntries({ stores, env }).catch(() => []);
  if (entry.isRunning || listed.some((run) => run.id === entry.id))
    throw new SyncerError('usage', `the run ${entry.id} is not finished; stop it first`);
  const { places, changes, dirs, damage } = await changesOf(entry, env);
  const filter = await invocation.filter();
  if (filter.needsMetadata === true) {
    throw cannotUse('filters for metadata', 'syncer undo', 'the journal has no metadata');
  }
  const cleaned = paths.map((path) => path.replace(/\/+$/, ''));
  const chosen = changes.filter((change) => {
    const { path, from } = change;
    const isAt = (each: string) => isWithin(each, path) || (from && isWithin(each, from.path));
    if (paths.length > 0 && !cleaned.some(isAt)) return false;
    if (isOfDir(change)) return filter.keepDir(path);
    // By its path, size and time before or after the run.
    const mark = knownOld(change) ?? change.done?.new ?? change.new ?? { size: -1 };
    return filter.keepFile(fileOf(path, mark));
  });
  const budget = deleteBudget(flags);
  const known = {
    moveOf: movesIn(chosen),
    filesOf: filesOfMoves(changes),
    chosen: new Set(chosen),
  };
  if (chosen.length === 0) {
    const where = paths.length === 0 ? 'what the filter includes' : paths.join(', ');
    const text = `the run ${entry.id} changed nothing at ${where}`;
    const advice = `"syncer history ${entry.id}" lists its changes`;
    throw new SyncerError('usage', text, { advice });
  }
  let undone: Undone | undefined;
  const undo = async (attempt: Run) => {
    const now = new PlacesNow(remotes, places);
    await refuseMissingPlaces(now, { places, changes }, chosen, attempt.op);
    const first = await now.remote(chosen[0]?.place ?? 0);
    const sides = { source: first, dest: first, isFile: true };
    const options = await syncOptions(invocation, 'move', sides);
    // The times of roots that the run did not change: the undo may create its trash in them.
    const roots: DirLine[] = [];
    for (const place of new Set(chosen.map((change) => change.place))) {
      if (dirs.some((line) => line.place === place && line.dir === '')) continue;
      const time = await now.rootTime(place, attempt.op);
      if (time !== undefined) roots.push({ place, dir: '', time: formatRfc3339NanoUtc(time) });
    }
    await tellMetadata(attempt, now, chosen);
    let result: Undone | undefined;
    await inReview(attempt, async (run) => {
      now.lookAgain();
      const force = flags['force-undo'];
      const undoer = new ChangeUndoer({ run, places: now, options, force, ...known });
      for (const batch of batches(inUndoOrder(chosen))) {
        if (run.op.signal.aborted || run.isStopping()) break;
        const pool = createTaskPool(options.transfers, batch.length);
        for (const change of batch) await pool.add(() => undoer.undo(change));
        await pool.idle();
      }
      result = undoer.result;
      // A review says before what will be left.
      for (const { name, text } of run.consent.how === 'collect' ? leftTexts(result, places) : []) {
        const error = new SyncerError('plan-outdated', `${name}: ${text}`);
        context.emit({ type: 'error', error });
      }
      const { restored, deleted } = result;
      // The user may have declined everything.
      if (run.consent.how !== 'ask' || restored + deleted > 0)
        await undoer.finish([...roots, ...dirs]);
    });
    if (result === undefined) return;
    // What is left is what the last attempt left.
    const { restored, deleted } = result;
    undone = {
      ...result,
      restored: restored + (undone?.restored ?? 0),
      deleted: deleted + (undone?.deleted ?? 0),
    };
  };
  try {
    await runAttempts(invocation, undo, budget);
  } finally {
    // What was left is named also if something else failed.
    for (const { name, text } of undone ? leftTexts(undone, places) : [])
      context.emit(logText('notice', text, name));
    if (undone && !flags['dry-run'] && !flags.review) {
      const { restored, deleted } = undone;
      const done = [`${counted(restored, 'file')} restored`, `${counted(deleted, 'file')} deleted`];
      for (const [why, noun, text] of LEFT) {
        const count = leftFor(undone, why);
        if (count > 0) done.push(`${counted(count, noun)} ${text}`);
      }
      await invocation.out.write(`${entry.id}: ${done.join(', ')}\n`);
    }
  }
  if (undone === undefined) return;
  const nameOf = (change: RunChange) => shownPath(change, places);
  refuseLeft(undone, ['changed since the run and was', 'changed since the run and were'], nameOf);
  const lost = [...undone.left].flatMap(([change, why]) => (why === 'gone' ? [change] : []));
  if (lost.length > 0) throw new SyncerError('file-not-found', goneText(lost, places));
  if (damage !== undefined) throw damage;
}

function leftTexts({ left }: Undone, places: readonly PlaceLine[]) {
  return [...left]
    .map(([change, why]) => {
      const isDir = change.dir === true && why === 'gone';
      const text = isDir ? 'Not restored: what was in it is not kept' : WORDS[why];
      return { name: shownPath(change, places), text };
    })
    .sort((a, b) => compareNames(a.name, b.name));
}

function shownPath({ path, place }: RunChange, places: readonly PlaceLine[]): string {
  return path === '' ? (places[place]?.title ?? path) : path;
}

/** The run that `typed` names. Throws `usage` for a path, with the runs that changed it. */
async function runOf(
  invocation: CommandCall & Environment & Remotes,
  typed: string,
): Promise<HistoryEntry> {
  const entries = await listHistory(invocation);
  const isRun = entries.some(({ id }) => id.endsWith(typed));
  if (isRun || !isPath(typed)) return findRun(typed, entries);
  const at = storedPathOf(await invocation.remotes.openDir(typed));
  const nowMs = invocation.context.clock.now();
  const phrases: string[] = [];
  for await (const { entry } of pathRuns(invocation, at, entries)) {
    if (phrases.push(runPhrase(entry, nowMs)) === 3) break;
  }
  const text = `"${typed}" is not a run`;
  if (phrases.length === 0) {
    const none = 'and none whose changes are kept has changed this path';
    throw new SyncerError('usage', `${text}, ${none}`);
  }
  throw new SyncerError('usage', `${text}; it was last changed by ${phrases.join(', ')}`, {
    advice: `"syncer history ${typed}" shows what they did`,
  });
}

/** Reports metadata that a disk does not keep: what was moved from a store to a disk comes back without. */
async function tellMetadata(run: Run, now: PlacesNow, chosen: readonly RunChange[]): Promise<void> {
  const told = new Set<Remote>();
  for (const { place, kept } of chosen) {
    if (kept?.in !== 'place') continue;
    const sides = [kept.place, place].map((number) => now.remote(number));
    // A place that cannot be opened is reported with its changes.
    const [from, to] = await Promise.all(sides).catch(() => []);
    if (from?.traits.onDisk !== true || to === undefined) continue;
    if (to.traits.onDisk === true || told.has(to)) continue;
    told.add(to);
    const text = `Files come back from ${from.title} without the content types and metadata that they had here`;
    run.log('notice', to.title, 'message', { text });
  }
}

/** How many changes were left for a reason. */
export function leftFor({ left }: Undone, why: NotUndone): number {
  return [...left.values()].filter((each) => each === why).length;
}

/** What the summary says of changes that were left. */
const LEFT: readonly (readonly [why: NotUndone, noun: string, text: string])[] = [
  ['changed', 'file', 'left, changed since'],
  ['blocked', 'file', 'left, a directory is there'],
  ['below-file', 'file', 'left, a file is in the way'],
  ['needed', 'file', 'left, with old content'],
  ['gone', 'path', 'not kept'],
];

/**
 * Throws if something is in the way of what was to be restored.
 *
 * @param changed what happened to one path, and to many, that have other content
 */
export function refuseLeft(
  { left }: Undone,
  changed: readonly [one: string, many: string],
  nameOf: (change: RunChange) => string,
): void {
  const was = ['was', 'were'] as const;
  const reasons = [
    ['changed', changed, '', '--force replaces them, and keeps them in the trash'],
    ['blocked', was, ': a directory of that name is there', 'rename the directory and try again'],
    ['below-file', was, ': a file has the name of the directory', 'rename the file and try again'],
  ] as const;
  for (const [wanted, [one, many], why, advice] of reasons) {
    const names = [...left].flatMap(([change, of]) => (of === wanted ? [nameOf(change)] : []));
    if (names.length === 0) continue;
    const what = `${counted(names.length, 'path')} ${names.length === 1 ? one : many} left`;
    const shown = firstNames(names.sort(compareNames));
    throw new SyncerError('plan-outdated', `${what}${why} (${shown})`, { advice });
  }
}

function goneText(lost: readonly RunChange[], places: readonly PlaceLine[]): string {
  const byTrash = Map.groupBy(lost, ({ place, kept }) => {
    if (kept?.in !== 'trash') return '';
    const at = places[place];
    const { name, root: path } = at?.trash ?? at ?? { name: '', root: '' };
    const root = formatRemoteSpec({ name: shownRemote(name), overrides: new Map(), path });
    return /^(.*?\d{8}-\d{6}-[^/]+)\//.exec(`${root}/${kept.path}`)?.[1] ?? '';
  });
  return [...byTrash]
    .map(([where, { length }]) => {
      const what = `the old content of ${counted(length, 'path')}`;
      return where === ''
        ? `${what} is not kept: --trash keeps it`
        : `${what} was in ${where}, and is not there as it was kept`;
    })
    .join('; ');
}

async function changesOf(
  entry: HistoryEntry,
  env: NodeJS.ProcessEnv,
): Promise<RunChanges & { readonly damage: SyncerError | undefined }> {
  const { id, words, sum } = entry;
  const changes = await readChanges(join(runsFolder(env), id));
  const what = changes && journalDamage(changes, sum);
  const isShared = words.some((word) => /^--queue(?:=|$)/.test(word));
  const text =
    what === undefined
      ? `the run ${id} was shared by several machines: what the others did was not undone`
      : `the journal of the run ${id} is damaged (${what}): what it does not say was not undone`;
  const isWhole = what === undefined && !isShared;
  const damage = isWhole ? undefined : new SyncerError('plan-outdated', text);
  // Without its place a change is not known to be of any remote.
  const isKnown = (place = 0) => changes?.places[place] !== undefined;
  const known = changes?.changes.filter(
    ({ place, from }) => isKnown(place) && (from === undefined || isKnown(from.place)),
  );
  if (changes && known && known.length > 0) return { ...changes, changes: known, damage };
  if (damage !== undefined) throw damage;
  throw new SyncerError(
    'usage',
    `the run ${id} changed nothing, or its changes are no longer kept`,
  );
}

/** Changes that can be undone in parallel: of files, each path once. One of a directory waits for those before it. */
function* batches(changes: Iterable<RunChange>): Generator<readonly RunChange[]> {
  let batch: RunChange[] = [];
  let taken = new Set<string>();
  let isAlone = false;
  for (const change of changes) {
    const { from, kept } = change;
    const isDir = isOfDir(change);
    // A backup that the run made is needed until it is restored.
    const others = [...(from ? [from] : []), ...(kept?.in === 'place' ? [kept] : [])];
    // Names that may be those of one file: in other letters, or of a link that is shown as a file.
    const keys = [change, ...others].map(
      ({ place, path }) =>
        `${place}\n${foldName(path.endsWith(LINK_SUFFIX) ? linkPathOf(path) : path)}`,
    );
    if (batch.length > 0 && (isAlone || isDir || keys.some((key) => taken.has(key)))) {
      yield batch;
      batch = [];
      taken = new Set();
    }
    batch.push(change);
    for (const key of keys) taken.add(key);
    isAlone = isDir;
  }
  if (batch.length > 0) yield batch;
}

/**
 * Rejects with `directory-not-found` or `bucket-not-found` if a place of the chosen changes does not exist, or is an
 * empty directory of a disk without the trash that the run left in it: its disk is not mounted. A place that the run
 * itself has deleted or moved is created again by the undo, and one that it has created need not exist.
 */
async function refuseMissingPlaces(
  now: PlacesNow,
  { places, changes }: Pick<RunChanges, 'places' | 'changes'>,
  chosen: readonly RunChange[],
  op: Op,
): Promise<void> {
  // The directories that the run deleted or moved, with their remotes.
  const removed = changes.flatMap(({ place, path, do: deed, dir, from }) => {
    const isRemoval = deed === 'remove-dir' || (deed === 'delete' && dir === true);
    const gone = isRemoval ? { place, path } : dir === true ? from : undefined;
    const line = gone && places[gone.place];
    return line ? [{ name: line.name, root: joinPath(line.root, gone.path) }] : [];
  });
  const wanted = new Set(chosen.flatMap(({ place, from }) => [place, from?.place ?? place]));
  for (const place of wanted) {
    const { name = '', root = '' } = places[place] ?? {};
    if (removed.some((each) => each.name === name && isWithin(each.root, root))) continue;
    // A place that the run has created: without it, all that the run did there is undone.
    const isCreation = ({ do: deed, ...at }: RunChange) =>
      deed === 'make-dir' && at.path === '' && at.place === place;
    if (changes.some(isCreation)) continue;
    const remote = await now.remote(place);
    const { onDisk } = remote.traits;
    let isEmpty = false;
    try {
      const { entries, cursor } = await remote.listPage('', undefined, op);
      isEmpty = entries.length === 0 && cursor === undefined;
    } catch (thrown) {
      // The undo reports other errors for each path.
      if (!hasCode(thrown, 'bucket-not-found', 'directory-not-found')) continue;
      const advice = `${onDisk ? 'mount its disk or ' : ''}create it, and try again`;
      const text = `nothing undone: ${remote.title} does not exist`;
      throw new SyncerError(thrown.code, text, { advice });
    }
    if (!isEmpty || !onDisk) continue;
    const inTrash = chosen.find((each) => each.place === place && each.kept?.in === 'trash')?.kept;
    if (inTrash?.in !== 'trash') continue;
    const trash = await now.trashOf(place);
    if ((await trash.stat(inTrash.path, op)) !== undefined) continue;
    throw new SyncerError('directory-not-found', `nothing undone: ${remote.title} is empty`, {
      advice: 'mount its disk, and try again',
    });
  }
}

/**
 * Changes in the order in which they are undone: the last one first. What was created below the name of a file that the
 * run deleted was noted before, if both were under way at the same time, and is undone before the file is restored. What
 * is restored from such a file is restored before.
 */
function inUndoOrder(changes: readonly RunChange[]): readonly RunChange[] {
  const freed = new Map<string, number>();
  for (const { n, do: deed, place, path, from, dir } of changes) {
    if (deed === 'delete' && dir !== true) freed.set(`${place}\n${path}`, n);
    if (deed === 'move' && dir !== true && from) freed.set(`${from.place}\n${from.path}`, n);
  }
  const whenMade = ({ n, do: deed, place, path }: RunChange) => {
    if (deed !== 'create' && deed !== 'make-dir' && deed !== 'move') return n;
    let at = n;
    for (let dir = deed === 'make-dir' ? path : parentPath(path); dir !== ''; dir = parentPath(dir))
      at = Math.max(at, (freed.get(`${place}\n${dir}`) ?? 0) + 0.5);
    return at;
  };
  const later = new Map<string, number>();
  for (const change of changes) {
    const at = whenMade(change);
    if (at > change.n) later.set(keyOf(change), at);
  }
  const timed = changes.map((change) => {
    const { kept } = change;
    const source = kept?.in === 'place' ? later.get(keyOf(kept)) : undefined;
    const at = source === undefined ? change.n : source + 0.1;
    return { change, at: Math.max(at, later.get(keyOf(change)) ?? 0) };
  });
  return timed.sort((a, b) => b.at - a.at || b.change.n - a.change.n).map(({ change }) => change);
}
