import { systemClock } from '../../src/core/context.ts';
import { hasCode, SyncerError, toSyncerError } from '../../src/core/errors.ts';
import type { Emit } from '../../src/core/events.ts';
import { type ModTime, modTimeToMs } from '../../src/core/mod-time.ts';
import { compareNames } from '../../src/core/name-order.ts';
import {
  type FailedEntry,
  type FileEntry,
  mostDeleted,
  type Op,
  type Remote,
} from '../../src/core/remote.ts';
import { listDir } from '../../src/core/remote-calls.ts';
import { LINK_SUFFIX } from '../../src/core/remote-path.ts';
import { counted } from '../../src/core/shown-text.ts';
import { ALL } from '../../src/engine/consent.ts';
import type { Budget } from '../../src/engine/loss/budget.ts';
import { deleteFiles } from '../../src/engine/loss/delete-files.ts';
import { purgeEmptied } from '../../src/engine/loss/purge-root.ts';
import { perform } from '../../src/engine/perform.ts';
import { type Run, startRun } from '../../src/engine/run.ts';
import { hideShortcuts } from '../../src/engine/shortcuts.ts';
import { createTaskPool } from '../../src/engine/task-pool.ts';
import type { DeleteReport } from '../../src/size-tree/browser-effects.ts';
import { type EntryPair, pairedChildren } from '../../src/size-tree/dir-changes.ts';
import { findNode, keptPath } from '../../src/size-tree/find-node.ts';
import { isNodeWithin, type NodeId, nodesBelow, ROOT } from '../../src/size-tree/node.ts';
import { NONE } from '../../src/size-tree/node-figures.ts';
import { SizeTree } from '../../src/size-tree/size-tree.ts';
import { lookAgain } from './place-entries.ts';
import { type Scanned, scanAgain, scanTree } from './scan-tree.ts';

/** Deleted files are reported at least this often, in milliseconds. */
const TELL_MS = 50;

/** What is removed: some entries of a scan. */
export interface Removal extends Scanned {
  /** Files beyond it fail (`--max-delete`, `--max-delete-size`). */
  readonly budget: Budget;
  /** The same place as a run of its own has it: everything is deleted by it. Absent: `remote`. */
  readonly own?: Remote;
  /** Gets what happens, for the history. */
  readonly emit?: Emit;
  /** What is deleted goes to the trash; `own` shows links as files. */
  readonly isKept?: boolean;
  /** The paths of links as `own` shows them. */
  readonly linkPaths?: ReadonlyMap<NodeId, string>;
}

/**
 * Deletes files and directories of a scan from the store. Of a directory that was scanned to its end only that goes
 * which was seen: files that came later or were replaced stay, and so does it. Many files go in one request where the
 * store can. Of a shortcut only the shortcut itself is deleted: what it leads to belongs to others. Failures are reported
 * one by one; rejects where the signal is aborted.
 */
export async function deleteNodes(
  removal: Removal,
  nodes: readonly NodeId[],
  report: DeleteReport,
  op: Op,
): Promise<void> {
  const { tree, remote, filter, own = remote } = removal;
  const there = nodes.filter((node) => tree.isThere(node));
  const dirs = there.filter((node) => tree.isDir(node));
  const complete = new Set(dirs.filter((dir) => tree.failed(dir) === 0 && tree.isWhole(dir)));
  const failed = new Set<NodeId>();
  const noteFailed = (node: NodeId, message: string) => {
    failed.add(node);
    report.failed(node, tree.path(node), message);
  };
  const noting: DeleteReport = {
    ...report,
    failed: (node, _path, message) => noteFailed(node, message),
  };
  // A scan does not tell shortcuts from directories: where there may be some, all are listed.
  const isChecked = (node: NodeId) =>
    !tree.isDir(node) || complete.has(node) || mayHaveShortcuts(remote);
  // A version or an upload is deleted by its own name, which no other ever has.
  const checked = tree.hasKept ? [] : there.filter(isChecked);
  const linked = await shortcutsAmong(removal, dirs, noteFailed, op);
  const changed = await changedSince(removal, checked, linked, noteFailed, op);
  const shortcuts = new Set([...linked].map((path) => findNode(tree, ROOT, path) ?? NONE));
  shortcuts.delete(NONE);
  await removeBelow(removal, there, new Set([...changed, ...failed, ...shortcuts]), noting, op);
  await deleteLinked(removal, shortcuts, failed, noting, op);
  for (const file of checked) {
    if (tree.isDir(file) || !changed.has(file) || failed.has(file)) continue;
    noteFailed(file, 'replaced after the scan: kept');
    await lookAgain(removal, tree.parent(file), tree.name(file), op);
  }
  for (const dir of dirs) {
    op.signal.throwIfAborted();
    if (failed.has(dir) || shortcuts.has(dir)) continue;
    const path = tree.path(dir);
    try {
      const left = await leftIn(removal, dir, noting, complete.has(dir), failed, op);
      if (left > 0) continue;
      const isAll = filter.passesAll && removal.isKept !== true;
      const purged = isAll ? purgeEmptied(own, path, op, true) : undefined;
      if (purged !== undefined) await purged;
      else if (!(await removeDirs(removal, dir, op))) continue;
      report.gone([dir]);
    } catch (thrown) {
      op.signal.throwIfAborted();
      if (!hasCode(thrown, 'directory-not-found')) noteFailed(dir, toSyncerError(thrown).message);
      // Elsewhere a directory goes with its last file.
      else if (remote.traits.emptyDirs) report.vanished([dir]);
      else report.gone([dir]);
    }
  }
}

