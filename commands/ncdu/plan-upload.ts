import { resolve } from 'node:path';
import { parseRemoteSpec } from '../../src/config/remote-spec.ts';
import { SyncerError } from '../../src/core/errors.ts';
import type { Emit } from '../../src/core/events.ts';
import type { Op } from '../../src/core/remote.ts';
import { joinPath, leafName } from '../../src/core/remote-path.ts';
import type { Approval } from '../../src/engine/approval.ts';
import { PlanApproval } from '../../src/run/review/plan-approval.ts';
import type { PlannedChange } from '../../src/run/review/planned-change.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';
import {
  NO_REPORT,
  type OnConflict,
  type Replaced,
  type TransferReport,
} from '../../src/size-tree/browser-effects.ts';
import type { NodeId } from '../../src/size-tree/node.ts';
import { replacedFacts } from './entry-details.ts';
import { oneTransfer } from './one-transfer.ts';
import { isAtTop, lookAgain } from './place-entries.ts';
import { freeName, specBelow, type TransferSource } from './transfer-nodes.ts';

/** Finds out what uploading a file or directory into a directory of the scan would do; `own` does it as a run of its own. */
export async function planUpload(
  invocation: Invocation,
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
  const approval = new PlanApproval();
  const what = { verb: 'copy', from: source, to, approval, isChosen: true } as const;
  await oneTransfer(invocation, what, NO_REPORT, op);
  const changes = [...approval.plan.values()].filter(({ isDir }) => !isDir);
  const replaced = await replacedBy(invocation, scanned, source, name, changes, dir, op);
  return {
    name,
    files: changes.length,
    bytes: changes.reduce((sum, { size }) => sum + Math.max(0, size), 0),
    replaced,
    async run(
      own: Invocation,
      answers: ReadonlyMap<string, OnConflict>,
      report: TransferReport,
      op: Op,
    ): Promise<readonly string[]> {
      const left = (path: string) => report.failed(path, 'skipped: changed since the question');
      const emit: Emit = own.context.emit;
      const isReplaced = new Set(replaced.map(({ path }) => path));
      const { plan } = approval;
      const chosen = [...plan.values()].filter(
        ({ path }) => !isReplaced.has(path) || answers.get(path) === 'replace',
      );
      approval.approve({ plan, chosen: new Set(chosen) }, ({ path }) => left(path));
      const names = new Set([name]);
      try {
        await oneTransfer(own, { ...what, emit }, report, op);
        for (const { path } of approval.missing()) left(path);
        const dest = await own.remotes.openDir(specBelow(spec, tree.path(dir)));
        for (const path of isReplaced) {
          if (answers.get(path) !== 'both') continue;
          const isFile = opened.file !== undefined;
          const free = await freeName(dest, isFile ? name : joinPath(name, path), op);
          if (isFile) names.add(free);
          // It replaces none, also one that came there in the last moment.
          const approval: Approval = {
            flag: '--review',
            isSilent: true,
            allows(action) {
              const isNew = action.do !== 'copy' || action.replaces === undefined;
              if (!isNew) left(free);
              return isNew;
            },
          };
          const beside = {
            ...what,
            approval,
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

/** The files of a directory that an upload would replace, with what their listings lack. */
async function replacedBy(
  { remotes, flags }: Invocation,
  { tree, spec, atOnce }: TransferSource,
  source: string,
  name: string,
  changes: readonly PlannedChange[],
  dir: NodeId,
  op: Op,
): Promise<readonly Replaced[]> {
  const { remote, file: one } = await remotes.openPath(source);
  const dest = await remotes.openDir(specBelow(spec, tree.path(dir)));
  try {
    const looking = { op, useServerModTime: flags['use-server-modtime'] };
    return await replacedFacts(looking, changes, [remote, dest], atOnce, (path) =>
      one === undefined ? [path, joinPath(name, path)] : [one.path, path],
    );
  } finally {
    await Promise.allSettled([remote.close(), dest.close()]);
  }
}
