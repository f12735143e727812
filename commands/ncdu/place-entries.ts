import { resolve } from 'node:path';
import { parseRemoteSpec } from '../../src/config/remote-spec.ts';
import { hasCode, SyncerError } from '../../src/core/errors.ts';
import type { Emit } from '../../src/core/events.ts';
import type { Entry, Op } from '../../src/core/remote.ts';
import { foldPath, joinPath, leafName, parentPath } from '../../src/core/remote-path.ts';
import type { Action } from '../../src/engine/action.ts';
import type { Consent } from '../../src/engine/consent.ts';
import { ChosenPlan, CollectedPlan } from '../../src/run/review/plan-consent.ts';
import type { TransferNeeds } from '../../src/run/transfer/transfer.ts';
import {
  NO_REPORT,
  type OnConflict,
  type Replaced,
  type TransferReport,
} from '../../src/size-tree/browser-effects.ts';
import { findNode } from '../../src/size-tree/find-node.ts';
import { type NodeId, ROOT } from '../../src/size-tree/node.ts';
import { TreeFeed } from '../../src/size-tree/tree-feed.ts';
import { replacedFacts } from './entry-details.ts';
import { oneTransfer } from './one-transfer.ts';
import { type Scanned, scanTree } from './scan-tree.ts';
import { freeName, specBelow, type TransferSource } from './transfer-nodes.ts';

/** Renames an entry in its directory. Rejects with `already-exists`; the tree shows what is there then. */
export async function renameNode(
  invocation: TransferNeeds,
  scanned: TransferSource,
  [node, name]: readonly [NodeId, string],
  report: TransferReport,
  op: Op,
): Promise<void> {
  const { tree, remote, spec } = scanned;
  const path = tree.path(node);
  const dir = tree.parent(node);
  if (isAtTop(scanned, dir)) throw new SyncerError('unsupported', 'a bucket cannot be renamed');
  const to = joinPath(parentPath(path), name);
  // An object may have the name of the directory: the slash says which is meant.
  const slash = tree.isDir(node) ? '/' : '';
  const ends = { from: `${specBelow(spec, path)}${slash}`, to: specBelow(spec, to) };
  const isOtherCase = foldPath(remote, to) === foldPath(remote, path);
  if (!isOtherCase) await refuseExisting(scanned, to, op);
  try {
    let files = 0;
    const done = (count: number) => {
      files += count;
      report.done(count);
    };
    await oneTransfer(invocation, { verb: 'move', ...ends }, { ...report, done }, op);
    tree.rename(node, name);
    if (files > 0) return;
    report.bytes(tree.size(node));
    report.done(tree.files(node));
  } catch (thrown) {
    await lookAgain(scanned, dir, name, op);
    await lookAgain(scanned, dir, leafName(path), op);
    throw thrown;
  }
}

/** Creates a directory, or a bucket. Rejects with `already-exists`, or `unsupported` below a bucket. */
export async function makeDirNode(scanned: Scanned, dir: NodeId, name: string, op: Op) {
  const { tree, remote } = scanned;
  const path = joinPath(tree.path(dir), name);
  if (!remote.traits.emptyDirs && !isAtTop(scanned, dir)) {
    const how = 'a directory is there when a file is in it: upload one';
    throw new SyncerError('unsupported', `object storage has no empty directories; ${how}`);
  }
  await refuseExisting(scanned, path, op);
  await remote.makeDir(path, op);
  await lookAgain(scanned, dir, name, op);
}

/** Shows in the tree what is there now under a name. */
export async function lookAgain(
  scanned: Scanned,
  dir: NodeId,
  name: string,
  op: Op,
): Promise<void> {
  const { tree } = scanned;
  if (!tree.isThere(dir)) return;
  const path = joinPath(tree.path(dir), name);
  let entry: Entry | undefined;
  try {
    entry = await entryNow(scanned, dir, path, op);
  } catch (thrown) {
    if (dir === ROOT || !hasCode(thrown, 'directory-not-found')) throw thrown;
    // Its directory is gone, too.
    await lookAgain(scanned, tree.parent(dir), tree.name(dir), op);
    return;
  }
  const into = tree.addRoot();
  if (entry?.kind === 'dir') await scanTree(scanned, { into, path }, op);
  const old = findNode(tree, dir, name);
  if (old !== undefined && entry?.kind === 'dir' && tree.isDir(old))
    return tree.replaceContents(old, into);
  if (old !== undefined) tree.remove([old]);
  if (entry === undefined) return;
  const [added] = new TreeFeed(tree, dir).dirPage(dir, [entry]);
  if (added !== undefined) tree.replaceContents(added, into);
}

/** The entry, on a disk with what it takes there. */
async function entryNow(
  { remote, tree }: Scanned,
  dir: NodeId,
  path: string,
  op: Op,
): Promise<Entry | undefined> {
  const { listUsage } = remote.can;
  if (listUsage === undefined) return remote.stat(path, op);
  let cursor: string | undefined;
  do {
    const page = await listUsage(tree.path(dir), cursor, op);
    const found = page.entries.find((entry) => entry.path === path);
    if (found !== undefined) return found;
    cursor = page.cursor;
  } while (cursor !== undefined);
  return undefined;
}

