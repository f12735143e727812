import { hasCode, SyncerError } from '../../src/core/errors.ts';
import { modTimeToMs } from '../../src/core/mod-time.ts';
import { OWN_NAMES } from '../../src/core/own-names.ts';
import type { FileEntry, Remote } from '../../src/core/remote.ts';
import { leafName, parentPath } from '../../src/core/remote-path.ts';
import { runTimeMs } from '../../src/core/run-id.ts';
import { counted, harmlessJson, harmlessLine } from '../../src/core/shown-text.ts';
import { deleteFiles, destroyVersions } from '../../src/engine/loss/delete-files.ts';
import { lose } from '../../src/engine/loss/lose.ts';
import { purgeEmptied } from '../../src/engine/loss/purge-root.ts';
import type { Run } from '../../src/engine/run.ts';
import { createTaskPool } from '../../src/engine/task-pool.ts';
import { formatSize, formatSizeUnit } from '../../src/go/quantities.ts';
import { countOf, guardError, isAllowed, refuseCount } from '../../src/run/guards/count-guard.ts';
import type { NotUndone } from '../../src/run/journal/decide-undo.ts';
import type { RunChange } from '../../src/run/journal/read-run.ts';
import { withPlaces } from '../../src/run/presence/with-places.ts';
import { requestsAtOnce } from '../../src/run/remotes/remote-flags.ts';
import { runWithSum } from '../../src/run/transfer/run-attempts.ts';
import { syncOptions } from '../../src/run/transfer/sync-options.ts';
import type {
  Asking,
  Changing,
  CommandCall,
  Environment,
  Remotes,
  StandardOutput,
  UnderConsent,
} from '../../src/shell/command-line/command.ts';
import { deleteBudget } from '../../src/shell/flags/delete-limits.ts';
import { askNumber, canAsk } from '../../src/shell/interactive/input-lines.ts';
import { logText } from '../../src/shell/log/log-text.ts';
import { addGone } from '../../src/state/runs.ts';
import { localTime } from '../../src/terminal/time-texts.ts';
import { ChangeUndoer, leftFor, refuseLeft, type Undone } from '../undo/use.ts';
import type { TRASH_FLAGS } from './command.ts';
import {
  allBelow,
  type ChosenTrash,
  chooseTrash,
  nothingChosen,
  refusePart,
  type TrashedFile,
  withMarkers,
} from './read-trash.ts';

type TrashNeeds = CommandCall<typeof TRASH_FLAGS> &
  Environment &
  Remotes &
  StandardOutput &
  Changing;

export async function trashCommand(invocation: TrashNeeds): Promise<void> {
  const [word, spec = ''] = invocation.args;
  const remote = await invocation.remotes.openDir(spec);
  if (word === 'restore') return restoreTrash(invocation, remote);
  if (word === 'empty') return emptyTrashOf(invocation, remote);
  return listTrash(invocation, remote);
}

/** `syncer trash ls`: a line for each file, the newest run first. */
export async function listTrash(
  invocation: CommandCall<typeof TRASH_FLAGS> & Environment & Remotes & StandardOutput,
  remote: Remote,
): Promise<void> {
  const { flags, out } = invocation;
  const chosen = await chooseTrash(invocation, remote);
  const { files } = chosen;
  if (flags['trash-json']) {
    const records = files.map((file) => {
      const { runId, why, old, kept, stored } = file;
      const ms = stored?.modTime === undefined ? undefined : modTimeToMs(stored.modTime);
      const record = {
        Path: nameOf(file),
        Size: old.size,
        ModTime: old.time ?? (ms === undefined ? null : new Date(ms).toISOString()),
        Run: runId,
        RunTime: new Date(runTimeMs(runId)).toISOString(),
        Change: why ?? null,
        Kept: kept.in,
        ...(kept.in === 'trash' && { KeptPath: kept.path }),
      };
      return `\n${harmlessJson(JSON.stringify(record))}`;
    });
    await out.write(records.length === 0 ? '[]\n' : `[${records.join(',')}\n]\n`);
  }
  for (const file of flags['trash-json'] ? [] : files) {
    const { runId, why = '-', old } = file;
    const size = formatSize(old.size).padStart(9);
    const shownWhy = why.padEnd('replaced'.length);
    const at = localTime(runTimeMs(runId));
    await out.write(`${size}  ${at}  ${runId}  ${shownWhy}  ${harmlessLine(nameOf(file))}\n`);
  }
  refusePart(chosen);
}

