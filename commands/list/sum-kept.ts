import type { KeptKind } from '../../src/core/entry-details.ts';
import { isTrashDir } from '../../src/core/own-names.ts';
import type { FileEntry } from '../../src/core/remote.ts';
import { parentPath } from '../../src/core/remote-path.ts';
import { type KeptShare, type KeptSizes, noKeptSizes } from '../../src/listing/kept-sizes.ts';
import { keptPages, openListing } from '../../src/run/listing/open-listing.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';

const SHARES: Readonly<Record<KeptKind, KeptShare>> = {
  current: 'current',
  old: 'old',
  marker: 'markers',
  'old-marker': 'markers',
  upload: 'uploads',
};

/**
 * Everything that takes space below the path of the first argument: current files, old versions, delete markers,
 * unfinished uploads and syncer's own trash, as far as the remote has them.
 */
export async function sumKept(invocation: Invocation): Promise<KeptSizes> {
  const [spec = ''] = invocation.args;
  const sizes = noKeptSizes();
  const add = (file: FileEntry) => {
    const { kind = 'current' } = file.kept ?? {};
    const share = kind === 'current' && isTrashDir(parentPath(file.path)) ? 'trash' : SHARES[kind];
    for (const sum of [sizes[share], sizes.total]) {
      sum.count++;
      sum.bytes += Math.max(0, file.size);
    }
  };
  const { can } = await invocation.remotes.openDir(spec);
  if (can.listVersions === undefined) {
    const listing = await openListing(invocation, spec, { showsOwn: true });
    for await (const page of listing.files({ anyOrder: true })) page.forEach(add);
    listing.finish();
    return sizes;
  }
  const filter = await invocation.filter();
  const op = { signal: invocation.context.signal };
  for (const list of [can.listVersions, can.listUploads]) {
    for await (const page of keptPages(list, filter, op)) page.forEach(add);
  }
  return sizes;
}
