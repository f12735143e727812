import type { KeptKind } from '../../src/core/entry-details.ts';
import { isTrashDir } from '../../src/core/own-names.ts';
import type { FileEntry } from '../../src/core/remote.ts';
import { parentPath } from '../../src/core/remote-path.ts';
import { formatSizeUnit } from '../../src/go/quantities.ts';
import { keptPages, openListing } from '../../src/run/listing/open-listing.ts';
import type { CommandCall, Remotes } from '../../src/shell/command-line/command.ts';

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
export async function sumKept(invocation: CommandCall & Remotes): Promise<KeptSizes> {
  const [spec = ''] = invocation.args;
  const none = () => ({ count: 0, bytes: 0 });
  const shares = Object.keys(NAMES).map((share) => [share, none()]);
  const sizes: KeptSizes = Object.fromEntries(shares);
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

/** What takes space. */
type KeptShare = 'current' | 'old' | 'markers' | 'uploads' | 'trash' | 'total';

/** What `size --all` counts. */
type KeptSizes = Readonly<Record<KeptShare, { count: number; bytes: number }>>;

const NAMES: Readonly<Record<KeptShare, string>> = {
  current: 'Current files',
  old: 'Old versions',
  markers: 'Delete markers',
  uploads: 'Unfinished uploads',
  trash: 'Trash',
  total: 'Total',
};

/** The lines that `size --all` prints. */
export function keptSizesText(sizes: KeptSizes): string {
  const rows = (Object.entries(NAMES) as [KeptShare, string][]).map(([share, name]) => {
    const { count, bytes } = sizes[share];
    return [`${name}:`, `${count}`, `${formatSizeUnit(bytes)} (${bytes} Byte)`] as const;
  });
  const width = (at: 0 | 1) => Math.max(...rows.map((row) => row[at].length));
  const [names, counts] = [width(0), width(1)];
  return rows
    .map(([name, count, size]) => `${name.padEnd(names)}  ${count.padStart(counts)}  ${size}\n`)
    .join('');
}
