import { SyncerError } from '../../core/errors.ts';
import type { FileEntry, Op, Remote } from '../../core/remote.ts';
import type { Filter } from '../../filter/filter.ts';
import { cannotUse } from '../../shell/flags/exclusions.ts';

/** What a capability lists of the root of a remote, without what the filter excludes. Throws `usage` for one that cannot. */
export async function* keptPages(
  list: ((path: string, op: Op) => AsyncIterable<readonly FileEntry[]>) | undefined,
  filter: Filter,
  op: Op,
): AsyncGenerator<readonly FileEntry[]> {
  if (list === undefined) return;
  if (filter.needsMetadata === true) {
    throw cannotUse('filters for metadata', 'old versions', 'listings have no metadata');
  }
  for await (const page of list('', op)) {
    yield filter.passesAll ? page : page.filter((file) => filter.keepFile(file));
  }
}

/** The list of versions of a remote. Rejects with `unsupported` if it keeps none. */
export function versionPages(
  { can, title }: Remote,
  filter: Filter,
  op: Op,
): AsyncGenerator<readonly FileEntry[]> {
  if (can.listVersions !== undefined) return keptPages(can.listVersions, filter, op);
  throw new SyncerError('unsupported', `${title} has no old versions that can be listed`);
}
