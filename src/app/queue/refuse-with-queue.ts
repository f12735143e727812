import { innermost } from '../../core/around.ts';
import { SyncerError } from '../../core/errors.ts';
import type { Remote } from '../../core/remote.ts';
import { queuePlace } from '../../queue/queue-place.ts';
import type { QueueVerb } from '../../queue/run-spec.ts';
import type { Invocation } from '../command.ts';
import { mayHoldBackendFlags } from '../command-line/parse-command-line.ts';
import type { FlagDefinition } from '../flags/flag-definition.ts';
import { FLAGS, type Flags } from '../flags/flag-table.ts';
import { isBucket } from '../ranges/checkpoint.ts';
import { firstSet, NOT_IN_RANGES, REPORTS } from '../ranges/not-in-ranges.ts';
import { FILE_GROUPS } from './run-words.ts';

/** Flags that many machines cannot share, besides those that ranges of names cannot have. */
const NOT_SHARED: Readonly<Partial<Record<keyof Flags, string>>> = {
  checkpoint: 'a run in a queue continues without it',
  ...Object.fromEntries(REPORTS.map((flag) => [flag, 'the queue holds no lists of names'])),
  'delete-empty-src-dirs': 'buckets have no directories',
  'check-checkfile': 'it is a file of this machine',
  lock: 'the queue has one run for each destination',
  'lock-wait': 'the queue has one run for each destination',
  'lock-remote': 'the queue has one run for each destination',
  'retries-sleep': 'workers begin the next attempt at once',
  trash: 'workers would delete and replace without it',
  'trash-dir': 'workers would delete and replace without it',
  'dry-run': 'workers change what they find different: try the run without --queue',
  guard: 'no worker knows all files before the first deletion',
  'compare-dest': 'workers do not prove that they see the same third place',
  'copy-dest': 'workers do not prove that they see the same third place',
  'metadata-mapper': 'it is a program of this machine, and workers run no programs for others',
  header: 'headers may be secrets, which must not be in the queue',
  'header-upload': 'headers may be secrets, which must not be in the queue',
  'header-download': 'headers may be secrets, which must not be in the queue',
};

/** Flags with which a later comparison does not show that a file was copied, so that a move would never delete it. */
const NOT_MOVED = ['ignore-times', 'ignore-existing'] as const;

/** Throws `usage` for the flags and places of a command line that many machines cannot share, with the reason. */
export function refuseWithQueue(
  { args, argv, flags }: Pick<Invocation, 'args' | 'argv' | 'flags'>,
  verb: QueueVerb,
) {
  refuseNoSlots(flags);
  for (const place of args) queuePlace(place);
  refuseUnsharedFlags(flags);
  const unmovable = verb === 'move' ? firstSet(flags, NOT_MOVED) : undefined;
  if (unmovable !== undefined)
    throw refusal(unmovable, 'a move deletes only what a later comparison finds equal');
  if (typeof flags['max-delete'] === 'string') {
    throw refusal('max-delete with a percentage', 'no worker knows how many files there are');
  }
  if (flags['hash-filter']?.startsWith('@')) {
    throw refusal('hash-filter=@/N', 'each worker would choose another part');
  }
  const stdin = Object.entries(flags).find(
    ([, value]) => Array.isArray(value) && value.includes('-'),
  );
  if (stdin !== undefined) throw refusal(`${stdin[0]} -`, 'standard input cannot be read again');
  if (mayHoldBackendFlags(argv)) {
    throw new SyncerError(
      'usage',
      '--queue cannot be combined with flags of a backend: workers would not have them',
      { advice: 'set them in the configuration of each machine' },
    );
  }
}

/**
 * Throws for flags of `syncer worker` that its runs would ignore (`command-line`) or refuse (`usage`): what is done with
 * files is decided by the command of a run.
 */
export function refuseOnWorker({ flags, typed }: Pick<Invocation, 'flags' | 'typed'>): void {
  refuseNoSlots(flags);
  const definitions = FLAGS as Readonly<Record<string, FlagDefinition>>;
  const ofRuns = [...typed].find((key) => {
    const { group = '', commands } = definitions[key] ?? {};
    return key === 'retries' || (commands === undefined && FILE_GROUPS.includes(group));
  });
  if (ofRuns !== undefined) {
    const name = definitions[ofRuns]?.name ?? ofRuns;
    throw new SyncerError(
      'command-line',
      `--${name} is no flag of a worker: the command of a run decides that for all workers`,
    );
  }
  refuseUnsharedFlags(flags);
}

function refuseUnsharedFlags(flags: Flags): void {
  const other = firstSet(flags, Object.keys(NOT_SHARED) as (keyof Flags)[]);
  if (other !== undefined) throw refusal(other, NOT_SHARED[other] ?? '');
  const inRanges = firstSet(flags, NOT_IN_RANGES);
  if (inRanges !== undefined) throw refusal(inRanges, 'its work needs the whole run');
}

/** Throws `command-line` for a number of slots with which nothing would ever be done. */
function refuseNoSlots({ slots }: Pick<Flags, 'slots'>): void {
  if (slots < 1) throw new SyncerError('command-line', `--slots must be at least 1, not ${slots}`);
}

/** Throws `usage` for an opened remote that many machines cannot share, with the reason. */
export function refuseUnshared(remote: Remote, asWritten: string): void {
  const inner = innermost(remote);
  const kind = inner.can.place?.kind;
  const why =
    inner.traits.onDisk || kind === 'disk'
      ? 'is a local path: every worker would see its own disk'
      : kind === 'drive'
        ? 'is a drive: its limits count all requests of an account, so more workers make it slower'
        : inner.can.inspection?.identity === undefined
          ? 'cannot be shared: nothing shows that workers see the same files'
          : isBucket(remote)
            ? undefined
            : 'is no bucket whose names come in order: name one bucket, as in remote:bucket';
  if (why !== undefined) {
    throw new SyncerError('usage', `"${asWritten}" ${why}`);
  }
}

function refusal(flag: string, why: string): SyncerError {
  const definition = (FLAGS as Readonly<Record<string, FlagDefinition>>)[flag];
  const name = definition?.name ?? flag;
  return new SyncerError('usage', `--queue cannot be combined with --${name}: ${why}`);
}
