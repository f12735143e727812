import type { FileEntry, Op, Remote } from '../../core/remote.ts';
import { deleteOne } from '../../core/remote-calls.ts';
import type { CopyJob } from '../action.ts';
import type { SeenPath } from '../consent.ts';
import type { FileAt } from '../place/places.ts';
import type { Run } from '../run.ts';
import { type Before, loseOne } from './lose.ts';

/**
 * Loses a file of the source whose content `copy` has, unless that is the same file. Errors are counted.
 *
 * @param isProven `copy` has its content and time for sure
 */
export async function loseSource(
  { run, source: remote }: { readonly run: Run; readonly source: Remote },
  source: FileEntry,
  copy: FileAt | { readonly remote: Remote; readonly file: FileEntry },
  isProven = true,
): Promise<void> {
  try {
    const doomed = { remote, file: source };
    if (await run.places.isSameFile(doomed, copy))
      return run.log('notice', source.path, 'same-file');
    const { file } = copy;
    const others: readonly SeenPath[] =
      'kind' in file ? [{ remote: copy.remote, path: file.path, listed: file }] : [];
    const loss = {
      remote,
      why: 'moved',
      seen: () => others,
      spare: () => run.places.showApart(doomed, copy),
    } as const;
    const op = isProven ? withCopyAt(run.op, { ...copy, path: file.path }) : run.op;
    await loseOne(run, loss, source, () => deleteOne(remote, source, op, { ifUnchanged: true }));
  } catch (thrown) {
    run.fail(thrown, source.path, 'delete');
  }
}

/**
 * Loses the source of a copy that `before` makes, within a move that was asked about. Resolves to `over` if the budget
 * does not allow it: then the copy is not made. Rejects with the error of the file, which then is still there.
 *
 * @param copied the copied file, when it is copied
 * @param isPart the move is part of a change that does not count
 */
export function loseCopied(
  run: Run,
  { source: remote, file, dest, path, isStep }: CopyJob,
  { copied, isPart, ...before }: Before & { copied(): FileEntry; readonly isPart: boolean },
): Promise<'gone' | 'refused' | 'over' | 'later'> {
  const loss = { remote, why: 'moved', ask: 'agreed', isPart, isStep } as const;
  const op = withCopyAt(run.op, { remote: dest, path });
  const destroy = () => deleteOne(remote, copied(), op, { ifUnchanged: true });
  return loseOne(run, loss, file, destroy, before);
}

/** For the deletion of a file whose content is elsewhere. */
function withCopyAt(op: Op, spot: NonNullable<Op['change']>['keptAt']): Op {
  return { ...op, change: { ...op.change, ...(spot && { keptAt: spot }) } };
}
