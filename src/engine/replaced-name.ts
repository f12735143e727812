import { deleteOne } from '../core/deleting.ts';
import { SyncerError } from '../core/errors.ts';
import type { FileEntry, Remote } from '../core/remote.ts';
import type { Transfer } from './action.ts';
import type { Compared } from './compare-pair.ts';
import { decideAsking } from './decide-pair.ts';
import type { BothSides, FileWork } from './file-work.ts';
import { targetPath } from './name-transform.ts';
import { keepsReplaced } from './pass.ts';
import { perform } from './perform.ts';
import type { Run } from './run.ts';

/**
 * A file that replaces one whose name matches but is not identical keeps that name, unless the old file goes into the
 * backup. Then it gets its name at the source, as in rclone; but never replaces a third file of that name. A disk to
 * which both names are one keeps the old spelling.
 */
export async function underSourceName(work: FileWork, transfer: Transfer): Promise<Transfer> {
  const { run, dest } = work;
  const { source, replaces } = transfer;
  if (replaces === undefined || replaces.path === source.path) return transfer;
  if (work.options.transform !== undefined || !keepsReplaced(work.passes)) return transfer;
  if (dest.traits.onDisk && (await isOneName(run, dest, replaces.path, source.path)))
    return transfer;
  const isFree = await isNameFree(run, dest, replaces.path, source.path);
  return isFree ? { ...transfer, path: source.path } : transfer;
}

/**
 * Whether a file stays at the source because the destination, which ignores case, has other content under another
 * spelling of its name: that may be what an earlier `move` left there of a second file, and the source has only one of
 * them now. Counted as an error. A backup or a trash keeps what is replaced, so that nothing is lost. Never rejects.
 */
export async function refuseSpelling(
  work: FileWork,
  compared: Compared,
  wanted?: string,
): Promise<boolean> {
  const { run, options } = work;
  const { source, decision, isSameContent } = compared;
  const { why } = decision.reason;
  if (isSameContent || decision.action === 'refuse') return false;
  if (why === 'ignore-existing' || why === 'sizes-identical') return false;
  const isKept = options.keepsReplaced === true || keepsReplaced(work.passes);
  if (decision.action === 'transfer' && isKept) return false;
  try {
    const stored = await otherSpelling(work, compared, wanted);
    if (stored === undefined) return false;
    if (decision.action === 'skip' && why !== 'dest-newer') {
      const byContent = { ...work, options: { ...options, checksum: true } };
      const result = await decideAsking(byContent, compared);
      if (result?.decision.action === 'skip') return false;
      if (result === undefined) return true;
    }
    const text = `"${source.path}" is not moved: at the destination it is the same file as "${stored}", which differs in case or Unicode form, and in content`;
    const advice = 'rename one of them, or keep the other with --trash, --backup-dir or --suffix';
    throw new SyncerError('already-exists', text, { path: source.path, advice });
  } catch (thrown) {
    run.fail(thrown, source.path, 'move');
    return true;
  }
}

/** The path of a file at the destination, if the one that it would get is another spelling of it. */
async function otherSpelling(
  { run, dest, options: { transform } }: FileWork,
  { source, dest: { path, storedPath } }: Compared,
  given?: string,
): Promise<string | undefined> {
  const stored = storedPath ?? dest.can.naming?.storedPath(path) ?? path;
  const own = given ?? source.path;
  const isOwn = transform === undefined || given !== undefined;
  const wanted = isOwn ? own : ((await targetPath(run, transform, own)) ?? own);
  if (stored === wanted) return undefined;
  return path === wanted || (await isOneName(run, dest, path, wanted)) ? stored : undefined;
}

/** Whether a file can get a name: nothing has it, or the remote treats it as the file's own. */
export async function isNameFree(
  run: Run,
  remote: Remote,
  path: string,
  wanted: string,
): Promise<boolean> {
  return (
    (await isOneName(run, remote, path, wanted)) ||
    (await remote.stat(wanted, run.op)) === undefined
  );
}

/** Deletes a replaced file of another name. */
export async function deleteReplaced(
  { run, dest }: Pick<FileWork, 'run' | 'dest'>,
  { replaces, path }: Transfer,
): Promise<void> {
  if (replaces === undefined || (await isOneName(run, dest, replaces.path, path))) return;
  await deleteOne(dest, replaces, run.op);
  run.log('info', replaces.path, 'deleted-replaced', { by: path });
}

function isOneName(run: Run, remote: Remote, path: string, other: string): Promise<boolean> {
  return run.places.isSameFile({ remote, file: { path } }, { remote, file: { path: other } });
}

/**
 * Moves a file to a name that its remote treats as the same: only by a server-side move, as a copy would be written
 * onto the file, and deleting the old name would delete both. Errors are counted; they, and a refusal, give `undefined`.
 */
export async function renameCase(
  { run, source, dest }: Pick<FileWork, 'run' | 'source' | 'dest'>,
  file: FileEntry,
  path: string,
): Promise<FileEntry | undefined> {
  try {
    const rename = { do: 'rename', path: file.path, to: path, file } as const;
    const seen = [{ remote: source, path: file.path, listed: file }];
    return (await perform(run, dest, rename, { seen, from: source }))?.file;
  } catch (thrown) {
    run.fail(thrown, file.path, 'move');
    return undefined;
  }
}

/**
 * `convmv`: the rename of a file whose new name exists, if that is the same file in another case. Otherwise the file
 * keeps its name, which is counted as an error: no other file is replaced.
 */
export async function otherCase(
  { run, source: remote, dest: target }: FileWork,
  { source, dest }: BothSides,
  path: string,
): Promise<Transfer | undefined> {
  const own = { remote, file: source };
  if (await run.places.isSameFile(own, { remote: target, file: dest }))
    return { do: 'move', source, path };
  const text = `"${source.path}" keeps its name: "${path}" exists`;
  const error = new SyncerError('already-exists', text, { path: source.path });
  run.fail(error, source.path, 'rename');
  return undefined;
}
