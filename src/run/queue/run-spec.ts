import { hash } from 'node:crypto';
import type { Context } from '../../core/context.ts';
import type { PlaceIdentity } from '../../core/finding.ts';
import {
  decidesAboutFiles,
  type FlagDefinition,
  type FlagValue,
  namesLocalPath,
} from '../../core/flags.ts';
import { parseDateTime } from '../../core/mod-time.ts';
import { userText } from '../../core/name-bytes.ts';
import type { CutoffMode } from '../../engine/sync-option-parts.ts';
import { ruleLines } from '../../filter/file-lists.ts';
import { DURATION_OFF, parseDuration } from '../../go/quantities.ts';
import { FLAGS, type Flags } from '../../shell/flags/flag-table.ts';
import { readWhole } from '../../system/read-whole.ts';
import { canonicalJson } from './signed.ts';

/** The format of everything in the queue. Machines with another number do not work on a run. */
export const QUEUE_PROTOCOL = 3;

/** The commands that many machines can share. */
export const QUEUE_VERBS = ['copy', 'sync', 'move', 'check'] as const;

export type QueueVerb = (typeof QUEUE_VERBS)[number];

/** The parts of a `PlaceIdentity`, each as a hash. */
export type HashedIdentity = { readonly [Part in keyof PlaceIdentity]: string };

/** Limits of a run, for all workers together; absent: no limit. */
export type QueueLimits = {
  /** The text of `--bwlimit`. */
  readonly bandwidth?: string;
  /** `--tpslimit`. */
  readonly requestsPerSecond?: number;
  readonly maxDurationMs?: number;
  /** `--max-delete`. */
  readonly maxDelete?: number;
  /** `--max-delete-size`, in bytes. */
  readonly maxDeleteBytes?: number;
  /** `--max-transfer`, in bytes. */
  readonly maxTransfer?: number;
  /** `--cutoff-mode`; absent: `hard`. */
  readonly cutoffMode?: CutoffMode;
  /** Attempts in all; absent: as many as by default. */
  readonly retries?: number;
};

/** What a run is: everything a worker needs besides its own configuration. Holds no secret. */
export type RunSpec = {
  readonly protocol: number;
  readonly id: string;
  /** The version of syncer that began it, for messages. */
  readonly version: string;
  readonly verb: QueueVerb;
  /** As written: `lake:data`. */
  readonly source: string;
  readonly dest: string;
  /** The flags that decide what is done with a file, as words of a command line, in the order of the flag table. */
  readonly words: readonly string[];
  readonly limits: QueueLimits;
  readonly places: { readonly source: HashedIdentity; readonly dest: HashedIdentity };
  /** The first object of the source, as the command saw it; `null`: the source was empty. */
  readonly first: { readonly key: string; readonly etag: string } | null;
  /** Milliseconds since the epoch. */
  readonly begunMs: number;
};

/** What a machine would work on for the same command: compared with the spec of a run. */
export type OwnView = Pick<RunSpec, 'protocol' | 'version' | 'words' | 'places'> & {
  readonly first: (RunSpec['first'] & { readonly storedMs?: number | undefined }) | null;
};

/** The parts of an identity as hashes, so that the queue has none of the settings. */
export function hashedIdentity(identity: PlaceIdentity): HashedIdentity {
  const { type, endpoint, region, bucket, path, names, encryption, writing } = identity;
  const all = { type, endpoint, region, bucket, path, names, encryption, writing };
  const parts = Object.entries(all).map(([part, text]) => [
    part,
    hash('sha256', `${part}\0${text}`).slice(0, 32),
  ]);
  return Object.fromEntries(parts) as HashedIdentity;
}

/** The same for runs that do the same work: the same command again continues the run that there is. */
export function sameRunKey({ verb, places, words }: RunSpec): string {
  return hash('sha256', canonicalJson({ verb, places, words })).slice(0, 32);
}

/** The flags of limits that have other values in one run than in the other. */
export function limitDifferences(one: RunSpec, other: RunSpec): readonly string[] {
  return LIMIT_FLAGS.flatMap(([limit, flag]) =>
    one.limits[limit] === other.limits[limit] ? [] : [flag],
  );
}

