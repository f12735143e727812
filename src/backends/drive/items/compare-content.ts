import type { FileEntry } from '../../../core/remote.ts';

/** Compares what a file holds with another one, as listings tell them: `unknown` where no hash says it. */
export function compareContent(there: FileEntry, file: FileEntry): 'same' | 'other' | 'unknown' {
  if (there.isRewritten === true) return 'unknown';
  if (there.size !== file.size) return 'other';
  const both = Object.entries(there.hashes ?? {}).flatMap(([name, value]) => {
    const known = file.hashes?.[name as 'quickxor'];
    return known === undefined ? [] : [known === value];
  });
  if (both.includes(false)) return 'other';
  return both.length > 0 ? 'same' : 'unknown';
}
