import type { Filter } from './filter.ts';

/** The filter of a run without filter flags. */
export const passAllFilter: Filter = {
  passesAll: true,
  hasRules: false,
  needsModTime: false,
  deleteExcluded: false,
  markerFiles: [],
  maxDepth: -1,
  fileList: undefined,
  keepFile: () => true,
  keepPath: () => true,
  keepDir: () => true,
  describe: () => '--- File filter rules ---\n--- Directory filter rules ---',
};
