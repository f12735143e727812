import { defined } from '../core/defined.ts';
import { SyncerError } from '../core/errors.ts';
import { asSeen } from '../core/mod-time.ts';
import type { FileEntry } from '../core/remote.ts';
import { areAlike } from '../core/remote-path.ts';
import { inReview } from './approval.ts';
import { type Compared, decideAsking } from './compare-pair.ts';
import { execute } from './execute.ts';
import { type SyncPlan, stoppableWork, verbOf } from './file-work.ts';
import { keepsReplaced } from './pass.ts';
import type { Attempt, RunSetup } from './run.ts';
import { attempt } from './sync.ts';
import { prepare, renameCase, settle } from './sync-files.ts';

/**
 * As `attemptSync` for a source that is one file: it goes to `path` of the destination. `isAgain` in all attempts but
 * the first: the file may have changed since.
 */
export async function attemptOneFile(
  setup: RunSetup,
  plan: SyncPlan,
  named: FileEntry,
  path: string,
  isAgain = false,
): Promise<Attempt> {
  return attempt(setup, { ...plan, isOne: true }, async (work) => {
    const { run, options, dest } = work;
    let now = named;
    if (isAgain) {
      const again = await plan.source.stat(named.path, run.op);
      if (again === undefined) {
        const text = `file not found: ${named.path}`;
        throw new SyncerError('file-not-found', text, { path: named.path });
      }
      // One that its path alone does not name stays as it was.
      if (again.kind === 'file' && again.id === named.id && named.storedPath === undefined)
        now = again;
    }
    const file = asSeen(now, setup.useServerModTime);
    const { emit } = run.context;
    const mustLook = options.immutable || keepsReplaced(work.passes);
    const looks = !options.noCheckDest || mustLook;
    const found = looks ? await dest.stat(path, stoppableWork(work).run.op) : undefined;
    const there = { remote: dest, file: { path, ...defined({ id: found?.id }) } };
    if (await run.places.isSameFile({ remote: work.source, file }, there)) {
      if (work.verb !== 'move' || file.path === path) return;
      if (!areAlike(file.path, path)) return run.log('notice', file.path, 'same-file');
      return inReview(run, async () => void (await renameCase(work, file, path)));
    }
    if (work.inPlace === true && found !== undefined) {
      const text = `"${file.path}" keeps its name: "${path}" exists`;
      throw new SyncerError('already-exists', text, { path: file.path });
    }
    if (found?.kind === 'dir' && dest.traits.emptyDirs) {
      throw new SyncerError('not-a-file', `${dest.title}: "${path}" is a directory not a file`);
    }
    let compared: Compared | undefined;
    if (found?.kind === 'file') {
      const pair = { source: file, dest: asSeen(found, setup.useServerModTime) };
      compared = await decideAsking(work, pair);
      if (compared === undefined) return run.outcomes?.stays(pair.dest);
    } else {
      run.outcomes?.compared('missing-on-dst', { source: file });
      if (options.existing) return;
    }
    await inReview(run, async () => {
      const isNew = { do: verbOf(work), source: file, path };
      const transfer = await (compared
        ? settle(work, compared, path)
        : prepare(work, isNew, 'named'));
      if (transfer === undefined) return;
      emit({ type: 'transfer-queued', files: 1, bytes: Math.max(0, file.size) });
      await execute(work, transfer);
    });
  });
}
