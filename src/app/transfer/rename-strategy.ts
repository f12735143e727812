import { SyncerError } from '../../core/errors.ts';
import type { RenameStrategy } from '../../sync/match-renames.ts';

/** Reads `--track-renames-strategy`: names with commas between them. `size` always counts. Throws `usage`. */
export function readRenameStrategy(text: string): RenameStrategy {
  const names = (text === '' ? 'hash' : text).split(',');
  const unknown = names.find((name) => !['hash', 'modtime', 'leaf', 'size'].includes(name));
  if (unknown !== undefined) {
    throw new SyncerError('usage', `unknown track renames strategy "${unknown}"`, {
      advice: 'use a comma-separated list of hash, modtime, leaf',
    });
  }
  return {
    hash: names.includes('hash'),
    modTime: names.includes('modtime'),
    leaf: names.includes('leaf'),
  };
}