const LIMIT_FLAGS: readonly (readonly [limit: keyof QueueLimits, flag: string])[] = [
  ['maxDelete', '--max-delete'],
  ['maxDeleteBytes', '--max-delete-size'],
  ['maxTransfer', '--max-transfer'],
  ['cutoffMode', '--cutoff-mode'],
  ['maxDurationMs', '--max-duration'],
  ['bandwidth', '--bwlimit'],
  ['requestsPerSecond', '--tpslimit'],
  ['retries', '--retries'],
];

/** What a place is, and all places above it: of runs that change the same files only one may go on. */
export function placeKeys(identity: PlaceIdentity): readonly [itself: string, ...above: string[]] {
  const { type, endpoint, bucket, path } = identity;
  const keyOf = (of: string) =>
    hash('sha256', canonicalJson({ type, endpoint, bucket, path: of })).slice(0, 32);
  const names = path.split('/').filter((name) => name !== '');
  const above = names.map((_, count) => keyOf(names.slice(0, count).join('/')));
  return [keyOf(names.join('/')), ...above];
}

/**
 * What differs between a run and a machine that could work on it: a sentence for each; none: it may.
 *
 * @param isFirstGone objects of the source may be deleted by now
 */
export function runDifferences(
  spec: RunSpec,
  own: OwnView,
  isFirstGone = false,
): readonly string[] {
  const protocol = protocolDifference(spec, own);
  if (protocol !== undefined) return [protocol];
  const ofPlaces = (['source', 'dest'] as const).flatMap((side) =>
    PARTS.flatMap(([part, text]) =>
      spec.places[side][part] === own.places[side][part] ? [] : [`${spec[side]} ${text}`],
    ),
  );
  const ofFlags = differentFlags(spec, own).map(
    (flag) => `${flag} has another value here than in the run`,
  );
  const found = [...ofPlaces, ...ofFlags];
  if (found.length > 0 || isFirstGone || sameFirst(spec, own.first)) return found;
  return [
    `the first object of ${spec.source} is another one here: this may be another place with the same name`,
  ];
}

const PARTS: readonly (readonly [part: keyof PlaceIdentity, text: string])[] = [
  ['type', 'is a remote of another type here'],
  ['endpoint', 'is at another endpoint here'],
  ['region', 'is in another region here'],
  ['bucket', 'is another bucket here'],
  ['path', 'is another path here'],
  ['names', 'has another encoding of names here'],
  ['encryption', 'has other encryption settings here'],
  ['writing', 'has another storage_class or acl here'],
];

/** Which of a run and a program has the older protocol, as a sentence; `undefined` if both have the same. */
export function protocolDifference(
  spec: Pick<RunSpec, 'protocol' | 'version'>,
  own: Pick<OwnView, 'protocol' | 'version'>,
): string | undefined {
  if (spec.protocol === own.protocol) return undefined;
  const older = spec.protocol > own.protocol ? 'this machine' : 'the run';
  return `${older} has an older protocol: the run was begun by syncer ${spec.version}, this is syncer ${own.version}; install the same version everywhere`;
}

/** The flags that decide what is done with a file, and have other values in one run than in the other. */
export function differentFlags(
  one: Pick<RunSpec, 'words'>,
  other: Pick<RunSpec, 'words'>,
): readonly string[] {
  const flagOf = (word: string) => /^--[^=]*/.exec(word)?.[0] ?? word;
  const named = (words: readonly string[], others: readonly string[]) =>
    words.filter((word) => !others.includes(word)).map(flagOf);
  return [...new Set([...named(one.words, other.words), ...named(other.words, one.words)])];
}

/** An object that was written since, or a source that was empty, proves nothing. */
function sameFirst({ first, begunMs }: RunSpec, own: OwnView['first']): boolean {
  if (first === null || own === null) return first === own || own !== null;
  if (first.key === own.key && first.etag === own.etag) return true;
  return own.storedMs !== undefined && own.storedMs >= begunMs - CLOCK_TOLERANCE_MS;
}