/** Only the listing of the directory above says which directories are shortcuts: resolves to the paths of those. */
async function shortcutsAmong(
  { tree, remote, atOnce }: Scanned,
  dirs: readonly NodeId[],
  fail: (node: NodeId, message: string) => void,
  op: Op,
): Promise<Set<string>> {
  const found = new Set<string>();
  if (!mayHaveShortcuts(remote)) return found;
  const pool = createTaskPool(atOnce, atOnce);
  for (const [parent, some] of Map.groupBy(dirs, (dir) => tree.parent(dir))) {
    const paths = new Set(some.map((dir) => tree.path(dir)));
    const refuse = ({ path, error }: FailedEntry) => {
      if (paths.has(path)) throw error;
    };
    await pool.add(async () => {
      try {
        for await (const page of listDir(remote, tree.path(parent), op, refuse)) {
          for (const entry of page) {
            const isChosen = entry.kind === 'dir' && paths.has(entry.path);
            if (isChosen && entry.isShortcut === true) found.add(entry.path);
          }
        }
      } catch (thrown) {
        if (op.signal.aborted || hasCode(thrown, 'directory-not-found')) return;
        for (const dir of some) fail(dir, `not deleted: ${toSyncerError(thrown).message}`);
      }
    });
  }
  await pool.idle();
  op.signal.throwIfAborted();
  return found;
}

/** Deletes shortcuts, except below what has failed; one of which a filter may hide a part stays, and fails. */
async function deleteLinked(
  removal: Removal,
  shortcuts: Iterable<NodeId>,
  failed: ReadonlySet<NodeId>,
  report: DeleteReport,
  op: Op,
): Promise<void> {
  const { tree, filter, own = removal.remote } = removal;
  const run = startDeletion(removal, op);
  const kept = [...failed].filter((node) => tree.isDir(node));
  for (const node of shortcuts) {
    op.signal.throwIfAborted();
    if (kept.some((dir) => isNodeWithin(tree, dir, node))) continue;
    const path = tree.path(node);
    if (!filter.passesAll) {
      const why = 'not deleted: a filter may hide a part of the shared directory it leads to';
      report.failed(node, path, why);
      continue;
    }
    try {
      await perform(run, own, { do: 'remove-dir', path, title: own.title, isShortcut: true });
      // The files in it are not counted as deleted.
      tree.replaceContents(node, tree.addRoot());
      report.gone([node]);
    } catch (thrown) {
      op.signal.throwIfAborted();
      if (hasCode(thrown, 'directory-not-found')) report.vanished([node]);
      else report.failed(node, path, toSyncerError(thrown).message);
    }
  }
}