/** What a file is called below the remote; the remote may be the file itself. */
export function nameOf({ shown, path }: TrashedFile): string {
  return shown === '' ? leafName(path) : shown;
}

const WORDS: Readonly<Record<NotUndone, string>> = {
  changed: 'Left in the trash: another file has its path',
  blocked: 'Left in the trash: a directory of that name is there',
  'below-file': 'Left in the trash: a file has the name of its directory',
  gone: 'Not restored: it is no longer kept',
  needed: 'Left as it is: it has the old content of another file',
};

/**
 * `syncer trash restore`: puts files back where they were, of each path the one that was deleted last. Rejects with
 * `plan-outdated` if another file is there and was left, with `file-not-found` if one is gone.
 */
export async function restoreTrash(invocation: TrashNeeds, remote: Remote): Promise<void> {
  const { flags, context, out } = invocation;
  const chosen = await chooseTrash(invocation, remote);
  // The first of each path, the newest run being first.
  const newest = new Map<string, TrashedFile>();
  for (const file of chosen.files) if (!newest.has(file.shown)) newest.set(file.shown, file);
  if (newest.size === 0) throw nothingChosen(chosen);
  const names = new Map<RunChange, string>();
  let undone: Undone = { restored: 0, deleted: 0, there: 0, left: new Map() };
  let restored = 0;
  const { places } = chosen;
  const restore = async (run: Run) => {
    places.lookAgain();
    const sides = { source: remote, dest: remote, isFile: true };
    const options = await syncOptions(invocation, 'move', sides);
    const undoer = new ChangeUndoer({ run, places, options, force: flags['force-undo'] });
    const pool = createTaskPool(options.transfers, options.transfers);
    for (const file of newest.values()) {
      if (run.op.signal.aborted || run.isStopping()) break;
      const { place, path, old, kept } = file;
      // Also if it was replaced: what is there now is not in its way then.
      const change: RunChange = { n: 0, do: 'delete', place, path, old, kept };
      names.set(change, nameOf(file));
      await pool.add(() => undoer.undo(change));
    }
    await pool.idle();
    await undoer.tidyTrash();
    undone = undoer.result;
    restored += undone.restored;
  };
  const sum = async (failed: string) => {
    for (const [change, why] of undone.left) {
      context.emit(logText('notice', WORDS[why], names.get(change)));
    }
    const gone = leftFor(undone, 'gone');
    const stay = undone.left.size - gone;
    // The last attempt finds what others have restored.
    const there = undone.there - (restored - undone.restored);
    const parts = [
      `Restored ${counted(restored, 'file')}`,
      ...(there === 0 ? [] : [`${there} already there`]),
      ...(stay === 0 ? [] : [`${stay} left in the trash`]),
      ...(gone === 0 ? [] : [`${gone} no longer kept`]),
    ];
    if (!flags['dry-run']) await out.write(`${parts.join(', ')}${failed}\n`);
  };
  const changed = { remotes: [remote], isFile: false };
  // The flags of `trash` have no lock of a remote.
  await withPlaces(invocation, changed, (locked) =>
    runWithSum({ ...invocation, context: locked.context }, restore, sum),
  );
  const nameIn = (change: RunChange) => names.get(change) ?? change.path;
  refuseLeft(undone, ['has another file now, and was', 'have another file now, and were'], nameIn);
  const gone = leftFor(undone, 'gone');
  if (gone > 0)
    throw new SyncerError('file-not-found', `${counted(gone, 'file')} could not be restored`);
  refusePart(chosen);
}

