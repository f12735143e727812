import { type ErrorCode, SyncerError, toSyncerError } from '../core/errors.ts';
import {
  asSeen,
  type ModTime,
  modTimeFromMs,
  modTimeToMs,
  parseDateTime,
  splitModTime,
} from '../core/mod-time.ts';
import { cleanPath } from '../core/remote-path.ts';
import { goErrno } from '../go/go-texts.ts';
import { DURATION_OFF, formatSizeUnit, parseDuration } from '../go/quantities.ts';
import { type FileList, fileList, nulLines, rawLines, ruleLines } from './file-lists.ts';
import type { Filter, FilterSubject, FilterVerdict } from './filter.ts';
import type { FilterRuleOptions, FilterRules, RuleTest } from './filter-rules.ts';

/** The kinds of rules, in the order in which they are taken. */
const KINDS = ['include', 'exclude', 'filter'] as const;

/** Before the flags of rules for metadata. */
type Prefix = '' | 'metadata-';

type RuleFlag = `${Prefix}${(typeof KINDS)[number]}`;
type ListFlag =
  | RuleFlag
  | `${RuleFlag}-from`
  | ('files-from' | 'files-from-raw' | 'files-from0' | 'exclude-if-present');

/** The filter flags as given, by their names; lists in the order in which they were given. */
export interface FilterOptions
  extends Readonly<Partial<Record<ListFlag, readonly string[] | undefined>>> {
  /** `K/N`: one part of all files, by a hash of their paths. */
  readonly 'hash-filter'?: string | undefined;
  /** In bytes; -1 is `off`. */
  readonly 'min-size'?: number | undefined;
  readonly 'max-size'?: number | undefined;
  /** As text: an age counts from the moment the filter is built. */
  readonly 'min-age'?: string | undefined;
  readonly 'max-age'?: string | undefined;
  /** Ages are those of `storedTime`, where it is known. */
  readonly 'use-server-modtime'?: boolean | undefined;
  readonly 'ignore-case'?: boolean | undefined;
  readonly 'delete-excluded'?: boolean | undefined;
  readonly 'max-depth'?: number | undefined;
}

/** Reads a file of patterns or names as `userText` does; `-` is stdin. */
export type ReadList = (path: string, how?: { readonly allowsNul: boolean }) => Promise<string>;

/**
 * The filter that these flags describe. Whatever the order on the command line, rules are taken kind by kind:
 * include, include-from, exclude, exclude-from, filter, filter-from; after an include all else is excluded.
 * Rejects with `usage`, naming flag, pattern and reason, where a flag makes no sense or a file cannot be read.
 */
export async function buildFilter(
  flags: FilterOptions,
  readList: ReadList,
  nowMs: number,
): Promise<Filter> {
  const rules = await readRules('', flags, readList, { ignoreCase: flags['ignore-case'] });
  // A list of files has the say where the files of patterns are empty.
  if (rules !== undefined && includes('', flags) && !(listsOf(flags).length > 0 && rules.isEmpty))
    rules.add(false, '/**', 'all that no --include names');
  const metadataRules = await readRules('metadata-', flags, readList, { isPlain: true });
  if (includes('metadata-', flags))
    metadataRules?.add(false, '/**', 'all that no --metadata-include names');
  const ageBounds = readAges(flags, nowMs);
  const { 'hash-filter': part } = flags;
  const { hashFilter } = part ? await import('./hash-filter.ts') : {};
  const parts: FilterParts = {
    rules,
    metadataRules,
    ageBounds,
    sizeBounds: [
      ...sizeBound('--min-size', flags['min-size']),
      ...sizeBound('--max-size', flags['max-size']),
    ],
    usesStoredTime: flags['use-server-modtime'] ?? false,
    markerFiles: (flags['exclude-if-present'] ?? []).map(cleanPath).filter((name) => name !== ''),
    maxDepth: flags['max-depth'] ?? -1,
    deleteExcluded: flags['delete-excluded'] ?? false,
    isInPart: part ? named('--hash-filter', () => hashFilter?.(part)) : undefined,
    list: undefined,
  };
  const list = await readFileList(flags, readList, makeFilter({ ...parts, maxDepth: -1 }));
  return makeFilter({ ...parts, list });
}

