import { csvSeparator } from '../../listing/csv-line.ts';
import type { WantedDetails } from '../../listing/detail-reader.ts';
import { parseHashName } from '../../listing/hash-name.ts';
import { type LsfRules, parseLsfFormat } from '../../listing/lsf-format.ts';
import { systemMimeTypes } from '../../names/mime-types.ts';
import type { Flags } from '../../shell/flags/flag-table.ts';

/** What the flags of `lsf` say about its lines, which are those of `--dest-after` too. */
type LsfOptions = Omit<LsfRules, 'dirSize' | 'now' | 'tier' | 'formatTime'>;

/** Reads the flags of `lsf`. Throws `command-line` for an unknown column or hash. */
export function lsfOptions(flags: Flags): LsfOptions {
  const { csv, separator = csv ? ',' : ';' } = flags;
  return {
    columns: parseLsfFormat(flags.format),
    hash: parseHashName(flags['lsf-hash']),
    separator: csv ? csvSeparator(separator) : separator,
    csv,
    dirSlash: flags['dir-slash'],
    absolute: flags.absolute,
    mimeTypes: systemMimeTypes(),
  };
}

/** What the columns show besides what a listing has. */
export function lsfDetails({ columns, hash }: LsfOptions): Omit<WantedDetails, 'useServerModTime'> {
  return {
    modTime: columns.includes('time'),
    mimeType: columns.includes('mimeType'),
    metadata: columns.includes('metadata'),
    hashes: columns.includes('hash') ? [hash] : [],
  };
}
