import { SyncerError } from '../core/errors.ts';
import type { HashName } from '../core/hash-names.ts';
import type { ModTime } from '../core/mod-time.ts';
import type { Entry } from '../core/remote.ts';
import { goJson, sortedByKey } from '../go/go-json.ts';
import type { MimeTypes } from '../names/mime-types.ts';
import { csvLine } from './csv-line.ts';
import { formatDateTime } from './time-format.ts';

/** How a line of `lsf` is made. */
export interface LsfRules {
  readonly columns: readonly LsfColumn[];
  readonly separator: string;
  readonly csv: boolean;
  readonly dirSlash: boolean;
  /** A `/` in front of paths. */
  readonly absolute: boolean;
  /** The hash of the column `hash`. */
  readonly hash: HashName;
  /** The shown size of a directory. */
  readonly dirSize: number;
  /** Types of files whose own type is unknown. */
  readonly mimeTypes: MimeTypes;
  /** Time of entries whose own time is unknown. */
  readonly now: bigint;
  /** The remote has storage classes. */
  readonly tier: boolean;
  /** By default `2006-01-02 15:04:05` in local time. */
  readonly formatTime?: (time: ModTime) => string;
}

const COLUMNS = {
  p: 'path',
  s: 'size',
  t: 'time',
  h: 'hash',
  i: 'id',
  o: 'originalId',
  m: 'mimeType',
  T: 'tier',
  M: 'metadata',
} as const;

/** What can stand in a column. */
export type LsfColumn = (typeof COLUMNS)[keyof typeof COLUMNS];

/** The columns that the letters of `--format` name. Throws `usage` for an unknown letter. */
export function parseLsfFormat(format: string): LsfColumn[] {
  return [...format].map((letter) => {
    const column = (COLUMNS as Readonly<Record<string, LsfColumn>>)[letter];
    if (column !== undefined) return column;
    const known = Object.keys(COLUMNS).join(' ');
    throw new SyncerError('usage', `unknown format character '${letter}' (known are ${known})`);
  });
}

/** A line of `lsf`. */
export function lsfLine(entry: Entry, rules: LsfRules): string {
  const values = rules.columns.map((column) => columnValue(entry, column, rules));
  return rules.csv ? csvLine(values, rules.separator) : `${values.join(rules.separator)}\n`;
}

function columnValue(entry: Entry, column: LsfColumn, rules: LsfRules): string {
  const file = entry.kind === 'file' ? entry : undefined;
  switch (column) {
    case 'path':
      return `${rules.absolute ? '/' : ''}${entry.path}${!file && rules.dirSlash ? '/' : ''}`;
    case 'size':
      return String(file?.size ?? rules.dirSize);
    case 'time':
      return (rules.formatTime ?? formatDateTime)(entry.modTime ?? rules.now);
    case 'hash':
      return file?.hashes?.[rules.hash] ?? '';
    case 'id':
    case 'originalId':
      return entry.id ?? '';
    case 'mimeType':
      return mimeTypeOf(entry, rules.mimeTypes);
    case 'tier':
      return (rules.tier && file?.tier) || '';
    case 'metadata':
      return goJson(sortedByKey(entry.metadata ?? {}));
  }
}

/** The MIME type of an entry; `inode/directory` for directories. */
export function mimeTypeOf(entry: Entry, mimeTypes: MimeTypes): string {
  if (entry.kind === 'dir') return 'inode/directory';
  return entry.mimeType ?? mimeTypes(entry.path);
}