/** Deletes the files among and below nodes, but not some; those that a trash cannot have stay, and fail. */
async function removeBelow(
  removal: Removal,
  nodes: readonly NodeId[],
  without: ReadonlySet<NodeId>,
  report: DeleteReport,
  op: Op,
): Promise<void> {
  const left = new Set(without);
  const fail = (node: NodeId, message: string) => {
    left.add(node);
    report.failed(node, removal.tree.path(node), message);
  };
  const isKept = removal.isKept === true;
  const linkPaths = isKept ? await linksBelow(removal, nodes, fail, op) : undefined;
  const { tree } = removal;
  const files = function* () {
    for (const top of nodes) {
      for (const node of nodesBelow(tree, top, (at) => left.has(at)))
        if (!tree.isDir(node)) yield node;
    }
  };
  const whole = { ...removal, ...(linkPaths && { linkPaths }) };
  if (!tree.hasKept) return removeAll(whole, files(), report, op);
  // The newest version of an object goes last, and only if no older one is left: that would become the current object.
  const { old = [], newest = [] } = Object.groupBy(files(), (node) => {
    const kind = tree.keptKind(node);
    return kind === 'current' || kind === 'marker' ? 'newest' : 'old';
  });
  await removeAll(whole, old, report, op);
  /** The objects of which an older version is left in the tree. */
  const held = new Set<string>();
  for (const dir of new Set(newest.map((node) => tree.parent(node)))) {
    for (const node of tree.children(dir)) {
      const kind = tree.keptKind(node);
      if (kind === 'old' || kind === 'old-marker') held.add(keptPath(tree, node));
    }
  }
  const free: NodeId[] = [];
  for (const node of newest) {
    const dir = tree.parent(node);
    const isKnown =
      removal.filter.passesAll && tree.isWhole(dir) && tree.errorOf(dir) === undefined;
    if (isKnown && !held.has(keptPath(tree, node))) free.push(node);
    else {
      const which = isKnown ? 'would' : 'outside of this scan may';
      fail(node, `not deleted: an older version ${which} become current`);
    }
  }
  await removeAll(whole, free, report, op);
}

/**
 * The links among special files, as files; others have no place in a trash, and stay. So do files with the names that
 * links have there: such a name would be that of the link itself.
 */
async function linksBelow(
  { tree, remote, own = remote, atOnce }: Removal,
  nodes: readonly NodeId[],
  fail: (node: NodeId, message: string) => void,
  op: Op,
): Promise<ReadonlyMap<NodeId, string>> {
  const linkPaths = new Map<NodeId, string>();
  // Where the scan shows links as files, too, they are that.
  const linkSuffix = remote.traits.linkSuffix === undefined ? own.traits.linkSuffix : undefined;
  const what = own.traits.linkSuffix === undefined ? 'files' : 'files and links';
  const pool = createTaskPool(atOnce, atOnce);
  for (const top of nodes) {
    for (const node of nodesBelow(tree, top)) {
      if (tree.isDir(node)) continue;
      if (!tree.isSpecial(node)) {
        if (linkSuffix === undefined || !tree.name(node).endsWith(linkSuffix)) continue;
        fail(node, `a name in ${LINK_SUFFIX} is that of a link in the trash: delete it for good`);
        continue;
      }
      const path = `${tree.path(node)}${LINK_SUFFIX}`;
      await pool.add(async () => {
        const entry = await own.stat(path, op).catch(() => undefined);
        if (entry?.kind === 'file') linkPaths.set(node, path);
        else fail(node, `only ${what} go to the trash: delete it for good`);
      });
    }
  }
  await pool.idle();
  return linkPaths;
}

