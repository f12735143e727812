import { SyncerError } from '../core/errors.ts';
import type { FileEntry } from '../core/remote.ts';
import type { CopyJob, CopyRules } from './copy-job.ts';
import type { Run } from './run.ts';

/**
 * Compares the destination's report of the new file with the source, without a further request. Wrong content is
 * undone if the remote can.
 */
export async function verify(
  run: Run,
  job: CopyJob,
  written: FileEntry,
  rules: CopyRules,
): Promise<void> {
  try {
    compareWritten(job, written, rules);
  } catch (error) {
    await job.dest.can.takeBack?.(written, {}, run.op);
    throw error;
  }
}

function compareWritten(job: CopyJob, written: FileEntry, rules: CopyRules): void {
  const { file } = job;
  if (written.isRewritten === true) return;
  if (!rules.ignoreSize && file.size >= 0 && written.size >= 0 && file.size !== written.size) {
    throw new SyncerError(
      'corrupted',
      `corrupted on transfer: sizes differ ${file.size} vs ${written.size}`,
    );
  }
  // A hash that does not count was left out before the destination verified the others.
  if (rules.ignoreChecksum || job.source.can.hashesInDoubt?.(file) === true) return;
  for (const name of ['md5', 'sha1', 'quickxor', 'sha256', 'crc32'] as const) {
    const [a, b] = [file.hashes?.[name], written.hashes?.[name]];
    if (a === undefined || b === undefined || a === b) continue;
    throw new SyncerError(
      'corrupted',
      `corrupted on transfer: ${name} hash differ "${a}" vs "${b}"`,
    );
  }
}
