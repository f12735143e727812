import { hasCode } from '../../core/errors.ts';
import { listDir } from '../../core/list-dir.ts';
import type { Op, Remote } from '../../core/remote.ts';
import { leafName } from '../../core/remote-path.ts';
import { CLOCK_PROOF_MS, hasBegunBefore, isRunId, provenTimeMs } from '../../core/run-id.ts';

/** The files that a run left in the trash. */
export interface TrashedRun {
  readonly id: string;
  /** Their directory, relative to the remote. */
  readonly dir: string;
}

/**
 * The runs with files in a trash, in any order; other entries are ignored.
 *
 * @param dir the trash, relative to the remote
 */
export async function trashedRuns(
  remote: Remote,
  dir: string,
  op: Op,
): Promise<readonly TrashedRun[]> {
  const found: TrashedRun[] = [];
  const fail = ({ error }: { readonly error: Error }) => {
    throw error;
  };
  try {
    for await (const page of listDir(remote, dir, op, fail)) {
      for (const { kind, path } of page) {
        const id = leafName(path);
        if (kind === 'dir' && isRunId(id)) found.push({ id, dir: path });
      }
    }
  } catch (thrown) {
    if (!hasCode(thrown, 'directory-not-found', 'bucket-not-found')) throw thrown;
  }
  return found;
}

/** How long what a run left stays in a trash. */
export interface TrashTerm {
  /** In milliseconds; infinite: always. */
  readonly keepMs: number;
  /** In milliseconds since the epoch. */
  readonly nowMs: number;
}

/** Deletes for good what runs left in a trash that began too long ago, as far as later ones prove that; returns their IDs. */
export async function emptyTrash(
  remote: Remote,
  dir: string,
  { keepMs, nowMs }: TrashTerm,
  op: Op,
): Promise<readonly string[]> {
  const runs = await trashedRuns(remote, dir, op);
  const ids = runs.map(({ id }) => id);
  const sinceMs = keepMs < CLOCK_PROOF_MS ? nowMs : provenTimeMs(ids, nowMs);
  const old = runs.filter(({ id }) => hasBegunBefore(id, sinceMs - keepMs));
  for (const run of old) await remote.can.purge?.(run.dir, op);
  return old.map(({ id }) => id);
}
