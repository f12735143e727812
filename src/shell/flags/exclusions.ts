import { type ErrorCode, SyncerError } from '../../core/errors.ts';
import type { FlagDefinition, FlagGroup, FlagRows, FlagValue } from '../../core/flags.ts';
import { FLAGS, type Flags } from './flag-table.ts';

/** A flag by its key, a command, or all common flags under a heading. */
type Side = keyof Flags | `syncer ${string}` | `${FlagGroup} flags`;

/** Two sides, of which not both may be given, and why: the end of the sentence. */
export type Exclusion<Of extends string = Side> = readonly [
  these: Of | readonly Of[],
  those: Of | readonly Of[],
  why: string,
  how?: ExclusionRule,
];

/**
 * When an exclusion is checked: before there is a log; when the command starts, so that its log and its reports have the
 * error; or once the source is known to be a directory, as in rclone (`in` is then the verb of the transfer).
 */
type Moment = 'log' | 'run' | 'tree';

/** Where an exclusion is not as usual. */
interface ExclusionRule {
  /** Only of these commands; absent: of all that have both flags. */
  readonly in?: readonly string[];
  /** `run` if absent. */
  readonly when?: Moment;
  /** Only if the second flag is on the command line: what the environment sets is for other commands, too. */
  readonly typed?: true;
  /** `usage` if absent. */
  readonly code?: ErrorCode;
  /** The whole sentence, if rclone has one in another form. */
  readonly says?: string;
}

/** Flags of what is reported about the files of a run. */
export const REPORTS = [
  'combined',
  'match',
  'differ',
  'missing-on-src',
  'missing-on-dst',
  'error',
  'dest-after',
  'manifest',
] as const satisfies readonly Side[];

/** Flags whose work needs the whole run, and not a range of it. */
const WHOLE_RUN: readonly Side[] = [
  'dry-run',
  'interactive',
  'review',
  'save',
  'watch',
  'no-check-dest',
  'track-renames',
  'delete-before',
  'delete-during',
  'ignore-errors',
  'order-by',
  'files-from',
  'files-from-raw',
  'files-from0',
  'no-traverse',
  'exclude-if-present',
  'name-transform',
  'fix-case',
  'ignore-case-sync',
  'create-empty-src-dirs',
  'backup-dir',
  'suffix',
  'check-first',
  ...REPORTS,
];

const WHOLE = 'its work needs the whole run';
/** A run over many machines. `ps`, `stop` and `attach` have the flag, too. */
const QUEUE: readonly Side[] = ['queue', 'syncer worker'];
const shared = (
  ...rows: readonly (readonly [Side | readonly Side[], Side | readonly Side[], string])[]
) => rows.map((row): Exclusion => [...row, { in: ['copy', 'sync', 'move', 'check', 'worker'] }]);

/**
 * What excludes what, but for flags of one capability: those are in its `command.ts`, and come last. Of several
 * exclusions the first is reported. What only a value or an opened remote shows is
 * refused where that is known, with `cannotUse`.
 */
