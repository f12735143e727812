import { formatRemoteSpec, parseRemoteSpec } from '../../config/remote-spec.ts';
import { hasCode, SyncerError, toSyncerError } from '../../core/errors.ts';
import type { Op, Remote } from '../../core/remote.ts';
import type { Traits } from '../../core/traits.ts';
import type { Filter } from '../../filter/filter.ts';
import type { CommandCall, Remotes } from '../../shell/command-line/command.ts';
import { shownText } from '../../shell/log/shown-words.ts';
import { shellLine } from '../../system/shell-words.ts';

/** Opens the first argument as a directory. Rejects if it is a file. */
export async function openDirectory(invocation: CommandCall & Remotes): Promise<Remote> {
  const [spec = ''] = invocation.args;
  const { remote, file } = await invocation.remotes.openPath(spec);
  if (file === undefined) return remote;
  throw fileForDirectory(spec);
}

/** The error for a file given instead of a directory. */
export function fileForDirectory(spec: string): SyncerError {
  const path = shownText(spec);
  return new SyncerError('not-a-directory', `${path} is a file not a directory`, { path });
}

/** The error for deleting a missing directory: on disks and in buckets with exit code 1 and not 3, as in rclone. */
export function missingDirectory(thrown: unknown, { onDisk, bucketBased }: Traits): unknown {
  const isPlain = onDisk || bucketBased;
  const isMissing = hasCode(thrown, 'bucket-not-found', 'directory-not-found');
  return isPlain && isMissing
    ? new SyncerError('other', thrown.message, { cause: thrown })
    : thrown;
}

/** Looks at a directory before `doing`, `serve` or `mount`; one in memory is made. Rejects if it cannot be listed. */
export async function requireListing(
  remote: Remote,
  doing: string,
  spec: string,
  op: Op,
): Promise<void> {
  try {
    if (remote.traits.inProcess === true) await remote.makeDir('', op);
    await remote.listPage('', undefined, op);
  } catch (cause) {
    const { code, message, path, advice: given } = toSyncerError(cause);
    const create = `create it first: ${shellLine(['mkdir', shownText(spec)])}`;
    const advice = code === 'directory-not-found' ? create : given;
    throw new SyncerError(code, `cannot ${doing} ${spec}: ${message}`, { cause, path, advice });
  }
}

/**
 * Throws `usage` for a single file with filters other than `--max-depth`, as rclone does: the intention is ambiguous.
 *
 * @param isFile whether `spec` is a file
 */
export function refuseFilteredFile(filter: Filter, isFile: boolean, spec: string): void {
  if (!isFile || !filter.hasRules) return;
  throw new SyncerError(
    'usage',
    `can't limit to single files when using filters: ${shownText(spec)}`,
  );
}

/**
 * Splits the path of a file, which need not exist: `remote:a/b` is `b` in `remote:a`. Throws `usage` for a directory
 * (`a/`, `remote:`, `..`).
 */
export function splitFileSpec(spec: string): { readonly dir: string; readonly leaf: string } {
  const parsed = parseRemoteSpec(spec);
  const { path } = parsed;
  const slash = path.lastIndexOf('/');
  const leaf = path.slice(slash + 1);
  if (leaf === '' || leaf === '.' || leaf === '..') {
    throw new SyncerError('usage', `"${shownText(spec)}" is a directory, not a file`);
  }
  const here = parsed.name === '' ? '.' : '';
  const dir = slash < 0 ? here : slash === 0 ? '/' : path.slice(0, slash);
  return { dir: formatRemoteSpec({ ...parsed, path: dir }), leaf };
}
