import { hasCode, SyncerError } from '../../src/core/errors.ts';
import type { Emit } from '../../src/core/events.ts';
import { compareNames } from '../../src/core/name-order.ts';
import type { Op, Remote } from '../../src/core/remote.ts';
import { cleanPath, dirsAbove, joinPath, leafName } from '../../src/core/remote-path.ts';
import { ALL, type Consent } from '../../src/engine/consent.ts';
import { fileAt } from '../../src/engine/file-at.ts';
import { tryMoveDir } from '../../src/engine/move-dir.ts';
import { overlap, refuseOverlap } from '../../src/engine/place/overlap.ts';
import type { FileRule, FileVerdict } from '../../src/engine/rules/rule.ts';
import { type RunSetup, retryRun, startRun } from '../../src/engine/run.ts';
import { shortcutOf } from '../../src/engine/shortcuts.ts';
import { attemptSync } from '../../src/engine/sync.ts';
import { createTaskPool } from '../../src/engine/task-pool.ts';
import { deleteEmptyDirs } from '../../src/engine/tree-dirs.ts';
import { type Filter, passAllFilter } from '../../src/filter/filter.ts';
import { CollectedPlan } from '../../src/run/review/plan-consent.ts';
import { syncOptions } from '../../src/run/transfer/sync-options.ts';
import { openDestination } from '../../src/run/transfer/transfer.ts';
import type { CommandCall, Remotes } from '../../src/shell/command-line/command.ts';
import { deleteBudget } from '../../src/shell/flags/delete-limits.ts';
import { messageOf } from '../../src/shell/log/words.ts';
import type {
  OnConflict,
  Replaced,
  TransferReport,
  TransferRequest,
} from '../../src/size-tree/browser-effects.ts';
import { commonParent, pathSegments } from '../../src/size-tree/find-node.ts';
import { type NodeId, nodesBelow } from '../../src/size-tree/node.ts';
import type { SizeTree } from '../../src/size-tree/size-tree.ts';
import { replacedFacts } from './entry-details.ts';
import { transferEvents } from './one-transfer.ts';
import { type Scanned, scanAgain } from './scan-tree.ts';

/** Where transfers from a scan begin. */
export interface TransferSource extends Scanned {
  /** What was scanned, as it was named on the command line. */
  readonly spec: string;
}

/** A path below another as it would be typed. Throws where that names another: S3 has empty names. */
export function specBelow(spec: string, path: string): string {
  if (path === '') return spec;
  if (cleanPath(path) !== path) {
    const why = 'has an empty name between slashes';
    throw new SyncerError('unsupported', `${path} ${why}: here it can only be deleted`);
  }
  return spec.endsWith(':') || spec.endsWith('/') ? `${spec}${path}` : `${spec}/${path}`;
}

/**
 * Copies or moves entries of a scan with the engine of `copy` and `move`: files together in one run, directories in
 * another. They keep their paths below the directory that all of them lie in. Rejects where nothing can be transferred.
 */