/** Throws `command-line` for an invalid age, `usage` where `--min-age` is above `--max-age`. */
function readAges(flags: FilterOptions, nowMs: number): readonly Bound[] {
  const [newest, oldest] = (['min-age', 'max-age'] as const).map((flag) => {
    const text = flags[flag];
    if (text === undefined) return undefined;
    const age = named(`--${flag}`, () => parseDuration(text, nowMs), 'command-line');
    // rclone takes a date for a distance from now, and looks at the clock again when it makes the bound of it, which
    // so lies a moment after the date: a file of exactly that time is older than it.
    const momentMs = parseDateTime(text) === undefined ? 0 : 0.1;
    return age === DURATION_OFF ? undefined : modTimeFromMs(nowMs - (age - momentMs));
  });
  if (oldest !== undefined && newest !== undefined && newest < oldest) {
    throw new SyncerError('usage', "--min-age can't be larger than --max-age");
  }
  return [...timeBound('--max-age', oldest), ...timeBound('--min-age', newest)];
}

function includes(prefix: Prefix, flags: FilterOptions): boolean {
  const {
    [`${prefix}include` as const]: texts = [],
    [`${prefix}include-from` as const]: files = [],
  } = flags;
  return texts.length + files.length > 0;
}

/** The rules of the flags; `undefined` where there are none, so that nothing is loaded for them. */
async function readRules(
  prefix: Prefix,
  flags: FilterOptions,
  readList: ReadList,
  how: FilterRuleOptions,
): Promise<FilterRules | undefined> {
  const given = KINDS.map((kind) => {
    const flag = `${prefix}${kind}` as const;
    return { kind, flag, texts: flags[flag] ?? [], paths: flags[`${flag}-from`] ?? [] };
  });
  if (given.every(({ texts, paths }) => texts.length + paths.length === 0)) return undefined;
  const rules = new (await import('./filter-rules.ts')).FilterRules(how);
  for (const { kind, flag, texts, paths } of given) {
    const add = (text: string, from: string) =>
      kind === 'filter' ? rules.addFilter(text, from) : rules.add(kind === 'include', text, from);
    for (const text of texts) named(`--${flag}`, () => add(text, `--${flag}`));
    for (const path of paths) {
      for (const { text, number } of ruleLines(await readFrom(`--${flag}-from`, path, readList))) {
        const at = `--${flag}-from ${path}, line ${number}`;
        named(at, () => add(text, at));
      }
    }
  }
  return rules;
}

/** The files with lists of files, with their flags and how they are read. */
function listsOf(flags: FilterOptions) {
  const lists = [
    ['files-from', ruleLines],
    ['files-from-raw', rawLines],
    ['files-from0', nulLines],
  ] as const;
  return lists.flatMap(([flag, lines]) =>
    (flags[flag] ?? []).map((path) => ({ flag: `--${flag}`, path, lines })),
  );
}

async function readFileList(
  flags: FilterOptions,
  readList: ReadList,
  others: Filter,
): Promise<FileList | undefined> {
  const sources = listsOf(flags);
  const [first] = sources;
  if (first === undefined) return undefined;
  if (!others.passesAll) {
    throw new SyncerError(
      'usage',
      `${first.flag} overrides all other filters: use it alone or with --files-from, --files-from-raw and --files-from0`,
    );
  }
  const paths: string[] = [];
  for (const { flag, path, lines } of sources) {
    const text = await readFrom(flag, path, readList, lines === nulLines);
    for (const line of lines(text)) paths.push(line.text);
  }
  return fileList(paths);
}

async function readFrom(
  flag: string,
  path: string,
  readList: ReadList,
  allowsNul = false,
): Promise<string> {
  try {
    return await readList(path, { allowsNul });
  } catch (thrown) {
    const why = goErrno(toSyncerError(thrown).cause ?? thrown);
    throw new SyncerError('usage', `cannot read ${flag} ${path}: ${why}`, { path, cause: thrown });
  }
}

/** Runs `action`; what it throws names the flag. */
function named<T>(flag: string, action: () => T, code: ErrorCode = 'usage'): T {
  try {
    return action();
  } catch (thrown) {
    throw new SyncerError(code, `${flag}: ${toSyncerError(thrown).message}`, { cause: thrown });
  }
}

