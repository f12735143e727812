import { changesMetadata } from '../core/entry-details.ts';
import { hasCode, SyncerError, toSyncerError } from '../core/errors.ts';
import { OWN_NAMES } from '../core/own-names.ts';
import type { Op, Remote } from '../core/remote.ts';
import { listDir } from '../core/remote-calls.ts';
import { joinPath } from '../core/remote-path.ts';
import { commonGround } from './compare-pair.ts';
import { isReviewed, mayChange } from './consent.ts';
import type { SyncRequest } from './file-work.ts';
import { isOtherCase, overlap } from './place/overlap.ts';
import { planRules } from './rules/list.ts';
import type { Rules } from './rules/rule.ts';
import { type RunSetup, startRun } from './run.ts';

/**
 * Moves a whole tree by one rename if the remote can, both are the same remote of the configuration, nothing is
 * filtered, no rule is about new files and the destination does not exist, unless it is the source itself in another
 * case. `false`: not done, move file by file. Rejects if the source does not exist either: with `directory-not-found`,
 * but on disks with `other`, because rclone ends with exit code 1 there.
 */
export async function tryMoveDir(setup: RunSetup, plan: SyncRequest): Promise<boolean> {
  const { context, filter } = setup;
  const { source, dest, options } = plan;
  const moveDirFrom = dest.can.moveDirFrom;
  if (moveDirFrom === undefined || !filter.passesAll || filter.maxDepth >= 0) return false;
  if (options.passes.some(({ byFile }) => byFile)) return false;
  if (changesMetadata(options.metadata)) return false;
  // What is reviewed or reported file by file is done file by file.
  if (isReviewed(setup.consent) || setup.outcomes !== undefined) return false;
  const isItself = isOtherCase(source, dest);
  if (source.name !== dest.name) return false;
  // All files are new at the destination; those of itself only get the name that the user has typed.
  if (!isItself && rulesOf(setup, plan).asksNew) return false;
  const op = { signal: context.signal };
  if (!isItself && (await overlap(source, dest, op)).how !== 'apart') return false;
  const about = { type: 'log', level: 'info', path: dest.title } as const;
  try {
    if (!isItself && (await exists(dest, op))) {
      context.emit({ ...about, code: 'dir-move-failed', fields: { why: 'dest-exists' } });
      return false;
    }
    if (await exists(source, op)) {
      if (await hasTrash(source, '', op)) {
        const why = new SyncerError(
          'unsupported',
          'it has a trash, which stays where undo finds it',
        );
        context.emit({ ...about, code: 'dir-move-failed', fields: { why } });
        return false;
      }
      const change = { do: 'rename', path: dest.title } as const;
      if (!(await mayChange(setup, change))) return true;
      if (!(await moveDirFrom(source, '', '', op))) return false;
      context.emit({ ...about, code: 'dir-moved' });
      return true;
    }
  } catch (thrown) {
    context.signal.throwIfAborted();
    context.emit({ ...about, code: 'dir-move-failed', fields: { why: toSyncerError(thrown) } });
    return false;
  }
  const code = source.traits.onDisk ? 'other' : 'directory-not-found';
  throw new SyncerError(code, `${source.title} does not exist`);
}

/** The rules of the plan, before an attempt. */
function rulesOf(setup: RunSetup, plan: SyncRequest): Rules {
  const { source, dest, options } = plan;
  const ground = commonGround(source, dest, options.modifyWindowNs);
  return planRules({ ...plan, run: startRun(setup), ground, limit: undefined });
}

/**
 * Whether a directory has a trash, on disks also further down: moved with it, neither undo nor the trash commands would
 * find that. Servers would need a request for each directory below. One that the user may not read counts as without:
 * file by file it could not be moved either.
 */
export async function hasTrash(remote: Remote, dir: string, op: Op): Promise<boolean> {
  try {
    const isTrash = await remote.stat(joinPath(dir, OWN_NAMES.trash), op);
    if (isTrash?.kind === 'dir') return true;
    if (remote.traits.onDisk !== true) return false;
    const below: string[] = [];
    for await (const page of listDir(remote, dir, op, () => {}))
      for (const { kind, path } of page) if (kind === 'dir') below.push(path);
    for (const each of below) if (await hasTrash(remote, each, op)) return true;
    return false;
  } catch (thrown) {
    if (remote.traits.onDisk && hasCode(thrown, 'access-denied', 'unreadable')) return false;
    throw thrown;
  }
}

async function exists(remote: Remote, op: Op): Promise<boolean> {
  return (await remote.stat('', op)) !== undefined;
}