export async function transferNodes(
  invocation: CommandCall & Remotes,
  scanned: TransferSource,
  { verb, nodes, dest: destSpec, conflicts }: TransferRequest,
  report: TransferReport,
  op: Op,
): Promise<void> {
  const { tree, filter } = scanned;
  const base = baseOf(tree, nodes);
  const source = await invocation.remotes.openDir(specBelow(scanned.spec, base));
  const dest = await openDestination(invocation, destSpec);
  const events = transferEvents(report);
  /** Shortcuts that stay, with what they lead to. */
  const left = new Set<string>();
  const emit: Emit = (event) => {
    invocation.context.emit(event);
    events.emit(event);
    if (event.type !== 'log' || event.code !== 'shortcut-left') return;
    const { path = '' } = event;
    if (!left.has(path)) report.failed(path, messageOf(event));
    left.add(path);
  };
  const context = { ...invocation.context, signal: op.signal, emit };
  const own = { ...invocation, context };
  const { flags, bandwidth } = invocation;
  const options = await syncOptions(own, verb, { source, dest });
  const moreRules = conflicts === undefined ? [] : [conflictRule(dest, conflicts, report, op)];
  const plan = { verb, source, dest, options, moreRules };
  const roots = await overlap(source, dest, op);
  const rules = { retries: flags.retries, sleepMs: flags['retries-sleep'] };
  const budget = deleteBudget(flags, verb !== 'move');
  const setupWith = (chosen: Filter): RunSetup => ({
    context,
    filter: chosen,
    useServerModTime: flags['use-server-modtime'],
    bandwidth,
    budget,
    consent: ALL,
  });
  const run = async (chosen: Filter) => {
    if (verb === 'move') refuseOverlap(roots, plan, chosen, verb);
    try {
      await retryRun(context, rules, () => attemptSync(setupWith(chosen), plan));
    } catch (thrown) {
      op.signal.throwIfAborted();
      // It was reported with its path.
      if (events.failures === 0) throw thrown;
    }
  };
  try {
    const below = pathsBelow(tree, base);
    const files = nodes.filter((node) => !tree.isDir(node));
    let dirs = nodes.filter((node) => tree.isDir(node));
    if (roots.how === 'same') return report.failed('', 'already at the destination');
    if (verb === 'move' && filter.passesAll && dest.can.moveDirFrom !== undefined) {
      dirs = await moveWhole(own, scanned, dirs, destSpec, below, setupWith(filter), plan, report);
    }
    for (const chosen of filtersOf(scanned, base, files, dirs)) await run(chosen);
    events.finish();
    if (verb !== 'move') return;
    const isOurs = (dir: NodeId) => shortcutOf(below(dir), left) === undefined;
    await afterMove(scanned, nodes, source, { below, isOurs }, setupWith(filter), report);
  } finally {
    events.finish();
  }
}

function baseOf(tree: SizeTree, nodes: readonly NodeId[]): string {
  return commonParent(nodes.map((node) => tree.path(node)));
}

/** Paths relative to the directory that all entries lie in. */
function pathsBelow(tree: SizeTree, base: string): (node: NodeId) => string {
  return (node) => tree.path(node).slice(base === '' ? 0 : base.length + 1);
}

/** The filters of the runs that transfer entries: files in one, directories in another. */
function filtersOf(
  { tree, filter }: Scanned,
  base: string,
  files: readonly NodeId[],
  dirs: readonly NodeId[],
): readonly Filter[] {
  const below = pathsBelow(tree, base);
  const filters = files.length > 0 ? [onlyFiles(files.map(below))] : [];
  if (dirs.length === 0) return filters;
  if (filter.fileList === undefined)
    return [...filters, filterBelow(filter, base, dirs.map(below))];
  const named = dirs.flatMap((dir) => [...nodesBelow(tree, dir)]);
  return [...filters, onlyFiles(named.filter((node) => !tree.isDir(node)).map(below))];
}