/** Deletes files; versions, delete markers and uploads each by its own name on the server. */
async function removeAll(
  removal: Removal,
  files: Iterable<NodeId>,
  report: DeleteReport,
  op: Op,
): Promise<void> {
  const { tree, atOnce: width, linkPaths, own = removal.remote } = removal;
  // Files are deleted faster than a tree of 100,000 can be updated one by one: they are reported in batches.
  let gone: NodeId[] = [];
  let lastMs = performance.now();
  const flush = () => {
    if (gone.length > 0) report.gone(gone);
    gone = [];
    lastMs = performance.now();
  };
  const nodes = new WeakMap<FileEntry, NodeId>();
  const isTimed = removal.isKept === true && own.traits.onDisk;
  const pages = async function* () {
    for (const node of files) {
      const kept = tree.keptAs(node);
      if (tree.hasKept && kept === undefined) continue;
      const path = linkPaths?.get(node) ?? keptPath(tree, node);
      const file = { kind: 'file', path, size: sizeOf(tree, node), ...(kept && { kept }) } as const;
      // The time by which an undo knows it again: the scan has rounded it.
      const now = isTimed ? await own.stat(path, op).catch(() => undefined) : undefined;
      const { modTime } = now?.kind === 'file' ? now : {};
      const whole = modTime === undefined ? file : { ...file, modTime };
      nodes.set(whole, node);
      yield [whole];
    }
  };
  const became = (file: FileEntry, thrown?: unknown) => {
    const node = nodes.get(file) as NodeId;
    if (thrown === undefined) {
      gone.push(node);
      if (gone.length >= mostDeleted || performance.now() - lastMs > TELL_MS) flush();
    } else if (hasCode(thrown, 'file-not-found')) report.vanished([node]);
    else if (op.signal.aborted) report.unknown([node]);
    else report.failed(node, tree.path(node), toSyncerError(thrown).message);
  };
  const run = startDeletion(removal, op);
  const rules = { width, became, areVersions: tree.hasKept, goesOn: true } as const;
  await deleteFiles(run, own, pages(), rules);
  flush();
  op.signal.throwIfAborted();
}

function startDeletion({ filter, budget, emit = () => {} }: Removal, op: Op): Run {
  const context = { signal: op.signal, clock: systemClock, emit };
  return startRun({ context, filter, budget, consent: ALL });
}

/** How many files are left in a directory without its known files; those of an incomplete scan are deleted too. */
async function leftIn(
  removal: Removal,
  dir: NodeId,
  report: DeleteReport,
  wasComplete: boolean,
  failed: ReadonlySet<NodeId>,
  op: Op,
): Promise<number> {
  const { tree, remote } = removal;
  for (const node of failed) if (isNodeWithin(tree, dir, node)) return Math.max(1, tree.files(dir));
  try {
    await scanAgain({ ...removal, remote: hideShortcuts(remote, new Set()) }, dir, op);
  } catch (thrown) {
    if (hasCode(thrown, 'directory-not-found')) return 0;
    throw thrown;
  }
  if (tree.failed(dir) > 0) {
    report.failed(dir, tree.path(dir), 'not deleted: part of it could not be listed');
    return Math.max(1, tree.files(dir));
  }
  const found = tree.files(dir);
  if (found === 0) return 0;
  if (wasComplete) {
    const why = `${counted(found, 'file')} created or replaced after the scan: kept`;
    report.failed(dir, tree.path(dir), why);
    return found;
  }
  await removeBelow(removal, [dir], new Set(), report, op);
  return tree.files(dir);
}

/** Removes a directory and those below it, deepest first, as far as they are empty; whether it went itself. */
async function removeDirs(
  { remote, tree, own = remote }: Removal,
  dir: NodeId,
  op: Op,
): Promise<boolean> {
  if (!remote.traits.emptyDirs) return true;
  const dirs = [...nodesBelow(tree, dir)].filter((node) => tree.isDir(node));
  const paths = dirs.map((node) => tree.path(node)).sort((a, b) => compareNames(b, a));
  let isGone = false;
  for (const path of paths) {
    try {
      await own.deleteDir(path, op);
      isGone = path === tree.path(dir);
    } catch (thrown) {
      const isMissing = path !== tree.path(dir) && hasCode(thrown, 'directory-not-found');
      if (!isMissing && !hasCode(thrown, 'not-empty')) throw thrown;
    }
  }
  return isGone;
}

/** A directory is listed to check a file in it if it has at most this many entries: one page of a listing. */
const LISTED_PER_FILE = 1000;

/** A server reports the time of one object in whole seconds. */
const SECOND_MS = 1000;

/**
 * Lists directories and looks at files again. Resolves to the files that are there, below these nodes or among them,
 * and are no longer what was scanned, and to the nodes that could not be examined, which it reports.
 * @param shortcuts those among the directories; gets those below
 */
