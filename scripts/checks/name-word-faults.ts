import { basename } from 'node:path';
import { type DeclaredName, declaredNames } from './declared-names.ts';
import { OLD_NAMES, type OldNames } from './old-names.ts';
import type { SourceFile } from './source-files.ts';

/** Names that docs/style.md forbids, and what to write instead. */
interface NameRule {
  /** Finds a name in lower case with dashes: `http-answer`. */
  readonly found: RegExp;
  readonly instead: string;
  /** Absent: every kind but titles. */
  readonly kinds?: readonly DeclaredName['kind'][];
  /** The files it is about; absent: all. */
  readonly paths?: RegExp;
}

const PRODUCT = /^(?:src|commands|components|installer)\//;

/** They find words of the titles of tests, too. */
const ALWAYS: readonly NameRule[] = [
  { found: /\b(?:un)?answer(?:s|ed|ing)?\b/, instead: 'response, reply, result, input' },
  { found: /\b(?:sub)?folders?\b/, instead: 'directory' },
  { found: /\b(?:told|tells?|telling)\b/, instead: 'given, passed; report, print, log, show' },
  { found: /\banew\b/, instead: 'again' },
  { found: /\b(?:whoever|somebody|nobody)\b/, instead: 'a noun: the user, another program' },
];

const RULES: readonly NameRule[] = [
  ...ALWAYS,
  { found: /\bkept\b/, instead: 'retained, backup, old version, cached, unchanged' },
  {
    found: /\b(?:take|taken|takes|taking|give|gives|put)-(?:away|back)\b/,
    instead: 'undo, restore',
  },
  {
    found: /\bplaces?$/,
    kinds: ['type'],
    paths: PRODUCT,
    instead: 'location, slot, position, directory',
  },
  {
    found: /(?<!\b(?:install|review|undo)-)\bplans?$/,
    kinds: ['type'],
    paths: PRODUCT,
    instead: 'what it is: options, settings, ranges; ReviewPlan, InstallPlan, UndoPlan',
  },
  { found: /^run$/, kinds: ['function'], paths: PRODUCT, instead: 'act, call, start, send' },
  {
    found: /^run-/,
    kinds: ['function'],
    paths: /^src\/(?:backends|engine|vfs)\//,
    instead: 'attempt, send, copy: runs are of commands and hooks',
  },
  {
    found: /^(?:hold|holds|held)\b/,
    kinds: ['function', 'type'],
    paths: PRODUCT,
    instead: 'lock, delay, pause, keep, contain',
  },
  {
    found: /^(?:make(?!-room\b)|remove)\b/,
    kinds: ['function'],
    paths: PRODUCT,
    instead: 'create, delete',
  },
  {
    found: /^(?:at|own)$/,
    kinds: ['property'],
    paths: PRODUCT,
    instead: 'index, offset, location; a noun',
  },
];

/** Where the words of the rules may stand. */
const HITS =
  /nswer|NSWER|[fF]older|FOLDER|[tT]old|TOLD|[tT]ell|TELL|[aA]new|ANEW|hoever|omebody|obody|[kK]ept|KEPT|(?:ake[ns]?|aking|ives?|[pP]ut)(?:Away|Back)/g;
const HITS_IN_PRODUCT = new RegExp(
  String.raw`${HITS.source}|(?:Place|Plan)s?\b|\b(?:run|hold|holds|held|make|remove)[A-Z]?\w*(?=[(<:?]| =)|\bHold|\bHeld|readonly (?:at|own)\b`,
  'g',
);

/** Names that come from formats and interfaces of other programs. */
const OF_OTHERS = /^src\/backends\/drive\/items\/\S+ folder$/;

/** A name that docs/style.md forbids. */
export interface ForbiddenName extends DeclaredName {
  readonly path: string;
  readonly instead: string;
}

/** The forbidden names that the files declare, with the names of the files; each name once for a file. */
export function findForbiddenNames(files: readonly SourceFile[]): ForbiddenName[] {
  return files.flatMap((file) => {
    const { path } = file;
    const declared = declaredNames(file, PRODUCT.test(path) ? HITS_IN_PRODUCT : HITS);
    const names: DeclaredName[] = [{ kind: 'file', name: basename(path), line: 1 }, ...declared];
    const found = names.flatMap((name) => {
      const instead = insteadOf(name, path);
      return instead === undefined ? [] : [{ ...name, path, instead }];
    });
    return [...new Map(found.toReversed().map((name) => [name.name, name])).values()].toReversed();
  });
}

function insteadOf({ kind, name }: DeclaredName, path: string): string | undefined {
  if (kind === 'title') return ALWAYS.find(({ found }) => found.test(name.toLowerCase()))?.instead;
  const words = name
    .replace(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_/g, '-')
    .toLowerCase();
  const rule = RULES.find(
    ({ found, kinds, paths }) =>
      found.test(words) && kinds?.includes(kind) !== false && paths?.test(path) !== false,
  );
  return rule === undefined || OF_OTHERS.test(`${path} ${name}`) ? undefined : rule.instead;
}

/** Forbidden names that are new in their files, and old ones that are gone, one line each. */
export function findNameWordFaults(forbidden: readonly ForbiddenName[], old: OldNames): string[] {
  const added = forbidden
    .filter((name) => !isOld(name, old))
    .map(
      ({ path, line, name, instead }) =>
        `${path}:${line}: "${name}": write ${instead} (docs/style.md)`,
    );
  const present = new Set(forbidden.map(({ path, name }) => `${path} ${name}`));
  const gone = [...old].flatMap(([path, names]) =>
    [...names]
      .filter((name) => !present.has(`${path} ${name}`))
      .map((name) => `${OLD_NAMES}: "${name}" is not in ${path}: ${REPAIR}`),
  );
  return [...added, ...gone];
}

const REPAIR = 'run node scripts/check-source.ts --record-old-names, after a move --moved OLD NEW';

/** Whether a file had the name before. */
export function isOld(
  { path, name }: Pick<ForbiddenName, 'path' | 'name'>,
  old: OldNames,
): boolean {
  return old.get(path)?.has(name) === true;
}