/** The files that a transfer would replace. Only entries that the destination has are compared. */
export async function conflictsOf(
  invocation: CommandCall & Remotes,
  scanned: TransferSource,
  { verb, nodes, dest: destSpec }: TransferRequest,
  op: Op,
): Promise<readonly Replaced[]> {
  const { tree } = scanned;
  const base = baseOf(tree, nodes);
  const below = pathsBelow(tree, base);
  const source = await invocation.remotes.openDir(specBelow(scanned.spec, base));
  const dest = await invocation.remotes.openDir(destSpec);
  try {
    if ((await overlap(source, dest, op)).how === 'same') return [];
    /** Whether the destination has a file at the path of this one, or something below that of a directory. */
    const isThere = async (node: NodeId) => {
      if (!tree.isDir(node)) return (await fileAt({ op }, dest, below(node))) !== undefined;
      try {
        return (await dest.listPage(below(node), undefined, op)).entries.length > 0;
      } catch (thrown) {
        if (hasCode(thrown, 'directory-not-found', 'bucket-not-found', 'not-a-directory'))
          return false;
        throw thrown;
      }
    };
    const there = await Promise.all(nodes.map(isThere));
    const both = nodes.filter((_, at) => there[at] === true);
    const files = both.filter((node) => !tree.isDir(node));
    const dirs = both.filter((node) => tree.isDir(node));
    const collected = new CollectedPlan();
    const consent: Consent = { how: 'collect', plan: collected };
    const context = { ...invocation.context, signal: op.signal, emit() {} };
    const own = { ...invocation, context };
    const options = await syncOptions(own, verb, { source, dest });
    const useServerModTime = invocation.flags['use-server-modtime'];
    for (const filter of filtersOf(scanned, base, files, dirs)) {
      const setup = { context, filter, useServerModTime, consent };
      const { error } = await attemptSync(setup, { verb, source, dest, options });
      if (error !== undefined) throw error;
    }
    const changes = [...collected.changes.values()]
      .filter(({ kind }) => kind === 'copy' || kind === 'update' || kind === 'move')
      .sort((a, b) => compareNames(a.path, b.path));
    const looking = { op, useServerModTime };
    return await replacedFacts(looking, changes, [source, dest], scanned.atOnce);
  } finally {
    await Promise.allSettled([source.close(), dest.close()]);
  }
}

/** What was chosen for the files that are there already, as a rule of the run; others are not replaced. */
function conflictRule(
  dest: Remote,
  answers: ReadonlyMap<string, OnConflict>,
  report: TransferReport,
  op: Op,
): FileRule {
  /** The names of those that come beside the old ones: another attempt finds them there. */
  const beside = new Map<string, string>();
  const left: FileVerdict = { do: 'keep', reason: { why: 'chosen' } };
  return {
    name: 'chosen',
    of: 'change',
    // What is left keeps its name, too.
    keepsNames: true,
    extra: 'pairs-only',
    judge({ dest: there, isTimeUnset }, so) {
      if (there === undefined) return undefined;
      const answer = answers.get(there.path);
      if (answer === 'leave') return left;
      // A new time is no question, and what is equal is not replaced.
      if (answer === 'replace' || so?.do !== 'transfer') return undefined;
      return answer === undefined && isTimeUnset === true ? undefined : { needs: 'look' };
    },
    async look({ dest: there }, { reason }) {
      const { path = '' } = there ?? {};
      if (answers.get(path) === undefined) {
        report.failed(path, 'skipped: it came there after the question');
        return left;
      }
      const before = beside.get(path);
      if (before !== undefined && (await fileAt({ op }, dest, before)) !== undefined) return left;
      const free = before ?? (await freeName(dest, path, op));
      beside.set(path, free);
      return { do: 'transfer', reason, as: { path: free, replaces: undefined, reason: undefined } };
    },
  };
}

/** `photo (2).jpg`, or the next number that no file has. */
export async function freeName(dest: Remote, path: string, op: Op): Promise<string> {
  const name = leafName(path);
  const dot = name.lastIndexOf('.');
  const end = dot > 0 ? name.slice(dot) : '';
  const stem = path.slice(0, path.length - end.length);
  for (let at = 2; ; at++) {
    const free = `${stem} (${at})${end}`;
    if ((await fileAt({ op }, dest, free)) === undefined) return free;
  }
}

/** The names that a bucket can have. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/** Why entries of these names cannot be at a destination; `undefined` if they can. */
export async function refusalAt(
  { remotes }: Remotes,
  dest: string,
  names: readonly { readonly name: string; readonly isDir: boolean }[],
  op: Op,
): Promise<string | undefined> {
  const remote = await remotes.openDir(dest);
  if (!remote.traits.bucketBased || remote.root !== '') return undefined;
  const file = names.find(({ isDir }) => !isDir);
  if (file !== undefined) return `"${file.name}" is a file, and files lie in a bucket`;
  for (const { name } of names) {
    if (BUCKET.test(name) || (await remote.stat(name, op)) !== undefined) continue;
    return `"${name}" cannot be a bucket name: 3 to 63 lower-case letters, digits and hyphens`;
  }
  return undefined;
}