/** `syncer trash empty`: deletes what is in the trash for good. */
export async function emptyTrashOf(invocation: TrashNeeds, remote: Remote): Promise<void> {
  const { consent, out, context, stores } = invocation;
  const budget = deleteBudget(invocation.flags);
  refuseUnasked(invocation);
  const chosen = await chooseTrash(invocation, remote);
  if (chosen.files.length === 0 && invocation.args.length > 2) throw nothingChosen(chosen);
  const files = chosen.files.filter(({ kept }) => kept.in !== 'bin');
  const inBin = chosen.files.length - files.length;
  if (inBin > 0) {
    const text = `${counted(inBin, 'file')} ${inBin === 1 ? 'stays' : 'stay'} in the recycle bin of ${remote.title}: only its website empties it`;
    context.emit(logText('notice', text));
  }
  await askForGood(invocation, remote, files);
  const gone = new Set<TrashedFile>();
  const width = requestsAtOnce(invocation.flags, remote);
  const empty = (run: Run) => deleteTrashed({ run, width, gone }, { ...chosen, files });
  const sum = async (failed: string) => {
    const bytes = [...gone].reduce((sum, { old }) => sum + Math.max(0, old.size), 0);
    const done = consent.how === 'pretend' ? 'Would delete' : 'Deleted';
    const text = `${done} ${counted(gone.size, 'file')} (${formatSizeUnit(bytes)}) from the trash`;
    await out.write(`${text}${failed}\n`);
  };
  const changed = { remotes: [remote], isFile: false };
  const emptying = withPlaces(invocation, changed, (locked) =>
    runWithSum({ ...invocation, context: locked.context }, empty, sum, budget),
  );
  // The history says what the undo of each run cannot restore any more.
  await emptying.finally(async () => {
    if (gone.size === 0 || consent.how === 'pretend') return;
    const byRun = Map.groupBy(gone, ({ runId }) => runId);
    await stores.tryState('the history says that these files can be restored', (state) => {
      for (const [id, files] of byRun) addGone(state, id, files.length);
    });
  });
  refusePart(chosen);
}

/** Throws `usage` if no person can be asked and nothing says what may go. */
function refuseUnasked(invocation: CommandCall<typeof TRASH_FLAGS> & UnderConsent): void {
  const { flags, args, consent } = invocation;
  const { 'trash-older-than': age, 'trash-run': run, 'allow-deletes': allowed } = flags;
  const isSaid = age !== undefined || run !== undefined || allowed !== undefined || args.length > 2;
  if (isSaid || consent.how !== 'all' || canAsk()) return;
  const text =
    'without a terminal, trash empty needs --older-than, --run, --allow-deletes or a path';
  throw new SyncerError('usage', text, { advice: '--older-than 0s deletes everything' });
}

/** The guard `count`, and on a terminal the number of files as it must be typed. */
async function askForGood(
  invocation: CommandCall<typeof TRASH_FLAGS> & Asking & UnderConsent,
  remote: Remote,
  files: readonly TrashedFile[],
): Promise<void> {
  const { flags, consent } = invocation;
  if (consent.how === 'ask') return;
  const examples = files.slice(0, 6).map((file): FileEntry => {
    return { kind: 'file', path: nameOf(file), size: file.old.size };
  });
  const counting = { files: files.length, examples };
  await refuseCount(invocation, countOf(invocation.flags), async () => counting);
  const allowed = flags['allow-deletes'];
  if (allowed !== undefined && !isAllowed(allowed, files.length)) {
    const tripped = { name: 'empty', why: `${counted(files.length, 'file')} would be deleted` };
    const error = guardError(invocation, tripped, counting);
    if (error !== undefined) throw error;
  }
  if (consent.how !== 'all' || allowed !== undefined) return;
  await askNumber(invocation, async () => {
    const bytes = files.reduce((sum, { old }) => sum + Math.max(0, old.size), 0);
    const sum = `${counted(files.length, 'file')} (${formatSizeUnit(bytes)})`;
    return {
      total: files.length,
      text: `This deletes ${sum} from the trash of ${remote.title} for good.`,
    };
  });
}

interface Emptying {
  readonly run: Run;
  readonly width: number;
  /** What is deleted, or would be: not again by another attempt. */
  readonly gone: Set<TrashedFile>;
}

