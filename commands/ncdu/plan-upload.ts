import { resolve } from 'node:path';
import { parseRemoteSpec } from '../../src/config/remote-spec.ts';
import { SyncerError } from '../../src/core/errors.ts';
import type { Op } from '../../src/core/remote.ts';
import { joinPath, leafName } from '../../src/core/remote-path.ts';
import { PlanApproval } from '../../src/run/review/plan-approval.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';
import { findNode } from '../../src/size-tree/find-node.ts';
import type { NodeId } from '../../src/size-tree/node.ts';
import type { TransferReport, UploadPlan } from '../../src/size-tree/place-effects.ts';
import { factsOf } from './entry-details.ts';
import { oneTransfer } from './one-transfer.ts';
import { isAtTop, lookAgain } from './place-entries.ts';
import { specBelow, type TransferSource } from './transfer-nodes.ts';

const NOBODY: TransferReport = {
  found() {},
  bytes() {},
  done() {},
  failed() {},
  moved() {},
};

/** An upload that another invocation does: a run of its own. */
type PlannedUpload = Omit<UploadPlan, 'run'> & {
  run(own: Invocation, report: TransferReport, op: Op): Promise<void>;
};

/** Finds out what uploading a file or directory into a directory of the scan would do. */
export async function planUpload(
  invocation: Invocation,
  scanned: TransferSource,
  from: string,
  dir: NodeId,
  op: Op,
): Promise<PlannedUpload> {
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
  const approval = new PlanApproval();
  const what = { verb: 'copy', from: source, to, approval, isChosen: true } as const;
  await oneTransfer(invocation, what, NOBODY, op);
  const changes = [...approval.plan.values()].filter(({ isDir }) => !isDir);
  const replaced = changes.flatMap(({ path, source, dest }) => {
    if (source === undefined || dest === undefined) return [];
    const there = factsOf(dest);
    // Not every listing has the time that the scan knows.
    const node = findNode(tree, dir, opened.file === undefined ? joinPath(name, path) : path);
    const timeMs = node === undefined ? there.timeMs : tree.timeMs(node);
    return [{ path, here: factsOf(source), there: { ...there, timeMs } }];
  });
  return {
    name,
    files: changes.length,
    bytes: changes.reduce((sum, { size }) => sum + Math.max(0, size), 0),
    replaced,
    async run(own, report, op) {
      const left = (path: string) => report.failed(path, 'skipped: changed since the question');
      approval.approve({
        plan: approval.plan,
        isChosen: () => true,
        onLeft: ({ path }) => left(path),
      });
      try {
        await oneTransfer(own, { ...what, emit: own.context.emit }, report, op);
        for (const { path } of approval.missing()) left(path);
      } finally {
        if (!op.signal.aborted) await lookAgain(scanned, dir, name, op);
      }
    },
  };
}