async function changedSince(
  scanned: Scanned,
  nodes: readonly NodeId[],
  shortcuts: Set<string>,
  fail: (node: NodeId, message: string) => void,
  op: Op,
): Promise<ReadonlySet<NodeId>> {
  const { tree } = scanned;
  const changed = new Set<NodeId>();
  const dirs = nodes.filter((node) => tree.isDir(node));
  const files = nodes.filter((node) => !tree.isDir(node));
  const atOnce = Math.max(1, Math.floor(scanned.atOnce / Math.max(1, dirs.length)));
  const pool = createTaskPool(scanned.atOnce, scanned.atOnce);
  const examine = (some: readonly NodeId[], look: () => Promise<Iterable<NodeId>>) =>
    pool.add(async () => {
      if (op.signal.aborted) return;
      try {
        for (const node of await look()) changed.add(node);
      } catch (thrown) {
        // What is gone has not changed.
        if (op.signal.aborted || hasCode(thrown, 'directory-not-found')) return;
        for (const node of some) {
          changed.add(node);
          fail(node, `not deleted: ${toSyncerError(thrown).message}`);
        }
      }
    });
  // Files that were chosen in an opened shortcut are seen without it.
  const below = { ...scanned, atOnce, remote: hideShortcuts(scanned.remote, shortcuts) };
  for (const dir of dirs) await examine([dir], () => changedBelow(below, dir, op));
  for (const [dir, some] of Map.groupBy(files, (file) => tree.parent(file))) {
    if (tree.childCount(dir) <= some.length * LISTED_PER_FILE) {
      await examine(some, () => changedBelow(scanned, dir, op, 1));
    } else {
      for (const file of some) await examine([file], () => changedFile(scanned, file, op));
    }
  }
  await pool.idle();
  op.signal.throwIfAborted();
  return changed;
}

/** The files below a directory, or with a depth of 1 in it, that are no longer what was scanned. */
async function changedBelow(
  scanned: Scanned,
  dir: NodeId,
  op: Op,
  maxDepth = scanned.filter.maxDepth,
): Promise<Iterable<NodeId>> {
  const { tree } = scanned;
  const now = new SizeTree();
  // Named files are found without a listing, which would show shortcuts.
  const fileList = mayHaveShortcuts(scanned.remote) ? undefined : scanned.filter.fileList;
  // What has come in the place of a file may be one that the filter leaves out.
  const filter = { ...scanned.filter, fileList, maxDepth, markerFiles: [], keepFile: () => true };
  await scanTree({ ...scanned, filter, tree: now }, { into: ROOT, path: tree.path(dir) }, op);
  const [failure] = now.failures();
  if (failure !== undefined) {
    throw new SyncerError('other', `part of it could not be listed: ${failure[1]}`);
  }
  /** Whether two files have the same size, and the same hash or, without hashes, the same time. */
  const isSame = ({ before, after }: EntryPair) => {
    if (sizeOf(tree, before) !== sizeOf(now, after)) return false;
    const [hash, other] = [tree.objects.hashKey(before), now.objects.hashKey(after)];
    if (hash !== 0 && other !== 0) return hash === other;
    const difference = tree.timeMs(before) - now.timeMs(after);
    return Number.isNaN(difference) || difference === 0;
  };
  const changed: NodeId[] = [];
  const pending: EntryPair[] = [{ before: dir, after: ROOT }];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    for (const pair of pairedChildren({ before: tree, after: now }, at)) {
      if (pair.before === NONE || pair.after === NONE) continue;
      if (!tree.isDir(pair.before)) {
        if (!isSame(pair)) changed.push(pair.before);
      } else if (maxDepth !== 1) pending.push(pair);
    }
  }
  return changed;
}

async function changedFile(
  { tree, remote }: Scanned,
  file: NodeId,
  op: Op,
): Promise<Iterable<NodeId>> {
  const now = await remote.stat(tree.path(file), op);
  if (now === undefined) return [];
  const isAt = (time: ModTime | undefined) =>
    time !== undefined && Math.abs(modTimeToMs(time) - tree.timeMs(file)) < SECOND_MS;
  const isSameFile =
    now.kind === 'file' &&
    now.size === sizeOf(tree, file) &&
    (Number.isNaN(tree.timeMs(file)) || isAt(now.modTime) || isAt(now.storedTime));
  return isSameFile ? [] : [file];
}

const mayHaveShortcuts = ({ can }: Remote): boolean => can.deleteShortcut !== undefined;

function sizeOf(tree: SizeTree, file: NodeId): number {
  return tree.isSizeUnknown(file) ? -1 : tree.size(file);
}