export const EXCLUSIONS: readonly Exclusion[] = [
  // The log.
  ['verbose', 'quiet', '', { when: 'log', says: "Can't set -v and -q" }],
  ['verbose', 'log-level', '', { when: 'log', says: "Can't set -v and --log-level" }],
  ['quiet', 'log-level', '', { when: 'log', says: "Can't set -q and --log-level" }],
  [
    'quiet-unless',
    ['progress', 'interactive', 'review'],
    'they are for people who watch',
    { when: 'log' },
  ],

  // Runs over many machines, and in ranges of names.
  [
    'syncer worker',
    ['copy flags', 'sync flags', 'filter flags', 'retries'],
    'the command of a run decides that for all workers',
    { typed: true, code: 'command-line' },
  ],
  ...shared(
    ['queue', 'checkpoint', 'a run in a queue continues without it'],
    ['queue', REPORTS, 'the queue holds no lists of names'],
    ['queue', 'delete-empty-src-dirs', 'buckets have no directories'],
    ['queue', ['lock', 'lock-wait', 'lock-remote'], 'the queue has one run for each destination'],
    [QUEUE, 'retries-sleep', 'workers begin the next attempt immediately'],
    ['queue', ['trash', 'trash-dir'], 'workers would delete and replace without it'],
    [QUEUE, 'dry-run', 'workers change what they find different: try the run without --queue'],
    [QUEUE, 'guard', 'no worker knows all files before the first deletion'],
    [
      QUEUE,
      ['compare-dest', 'copy-dest'],
      'workers do not prove that they see the same third place',
    ],
    [
      QUEUE,
      'metadata-mapper',
      'it is a program of this machine, and workers run no programs for others',
    ],
    [
      QUEUE,
      ['header', 'header-upload', 'header-download'],
      'headers may be secrets, which must not be in the queue',
    ],
  ),
  // A later comparison would not show that the file was copied.
  [
    'queue',
    ['ignore-times', 'ignore-existing'],
    'a move deletes only what a later comparison finds equal',
    { in: ['move'] },
  ],
  ...shared([QUEUE, WHOLE_RUN, WHOLE]),
  ['checkpoint', WHOLE_RUN, WHOLE],
  ['checkpoint', 'max-transfer', 'it counts the whole run'],

  // Plans and questions.
  [['review', 'save', 'apply'], 'interactive', 'changes are chosen in the plan'],
  ['apply', 'save', 'the plan is saved already'],
  ['save', 'dry-run', '--save changes nothing but the file of the plan'],
  [
    'fix-case',
    ['review', 'save'],
    'the plan would name files that have other names when it is applied',
    { in: ['copy', 'sync', 'move', 'copyto', 'moveto', 'convmv', 'bisync'] },
  ],

  // Runs without an end.
  ['watch', ['review', 'save', 'interactive', ...REPORTS], 'a run that watches has no end'],
  ['watch', 'error-on-no-transfer', 'a run that watches has no end', { in: ['copy', 'sync'] }],
  ['watch', ['min-age', 'max-age'], 'files change their age without an event'],
  ['watch', 'copy-links', 'the targets of links change without an event'],
  [
    'watch',
    'name-transform',
    'a run for a few directories needs equal names on both sides',
    { in: ['copy', 'sync'] },
  ],

  // What is copied and deleted. With the first words of rclone.
  [
    'no-check-dest',
    'syncer sync',
    '',
    { when: 'tree', says: "can't use --no-check-dest with sync: use copy instead" },
  ],
  [
    'no-check-dest',
    ['immutable', 'backup-dir', 'suffix'],
    'existing files are not looked up',
    { when: 'tree' },
  ],
  [
    'delete-before',
    'track-renames',
    'a renamed file would be deleted first',
    { when: 'tree', in: ['sync'], code: 'fatal' },
  ],
  [
    ['delete-before', 'delete-during', 'delete-after'],
    ['delete-before', 'delete-during', 'delete-after'],
    '',
    { says: 'only one of --delete-before, --delete-during and --delete-after can be used' },
  ],
  ['compare-dest', 'copy-dest', 'each decides about the files of its directory'],
  ['no-history', ['trash', 'trash-dir'], 'undo needs the history'],
];

/** The values of flags as `CommandLine` has them. */
interface GivenFlags {
  readonly flags: Readonly<Record<string, FlagValue>>;
  readonly given?: ReadonlySet<string>;
  readonly typed?: ReadonlySet<string>;
}

/**
 * Throws for flags that exclude each other, and for those that a command refuses.
 *
 * @param command by its full name, `trash restore`, with what its capability says of its flags
 */
export function refuseExcluded(
  command: {
    readonly name: string;
    readonly flags?: FlagRows;
    readonly exclusions?: readonly Exclusion<string>[];
  },
  line: GivenFlags,
  moment: Moment,
): void {
  const { name, flags = {}, exclusions = [] } = command;
  const table: FlagRows = FLAGS;
  const rowOf = (key: string) => flags[key] ?? table[key];
  const shown = (side: string) =>
    side.startsWith('syncer ') ? side : `--${rowOf(side)?.name ?? side}`;
  /** The first of these sides that is given. */
  const firstGiven = (sides: string | readonly string[], typed = false, but?: string) =>
    [sides]
      .flat()
      // Under a heading those without the flags of single commands.
      .flatMap((side) =>
        side.endsWith(' flags')
          ? Object.entries(table).flatMap(([key, { group, commands }]) =>
              `${group} flags` === side && commands === undefined ? key : [],
            )
          : side,
      )
      .find((side) => {
        if (side === but) return false;
        if (side.startsWith('syncer ')) return side === `syncer ${name}`;
        return typed ? line.typed?.has(side) === true : isGiven(side, rowOf(side), line);
      });
  for (const [these, those, why, how = {}] of [...EXCLUSIONS, ...exclusions]) {
    const { when = 'run', code = 'usage' } = how;
    if (when !== moment || how.in?.includes(name) === false) continue;
    const one = firstGiven(these);
    if (one === undefined) continue;
    const other = firstGiven(those, how.typed, one);
    if (other === undefined) continue;
    if (how.says !== undefined) throw new SyncerError(code, how.says);
    throw cannotUse(shown(one), shown(other), why, code);
  }
}

/** The error for what cannot be used together: both as they are typed. */
export function cannotUse(
  one: string,
  other: string,
  why: string,
  code: ErrorCode = 'usage',
): SyncerError {
  return new SyncerError(code, `can't use ${one} with ${other}: ${why}`);
}

/** Whether a flag has another value than without it. Of a level of the log any counts, and of guards not `off`. */
function isGiven(
  key: string,
  row: FlagDefinition | undefined,
  { flags, given }: GivenFlags,
): boolean {
  const value = flags[key];
  if (key === 'log-level') return given?.has(key) === true;
  if (key === 'guard') return value !== undefined && !/(^|,)\s*off\s*$/.test(String(value));
  if (Array.isArray(value)) return value.length > 0;
  const { type, default: without = type === 'count' ? 0 : undefined } = row ?? {};
  return value !== undefined && value !== '' && value !== false && value !== without;
}