/** What a filter is made of. */
interface FilterParts {
  /** Absent where no flag gives any. */
  readonly rules: FilterRules | undefined;
  /** For `key=value` of the metadata. */
  readonly metadataRules?: FilterRules | undefined;
  readonly ageBounds: readonly Bound[];
  readonly sizeBounds: readonly Bound[];
  /** Times are those at which the store wrote the files, if it says them (`--use-server-modtime`). */
  readonly usesStoredTime: boolean;
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
function makeFilter(parts: FilterParts): Filter {
  const { rules, list, markerFiles, maxDepth, deleteExcluded, isInPart, usesStoredTime } = parts;
  const bounds = [...parts.ageBounds, ...parts.sizeBounds];
  const hasBounds = bounds.length > 0;
  const missed = (file: FilterSubject): Bound | undefined => {
    if (!hasBounds) return undefined;
    const seen = asSeen(file, usesStoredTime);
    return bounds.findLast((bound) => bound.excludes(seen));
  };
  const fileTest = rules?.files.test() ?? NO_RULES;
  const passesRules = fileTest.keeps;
  const keepsFile =
    isInPart === undefined ? passesRules : (path: string) => isInPart(path) && passesRules(path);
  const metadataTest =
    parts.metadataRules?.isEmpty === false ? parts.metadataRules.files.test() : undefined;
  // As far as metadata are known; rclone's text for a file without any.
  const explainMetadata =
    metadataTest &&
    (({ metadata }: FilterSubject): FilterVerdict => {
      if (metadata === undefined) return { keeps: true };
      const pairs = Object.entries(metadata).map(([key, value]) => `${key}=${value}`);
      return metadataTest.explain(pairs.length === 0 ? ['\0'] : pairs);
    });
  const dirTest = rules?.dirs.test() ?? NO_RULES;
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
    needsModTime: parts.ageBounds.length > 0,
    usesStoredTime,
    needsMetadata: explainMetadata !== undefined,
    deleteExcluded,
    markerFiles,
    maxDepth,
    fileList: list?.files,
    prunesDirs: rules?.prunesDirs ?? false,
    keepFile(file) {
      if (list !== undefined) return list.files.has(file.path);
      if (missed(file) !== undefined || !keepsFile(file.path)) return false;
      return explainMetadata?.(file).keeps ?? true;
    },
    keepPath: (path) => list?.files.has(path) ?? keepsFile(path),
    keepDir(path) {
      if (path === '') return true;
      return list === undefined ? dirTest.keeps(`${path}/`) : list.dirs.has(path);
    },
    explainFile(file) {
      if (list !== undefined) return listed(list.files.has(file.path));
      const bound = missed(file);
      if (bound !== undefined) {
        const rule = bound.why(asSeen(file, usesStoredTime));
        return { keeps: false, rule, from: bound.flag };
      }
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
      const ofMetadata = parts.metadataRules?.files.describe() ?? [];
      return [
        ...bounds.map(({ line }) => line),
        '--- File filter rules ---',
        ...(rules?.files.describe() ?? []),
        '--- Directory filter rules ---',
        ...(rules?.dirs.describe() ?? []),
        ...(ofMetadata.length === 0 ? [] : ['--- Metadata filter rules ---', ...ofMetadata]),
      ].join('\n');
    },
  };
}

/** A bound of the sizes or of the times of files, which is inclusive. */
interface Bound {
  readonly flag: string;
  /** As `--dump filters` prints it. */
  readonly line: string;
  /** Whether a file does not meet it. A size that is not known (-1) is below every `--min-size`. */
  excludes(file: FilterSubject): boolean;
  why(file: FilterSubject): string;
}

/** The bound that `--min-size` or `--max-size` is; none for -1. */
function sizeBound(flag: '--min-size' | '--max-size', bound = -1): readonly Bound[] {
  if (bound < 0) return [];
  const isMin = flag === '--min-size';
  const than = `${isMin ? 'less' : 'more'} than ${bound}`;
  const why = ({ size }: FilterSubject) =>
    `${size < 0 ? 'an unknown size is' : `${size} bytes are`} ${than}`;
  const line = `${isMin ? 'Minimum' : 'Maximum'} size is: ${formatSizeUnit(bound)}`;
  return [{ flag, line, excludes: ({ size }) => (isMin ? size < bound : size > bound), why }];
}

/** The bound that `--max-age` or `--min-age` is; none for an age that is off. */
function timeBound(flag: '--max-age' | '--min-age', bound: ModTime | undefined): readonly Bound[] {
  if (bound === undefined) return [];
  const isOldest = flag === '--max-age';
  const text = formatTime(bound);
  const line = `Last-modified date must be equal or ${isOldest ? 'greater' : 'less'} than: ${text}`;
  const excludes = ({ modTime = bound }: FilterSubject) =>
    isOldest ? modTime < bound : modTime > bound;
  const why = ({ modTime = 0n }: FilterSubject) =>
    `${formatTime(modTime)} is ${isOldest ? 'before' : 'after'} ${text}`;
  return [{ flag, line, excludes, why }];
}

/** The furthest time from the epoch that has a date, in milliseconds. */
const FURTHEST_MS = 8.64e15;

/** `2026-11-18 09:35:18.627456339 +0000 UTC`. */
function formatTime(time: ModTime): string {
  const ms = Math.max(-FURTHEST_MS, Math.min(modTimeToMs(time), FURTHEST_MS));
  const date = new Date(ms).toISOString().replace('T', ' ').slice(0, -5);
  return `${date}.${String(splitModTime(time).nanoseconds).padStart(9, '0')} +0000 UTC`;
}
