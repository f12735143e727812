import type { Context } from '../../core/context.ts';
import {
  decidesAboutFiles,
  type FlagDefinition,
  type FlagValue,
  namesLocalPath,
} from '../../core/flags.ts';
import { parseDateTime } from '../../core/mod-time.ts';
import { userText } from '../../core/name-bytes.ts';
import { ruleLines } from '../../filter/file-lists.ts';
import { DURATION_OFF, parseDuration } from '../../go/duration.ts';
import { FLAGS, type Flags } from '../../shell/flags/flag-table.ts';
import { readWhole } from '../../system/read-whole.ts';

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
  { clock, signal }: Pick<Context, 'clock' | 'signal'>,
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
  for (const age of ['min-age', 'max-age'] as const) {
    if (flags[age] !== undefined) values[age] = moment(flags[age], clock.now());
  }
  return flagWords(values, decides);
}

/** The flags that are not as by default, as words of a command line, in the order of the flag table. */
export function flagWords(
  values: Readonly<Record<string, FlagValue>>,
  wants: (key: string, definition: FlagDefinition) => boolean,
): readonly string[] {
  return DEFINITIONS.flatMap(([key, definition]) =>
    wants(key, definition) ? wordsOf(definition.name ?? key, definition, values[key]) : [],
  );
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

/** An age as the date it means now; `off` and dates stay. */
function moment(text: string, nowMs: number): string {
  if (parseDateTime(text) !== undefined) return text;
  const age = parseDuration(text, nowMs);
  return age === DURATION_OFF ? text : new Date(nowMs - age).toISOString();
}

function wordsOf(name: string, definition: FlagDefinition, value: FlagValue): readonly string[] {
  const byDefault = definition.default ?? (definition.type === 'bool' ? false : undefined);
  if (value === undefined || value === byDefault) return [];
  if (Array.isArray(value)) return value.map((text) => `--${name}=${text}`);
  return [`--${name}=${value}${unitOf(definition, value)}`];
}

function unitOf({ type }: FlagDefinition, value: FlagValue): string {
  if (typeof value !== 'number' || value < 0) return '';
  return type === 'size' ? 'B' : type === 'duration' ? 'ms' : '';
}
