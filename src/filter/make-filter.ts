import type { FileList } from './file-lists.ts';
import type { Filter, FilterSubject } from './filter.ts';
import type { FilterRules } from './filter-rules.ts';
import { describeAge, isWithinSizeAndAge, type SizeAndAge } from './size-and-age.ts';

/** What a filter is made of. */
export interface FilterParts {
  /** Absent where no flag gives any. */
  readonly rules: FilterRules | undefined;
  /** For `key=value` of the metadata. */
  readonly metadataRules?: FilterRules | undefined;
  readonly bounds: SizeAndAge;
  readonly list: FileList | undefined;
  readonly markerFiles: readonly string[];
  readonly maxDepth: number;
  readonly deleteExcluded: boolean;
  /** Whether a path is in the part of `--hash-filter`. */
  readonly isInPart?: ((path: string) => boolean) | undefined;
}

/** The filter of these parts. */
export function makeFilter(parts: FilterParts): Filter {
  const { rules, bounds, list, markerFiles, maxDepth, deleteExcluded, isInPart } = parts;
  const needsModTime = bounds.oldest !== undefined || bounds.newest !== undefined;
  const hasBounds = needsModTime || bounds.minSize !== undefined || bounds.maxSize !== undefined;
  const passesRules = rules?.fileTest() ?? (() => true);
  const keepsFile =
    isInPart === undefined ? passesRules : (path: string) => isInPart(path) && passesRules(path);
  const passesMetadata = metadataTest(parts.metadataRules);
  const keepsDir = rules?.dirTest() ?? (() => true);
  const isRuled = rules?.isEmpty === false;
  const hasRules =
    isRuled ||
    passesMetadata !== undefined ||
    hasBounds ||
    isInPart !== undefined ||
    list !== undefined ||
    markerFiles.length > 0;
  return {
    passesAll: !hasRules && maxDepth < 0,
    hasRules,
    looksBeyondPaths: hasBounds || markerFiles.length > 0,
    needsModTime,
    needsMetadata: passesMetadata !== undefined,
    deleteExcluded,
    markerFiles,
    maxDepth,
    fileList: list?.files,
    prunesDirs: rules?.prunesDirs ?? false,
    keepFile(file) {
      if (list !== undefined) return list.files.has(file.path);
      if (!isWithinSizeAndAge(bounds, file) || !keepsFile(file.path)) return false;
      return passesMetadata?.(file) ?? true;
    },
    keepPath: (path) => list?.files.has(path) ?? keepsFile(path),
    keepDir(path) {
      if (path === '') return true;
      return list === undefined ? keepsDir(`${path}/`) : list.dirs.has(path);
    },
    describe() {
      const { files = [], dirs = [] } = rules?.describe() ?? {};
      const lines = [
        '--- File filter rules ---',
        ...files,
        '--- Directory filter rules ---',
        ...dirs,
        ...describeMetadata(parts.metadataRules),
      ];
      return [...describeAge(bounds), ...lines].join('\n');
    },
  };
}

/** rclone's text for a file without metadata. */
const NO_METADATA = '\0';

/** Whether a file passes by its metadata, as far as that is known; `undefined` without rules. */
function metadataTest(
  rules: FilterRules | undefined,
): ((file: FilterSubject) => boolean) | undefined {
  if (rules === undefined || rules.isEmpty) return undefined;
  const test = rules.anyTest();
  return ({ metadata }) => {
    if (metadata === undefined) return true;
    const pairs = Object.entries(metadata).map(([key, value]) => `${key}=${value}`);
    return test(pairs.length === 0 ? [NO_METADATA] : pairs);
  };
}

function describeMetadata(rules: FilterRules | undefined): readonly string[] {
  if (rules === undefined || rules.isEmpty) return [];
  return ['--- Metadata filter rules ---', ...rules.describe().files];
}