/** Deletes files of the trash for good, and directories that are empty then. Errors of single files are counted. */
async function deleteTrashed(emptying: Emptying, chosen: ChosenTrash): Promise<void> {
  const { run, width, gone } = emptying;
  const { places, files, dirs, isWhole } = chosen;
  for (const place of new Set(files.map((file) => file.place))) {
    if (run.op.signal.aborted) return;
    const own = files.filter((file) => file.place === place && !gone.has(file));
    const trashed = own.filter(({ kept }) => kept.in === 'trash');
    const deleted = own.filter(({ kept }) => kept.in === 'versions');
    const trash = await places.trashOf(place);
    // Where the server keeps versions, a plain deletion only hides a file.
    const { restoring, listVersions } = trash.can;
    const mayHide = trashed.length > 0 && listVersions !== undefined;
    const isHidden = mayHide && (await restoring?.keeps(run.op))?.deleted === true;
    if (isHidden) await deleteVersions(emptying, trash, trashed);
    else {
      const byPath = new Map(trashed.map((file) => [file.stored?.path, file]));
      const became = ({ path }: FileEntry, error?: unknown) => {
        const file = byPath.get(path);
        if (error === undefined && file !== undefined) gone.add(file);
        else if (!hasCode(error, 'file-not-found')) run.fail(error, path, 'delete');
      };
      const entries = trashed.flatMap(({ stored }) => stored ?? []);
      await deleteFiles(run, trash, [entries], { width, became });
    }
    if (deleted.length > 0) {
      await deleteVersions(emptying, await places.remote(place), deleted);
    }
  }
  if (run.tally.count > 0 || run.consent.how !== 'all') return;
  for (const { place, dir } of dirs) {
    const trash = await places.trashOf(place);
    // With all of a run, also links and what else is not listed.
    const purged = isWhole ? purgeEmptied(trash, dir, run.op) : undefined;
    if (purged !== undefined) await ifEmpty(purged);
    else if (trash.traits.emptyDirs) {
      const { dirs: below } = await allBelow(trash, dir, run.op);
      for (const each of below.toReversed()) await ifEmpty(trash.deleteDir(each, run.op));
    }
    const above = parentPath(dir);
    if (leafName(above) === OWN_NAMES.trash && trash.traits.emptyDirs) {
      await ifEmpty(trash.deleteDir(above, run.op));
    }
  }
}

/** All versions of files in the trash, of deleted ones the version below the marker of the run. */
async function deleteVersions(
  { run, width, gone }: Emptying,
  remote: Remote,
  files: readonly TrashedFile[],
): Promise<void> {
  const byPath = Map.groupBy(files, (file) => file.stored?.path ?? file.path);
  const pool = createTaskPool(width, width);
  for (const [path, own] of byPath) {
    // Each is known by its run: the versions below its marker have many names.
    const trashed = new Map(
      own.map((file): [FileEntry, TrashedFile] => {
        const version = { kind: 'old', id: file.runId } as const;
        return [{ kind: 'file', path, size: file.old.size, kept: version }, file];
      }),
    );
    const chosen = (some: readonly FileEntry[]) => some.flatMap((one) => trashed.get(one) ?? []);
    const together = (some: readonly FileEntry[]) => {
      const size = some.reduce((sum, one) => sum + Math.max(0, one.size), 0);
      return { do: 'other', words: 'delete', about: path, size } as const;
    };
    const loss = { remote, why: 'deleted', ask: { together } } as const;
    await pool.add(async () => {
      const outcome = await lose(run, loss, [...trashed.keys()], (some) =>
        destroyAt(run, remote, path, chosen(some)),
      );
      for (const file of chosen(outcome.gone)) gone.add(file);
      for (const error of outcome.failed.values()) run.fail(error, path, 'delete');
    });
  }
  await pool.idle();
}

/** Those of the files at one path, each of which has versions there. */
async function destroyAt(
  { op }: Run,
  remote: Remote,
  path: string,
  files: readonly TrashedFile[],
): Promise<undefined> {
  // The versions and delete markers of the path, newest first.
  const all: FileEntry[] = [];
  for await (const page of remote.can.listVersions?.(path, op) ?? [])
    for (const version of page) if (version.path === path) all.push(version);
  const isWhole = files.some(({ kept }) => kept.in === 'trash');
  const named = isWhole ? all : files.flatMap(({ stored }) => stored ?? []);
  const ids = new Set(named.map(({ kept }) => kept?.id ?? ''));
  const { versions, markers } = withMarkers(all, ids);
  // In this order: after an interruption a marker still hides what is left.
  for (const some of [versions, markers]) await destroyVersions(remote, some, op);
  return undefined;
}

async function ifEmpty(deleting: Promise<void>): Promise<void> {
  try {
    await deleting;
  } catch (thrown) {
    if (!hasCode(thrown, 'not-empty', 'directory-not-found')) throw thrown;
  }
}
