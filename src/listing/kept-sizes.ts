import { formatSizeUnit } from '../go/byte-size.ts';

/** What takes space, besides current files. */
export type KeptShare = 'current' | 'old' | 'markers' | 'uploads' | 'trash' | 'total';

/** A number of things and their size in bytes. */
interface KeptSum {
  count: number;
  bytes: number;
}

/** What `size --all` counts. */
export type KeptSizes = Readonly<Record<KeptShare, KeptSum>>;

/** Nothing counted yet. */
export function noKeptSizes(): KeptSizes {
  const none = (): KeptSum => ({ count: 0, bytes: 0 });
  return {
    current: none(),
    old: none(),
    markers: none(),
    uploads: none(),
    trash: none(),
    total: none(),
  };
}

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

/** The line that `size --all --json` prints. */
export function keptSizesJson(sizes: KeptSizes): string {
  return `${JSON.stringify(sizes)}\n`;
}