/** Moves directories by renaming them where the store can; gives those that are left. */
async function moveWhole(
  { remotes }: Remotes,
  { spec, tree }: TransferSource,
  dirs: readonly NodeId[],
  dest: string,
  below: (node: NodeId) => string,
  setup: RunSetup,
  plan: Parameters<typeof tryMoveDir>[1],
  report: TransferReport,
): Promise<NodeId[]> {
  const left: NodeId[] = [];
  for (const dir of dirs) {
    const from = await remotes.openDir(specBelow(spec, tree.path(dir)));
    const to = await remotes.openDir(specBelow(dest, below(dir)));
    const isMoved = await tryMoveDir(setup, { ...plan, source: from, dest: to });
    if (!isMoved) {
      left.push(dir);
      continue;
    }
    report.found(tree.files(dir), tree.size(dir));
    report.bytes(tree.size(dir));
    report.done(tree.files(dir));
  }
  return left;
}

/** Removes the directories that were moved empty, and looks at what is still there. */
async function afterMove(
  scanned: TransferSource,
  nodes: readonly NodeId[],
  source: Remote,
  { below, isOurs }: { below: (node: NodeId) => string; isOurs: (dir: NodeId) => boolean },
  setup: RunSetup,
  report: TransferReport,
): Promise<void> {
  const { tree, remote, atOnce } = scanned;
  const op = { signal: setup.context.signal };
  const dirs = nodes.filter((node) => tree.isDir(node));
  const inside = dirs.flatMap((dir) => [...nodesBelow(tree, dir)]);
  const inDirs = inside.filter((node) => tree.isDir(node) && isOurs(node));
  if (remote.traits.emptyDirs)
    await deleteEmptyDirs(startRun(setup), source, inDirs.map(below), { width: atOnce });
  const pool = createTaskPool(atOnce, atOnce);
  for (const node of nodes) {
    await pool.add(async () => {
      if (!tree.isDir(node)) {
        if ((await fileAt({ op }, remote, tree.path(node))) === undefined) report.moved([node]);
        return;
      }
      try {
        await scanAgain(scanned, node, op);
        if (tree.childCount(node) === 0 && !remote.traits.emptyDirs) report.moved([node]);
      } catch (thrown) {
        if (!hasCode(thrown, 'directory-not-found')) throw thrown;
        report.moved([node]);
      }
    });
  }
  await pool.idle();
}

/**
 * The run's filter for a part of its tree: only what lies below the chosen directories.
 * @param base where the part begins, relative to the root of the run
 * @param dirs relative to `base`
 */
export function filterBelow(filter: Filter, base: string, dirs: readonly string[]): Filter {
  const chosen = new Set(dirs);
  const above = new Set<string>();
  for (const dir of dirs) for (const path of dirsAbove(dir)) above.add(path);
  const isBelow = (path: string) => dirsAbove(path).some((one) => chosen.has(one));
  const { maxDepth } = filter;
  return {
    ...filter,
    passesAll: false,
    hasRules: true,
    prunesDirs: true,
    deleteExcluded: false,
    maxDepth: maxDepth <= 0 ? -1 : Math.max(1, maxDepth - pathSegments(base).length),
    keepFile: (file) =>
      isBelow(file.path) && filter.keepFile({ ...file, path: joinPath(base, file.path) }),
    keepDir: (path) =>
      (above.has(path) || chosen.has(path) || isBelow(path)) &&
      filter.keepDir(joinPath(base, path)),
    describe: filter.describe,
  };
}

/** A filter that lets these files pass and no others. */
export function onlyFiles(paths: readonly string[]): Filter {
  const fileList = new Set(paths);
  const dirs = new Set(paths.flatMap(dirsAbove));
  return {
    ...passAllFilter,
    passesAll: false,
    hasRules: true,
    fileList,
    keepFile: ({ path }) => fileList.has(path),
    keepDir: (path) => dirs.has(path),
  };
}