async function refuseExisting({ remote }: Scanned, path: string, op: Op): Promise<void> {
  const there = await remote.stat(path, op);
  const found = there?.kind === 'dir' ? 'a directory' : 'a file';
  const what = there === undefined ? await remote.can.unlistedAt?.(path, op) : found;
  if (what === undefined) return;
  throw new SyncerError('already-exists', `"${path}" exists already: it is ${what}`);
}

/** Whether the entries of the directory are buckets. */
function isAtTop({ remote }: Scanned, dir: NodeId): boolean {
  return dir === ROOT && remote.traits.bucketBased && remote.root === '';
}

/** Finds out what uploading a file or directory into a directory of the scan would do; `own` does it as a run of its own. */
export async function planUpload(
  invocation: TransferNeeds,
  scanned: TransferSource,
  from: string,
  dir: NodeId,
  op: Op,
) {
  const { tree, spec } = scanned;
  if (isAtTop(scanned, dir))
    throw new SyncerError('usage', 'open a bucket first: files lie in one');
  const source = parseRemoteSpec(from).name === '' ? resolve(from) : from;
  const opened = await invocation.remotes.openPath(source);
  const name = leafName(opened.file?.path ?? opened.remote.root.replace(/\/+$/, ''));
  const isThere = opened.file !== undefined || (await opened.remote.stat('', op)) !== undefined;
  await opened.remote.close();
  if (!isThere) throw new SyncerError('file-not-found', `${from} does not exist`);
  if (name === '') throw new SyncerError('usage', `${from} has no name: give a directory in it`);
  const to = specBelow(spec, joinPath(tree.path(dir), name));
  const collected = new CollectedPlan();
  const what = { verb: 'copy', from: source, to, isChosen: true } as const;
  const consent: Consent = { how: 'collect', plan: collected };
  await oneTransfer(invocation, { ...what, consent }, NO_REPORT, op);
  const changes = [...collected.changes.values()].filter(({ isDir }) => !isDir);
  const there = await invocation.remotes.openPath(source);
  const dest = await invocation.remotes.openDir(specBelow(spec, tree.path(dir)));
  let replaced: readonly Replaced[];
  try {
    const looking = { op, useServerModTime: invocation.flags['use-server-modtime'] };
    const sides = [there.remote, dest] as const;
    replaced = await replacedFacts(looking, changes, sides, scanned.atOnce, (path) =>
      there.file === undefined ? [path, joinPath(name, path)] : [there.file.path, path],
    );
  } finally {
    await Promise.allSettled([there.remote.close(), dest.close()]);
  }
  return {
    name,
    files: changes.length,
    bytes: changes.reduce((sum, { size }) => sum + Math.max(0, size), 0),
    replaced,
    async run(
      own: TransferNeeds,
      answers: ReadonlyMap<string, OnConflict>,
      report: TransferReport,
      op: Op,
    ): Promise<readonly string[]> {
      const left = (path: string) => report.failed(path, 'skipped: changed since the question');
      const emit: Emit = own.context.emit;
      const isReplaced = new Set(replaced.map(({ path }) => path));
      const plan = collected.changes;
      const chosen = [...plan.values()].filter(
        ({ path }) => !isReplaced.has(path) || answers.get(path) === 'replace',
      );
      const choice = new ChosenPlan(
        { plan, chosen: new Set(chosen) },
        { onLeft: ({ path }) => left(path) },
      );
      const names = new Set([name]);
      try {
        const consent: Consent = { how: 'chosen', plan: choice };
        await oneTransfer(own, { ...what, consent, emit }, report, op);
        for (const { path } of choice.missing()) left(path);
        const dest = await own.remotes.openDir(specBelow(spec, tree.path(dir)));
        for (const path of isReplaced) {
          if (answers.get(path) !== 'both') continue;
          const isFile = opened.file !== undefined;
          const free = await freeName(dest, isFile ? name : joinPath(name, path), op);
          if (isFile) names.add(free);
          // It replaces none, also one that came there in the last moment.
          const allows = (action: Action) => {
            const isNew = action.do !== 'copy' || action.replaces === undefined;
            if (!isNew) left(free);
            return isNew;
          };
          const consent: Consent = { how: 'chosen', plan: { allows, hasWaited: false } };
          const beside = {
            ...what,
            consent,
            emit,
            from: isFile ? source : specBelow(source, path),
            to: specBelow(spec, joinPath(tree.path(dir), free)),
          };
          await oneTransfer(own, beside, report, op);
        }
      } finally {
        if (!op.signal.aborted) for (const one of names) await lookAgain(scanned, dir, one, op);
      }
      return [...names];
    },
  };
}
