import { SyncerError } from '../../../core/errors.ts';
import type { LogFields } from '../../../core/log-fields.ts';
import type { FileEntry } from '../../../core/remote.ts';
import type { OpenedPass, PassGround, Rename } from '../../pass.ts';
import { matchRenames, type RenameStrategy } from './match-renames.ts';
import { renameCandidates } from './rename-candidates.ts';

/** `--track-renames`: files that got another name at the source get it at the destination. */
export function renamePass(strategy: RenameStrategy): OpenedPass {
  return {
    seesAll: true,
    make: (work) => ({
      renamer: () =>
        mayTrack(work, strategy)
          ? (newFiles, extra) => findRenames(work, strategy, newFiles, extra)
          : undefined,
    }),
  };
}

/** Reads `--track-renames-strategy`: names with commas between them. `size` always counts. Throws `usage`. */
export function readRenameStrategy(text: string): RenameStrategy {
  const names = (text === '' ? 'hash' : text).split(',');
  const unknown = names.find((name) => !['hash', 'modtime', 'leaf', 'size'].includes(name));
  if (unknown !== undefined) {
    throw new SyncerError('usage', `unknown track renames strategy "${unknown}"`, {
      advice: 'use a comma-separated list of hash, modtime, leaf',
    });
  }
  return {
    hash: names.includes('hash'),
    modTime: names.includes('modtime'),
    leaf: names.includes('leaf'),
  };
}

/** Whether both sides have what the strategy needs; logs what they lack. */
function mayTrack({ run, ground, dest }: PassGround, strategy: RenameStrategy): boolean {
  const lacks: LogFields['renames-ignored']['lack'][] = [];
  const { moveFrom, copyFrom } = dest.can;
  if (moveFrom === undefined && copyFrom === undefined) lacks.push('server-side');
  if (strategy.hash && ground.hash === undefined) lacks.push('hash');
  if (strategy.modTime && ground.windowNs === undefined) lacks.push('mod-time');
  for (const lack of lacks) run.log('error', dest.title, 'renames-ignored', { lack });
  return lacks.length === 0;
}

/** The new files of the source that match an extra file of the destination. */
async function findRenames(
  work: PassGround,
  strategy: RenameStrategy,
  newFiles: readonly FileEntry[],
  extra: readonly FileEntry[],
): Promise<readonly Rename[]> {
  const { run } = work;
  const { title } = work.dest;
  run.log('info', title, 'renames-begin');
  // Files that may have been renamed by their sizes count as checks, as in rclone.
  const sizes = new Set(newFiles.map(({ size }) => size));
  const files = extra.reduce((sum, { size }) => (sizes.has(size) ? sum + 1 : sum), 0);
  run.context.emit({ type: 'check-queued', files });
  run.context.emit({ type: 'checked', files });
  const { source, dest } = await renameCandidates(work, strategy, newFiles, extra);
  const { renames, ambiguous } = matchRenames(source, dest, {
    windowNs: work.ground.windowNs ?? 1n,
    sameContent: strategy.hash,
  });
  run.log('info', title, 'renames-end');
  if (ambiguous > 0) run.log('info', title, 'renames-ambiguous', { files: ambiguous });
  return renames;
}