const CLOCK_TOLERANCE_MS = 5_000;

/** Flags of these groups decide what is done with a file. */
export const FILE_GROUPS: readonly string[] = ['copy', 'sync', 'filter'];

/** The same, of `check`. */
const OF_CHECK: readonly string[] = ['one-way', 'download'];

/** Limits of the run, which the queue keeps, and what only the command itself looks at. */
const OF_THE_RUN: readonly string[] = [
  ...['max-transfer', 'max-duration', 'cutoff-mode', 'max-delete', 'max-delete-size'],
  'error-on-no-transfer',
];

/** Lists of patterns, and the flag that takes what their files hold. */
const FILES = {
  'include-from': 'include',
  'exclude-from': 'exclude',
  'filter-from': 'filter',
  'metadata-include-from': 'metadata-include',
  'metadata-exclude-from': 'metadata-exclude',
  'metadata-filter-from': 'metadata-filter',
} as const satisfies Partial<Record<keyof Flags, keyof Flags>>;

/** Every worker reads them all, in bytes. */
const LARGEST_FILE = 1024 ** 2;

/**
 * The flags of a run that decide what is done with a file, as words of a command line, whatever set them: the same for
 * equal runs, in the order of the flag table. Files of patterns are read, since other machines do not have them; ages
 * become dates, so that they mean the same for all of the run. Rejects with an error of the file system.
 */
export async function runWords(
  flags: Flags,
  { clock, signal }: Context,
): Promise<readonly string[]> {
  const values: Record<string, FlagValue> = { ...flags };
  for (const [from, into] of Object.entries(FILES)) {
    const texts = await Promise.all(
      flags[from as keyof typeof FILES].map(async (path) =>
        ruleLines(userText(await readWhole(path, { mostBytes: LARGEST_FILE, signal }))).map(
          ({ text }) => text,
        ),
      ),
    );
    values[into] = [...flags[into], ...texts.flat()];
    values[from] = [];
  }
  for (const key of ['min-age', 'max-age'] as const) {
    const text = flags[key];
    // Dates and `off` stay.
    if (text === undefined || parseDateTime(text) !== undefined) continue;
    const nowMs = clock.now();
    const age = parseDuration(text, nowMs);
    if (age !== DURATION_OFF) values[key] = new Date(nowMs - age).toISOString();
  }
  return flagWords(values, decides);
}

/** The flags that are not as by default, as words of a command line, in the order of the flag table. */
export function flagWords(
  values: Readonly<Record<string, FlagValue>>,
  wants: (key: string, definition: FlagDefinition) => boolean,
): readonly string[] {
  return DEFINITIONS.flatMap(([key, definition]) => {
    if (!wants(key, definition)) return [];
    const {
      name = key,
      type,
      default: byDefault = type === 'bool' ? false : undefined,
    } = definition;
    const value = values[key];
    if (value === undefined || value === byDefault) return [];
    if (Array.isArray(value)) return value.map((text) => `--${name}=${text}`);
    const hasUnit = typeof value === 'number' && value >= 0;
    const unit = !hasUnit ? '' : type === 'size' ? 'B' : type === 'duration' ? 'ms' : '';
    return [`--${name}=${value}${unit}`];
  });
}

/**
 * The first word of a run that `runWords` would not have made: it could make a worker read files, write logs or start
 * programs. `undefined` if there is none.
 */
export function foreignWord(words: readonly string[]): string | undefined {
  return words.find((word) => {
    const [, name, value] = /^--([^=]+)=(.*)$/s.exec(word) ?? [];
    const found = DEFINITIONS.find(([key, definition]) => (definition.name ?? key) === name);
    return found === undefined || !decides(...found, value) || namesLocalPath(found[1]);
  });
}

const DEFINITIONS = Object.entries(FLAGS as Readonly<Record<string, FlagDefinition>>);

function decides(key: string, definition: FlagDefinition, value?: string): boolean {
  const isShared = FILE_GROUPS.includes(definition.group) && !OF_THE_RUN.includes(key);
  return (isShared && decidesAboutFiles(definition, value)) || OF_CHECK.includes(key);
}
