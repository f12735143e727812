import type { FileList } from './file-lists.ts';
import type { Filter, FilterSubject, FilterVerdict } from './filter.ts';
import type { FilterRules, RuleTest } from './filter-rules.ts';
import {
  describeBounds,
  explainSizeAndAge,
  isWithinSizeAndAge,
  type SizeAndAge,
} from './size-and-age.ts';

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

const NO_RULES: RuleTest = { keeps: () => true, explain: () => ({ keeps: true }) };

function listed(keeps: boolean): FilterVerdict {
  return { keeps, rule: keeps ? 'in the list' : 'not in the list', from: '--files-from' };
}

/** The filter of these parts. */
export function makeFilter(parts: FilterParts): Filter {
  const { rules, bounds, list, markerFiles, maxDepth, deleteExcluded, isInPart } = parts;
  const needsModTime = bounds.oldest !== undefined || bounds.newest !== undefined;
  const hasBounds = needsModTime || bounds.minSize !== undefined || bounds.maxSize !== undefined;
  const fileTest = rules?.fileTest() ?? NO_RULES;
  const passesRules = fileTest.keeps;
  const keepsFile =
    isInPart === undefined ? passesRules : (path: string) => isInPart(path) && passesRules(path);
  const explainMetadata = metadataTest(parts.metadataRules);
  const dirTest = rules?.dirTest() ?? NO_RULES;
  const isRuled = rules?.isEmpty === false;
  const hasRules =
    isRuled ||
    explainMetadata !== undefined ||
    hasBounds ||
    isInPart !== undefined ||
    list !== undefined ||
    markerFiles.length > 0;
  return {
    passesAll: !hasRules && maxDepth < 0,
    hasRules,
    looksBeyondPaths: hasBounds || markerFiles.length > 0,
    needsModTime,
    usesStoredTime: bounds.usesStoredTime,
    needsMetadata: explainMetadata !== undefined,
    deleteExcluded,
    markerFiles,
    maxDepth,
    fileList: list?.files,
    prunesDirs: rules?.prunesDirs ?? false,
    keepFile(file) {
      if (list !== undefined) return list.files.has(file.path);
      if (!isWithinSizeAndAge(bounds, file) || !keepsFile(file.path)) return false;
      return explainMetadata?.(file).keeps ?? true;
    },
    keepPath: (path) => list?.files.has(path) ?? keepsFile(path),
    keepDir(path) {
      if (path === '') return true;
      return list === undefined ? dirTest.keeps(`${path}/`) : list.dirs.has(path);
    },
    explainFile(file) {
      if (list !== undefined) return listed(list.files.has(file.path));
      const outside = explainSizeAndAge(bounds, file);
      if (outside !== undefined) return { keeps: false, ...outside };
      if (isInPart?.(file.path) === false) {
        return { keeps: false, rule: 'in another part', from: '--hash-filter' };
      }
      const byPath = fileTest.explain([file.path]);
      const byMetadata = byPath.keeps ? explainMetadata?.(file) : undefined;
      return byMetadata?.rule === undefined ? byPath : byMetadata;
    },
    explainDir(path) {
      if (path === '') return { keeps: true };
      return list === undefined ? dirTest.explain([`${path}/`]) : listed(list.dirs.has(path));
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
      return [...describeBounds(bounds), ...lines].join('\n');
    },
  };
}

/** rclone's text for a file without metadata. */
const NO_METADATA = '\0';

/** Whether a file passes by its metadata, as far as that is known, and why; `undefined` without rules. */
function metadataTest(
  rules: FilterRules | undefined,
): ((file: FilterSubject) => FilterVerdict) | undefined {
  if (rules === undefined || rules.isEmpty) return undefined;
  const test = rules.fileTest();
  return ({ metadata }) => {
    if (metadata === undefined) return { keeps: true };
    const pairs = Object.entries(metadata).map(([key, value]) => `${key}=${value}`);
    return test.explain(pairs.length === 0 ? [NO_METADATA] : pairs);
  };
}

function describeMetadata(rules: FilterRules | undefined): readonly string[] {
  if (rules === undefined || rules.isEmpty) return [];
  return ['--- Metadata filter rules ---', ...rules.describe().files];
}
