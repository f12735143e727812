import { isWithin } from '../core/remote-path.ts';
import type { Filter } from './filter.ts';
import { passAllFilter } from './pass-all-filter.ts';

/** A filter for a command whose source is one file: that file and no other; the rules do not apply to it. */
export function onlyFile(path: string): Filter {
  return {
    ...passAllFilter,
    passesAll: false,
    hasRules: true,
    fileList: new Set([path]),
    keepFile: (file) => file.path === path,
    keepPath: (name) => name === path,
    keepDir: (dir) => isWithin(dir, path),
  };
}
