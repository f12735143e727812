import { SyncerError, toSyncerError } from '../../core/errors.ts';
import type { Remote } from '../../core/remote.ts';
import type { Verb } from '../../engine/file-work.ts';
import type { DeleteCheck, DeleteTotals } from '../../engine/sync-option-parts.ts';
import { shellLine } from '../../home/home-actions.ts';
import type { Invocation } from '../command.ts';
import { maxDeletePercent } from '../flags/delete-limits.ts';
import { logText } from '../log/log-text.ts';
import { countListed, guardError, refuseCount } from './count-guard.ts';
import { goingOn } from './going-on.ts';
import { formatGuards, type GuardList, parseGuards } from './guard-list.ts';
import { GuardRecords } from './guard-records.ts';
import { type Tripped, trippedBy } from './number-guards.ts';
import { type GuardedPlaces, rememberRun, trippedByPlace } from './place-guards.ts';

/** The guards of a sync or move. */
export interface RunGuards {
  /** Called before anything is listed. Rejects with `guarded` if a place is not what it should be. */
  before(): Promise<void>;
  /** The check before the first deletion; of a run over a part of the trees if not `isWhole`. */
  check(isWhole: boolean): DeleteCheck;
  /** Remembers a run that went well. A failure is logged: it does not affect the run. */
  remember(): Promise<void>;
}

/** The guards of `--guard` and `--max-delete 20%`; `undefined` if there are none. Throws `usage`. */
export function openGuards(
  invocation: Invocation,
  verb: Verb,
  { source, dest }: { readonly source: Remote; readonly dest: Remote },
): RunGuards | undefined {
  const { flags, env, context } = invocation;
  const guards = parseGuards(flags.guard ?? 'off');
  const maxDelete = maxDeletePercent(flags);
  if (verb === 'copy' || (formatGuards(guards) === 'off' && maxDelete === undefined))
    return undefined;
  if (verb === 'move') return moveGuards(invocation, guards);
  const needsPlaces = guards.home ?? guards.swapped ?? guards.sameDevice ?? guards.marker;
  const places: GuardedPlaces | undefined =
    needsPlaces === undefined
      ? undefined
      : { source, dest, guards, records: new GuardRecords(env), op: context, invocation };
  return {
    before: async () => {
      const tripped = places && (await trippedByPlace(places));
      if (tripped === undefined) return;
      const { name, why, others, mend } = tripped;
      const command = mend ? shellLine(mend) : goingOn(invocation, { guard: formatGuards(others) });
      throw new SyncerError('guarded', `${name}: ${why}; nothing was changed`, {
        advice: `if it is right, run: ${command}`,
      });
    },
    check: numberCheck(invocation, { ...guards, maxDelete }),
    async remember() {
      if (places === undefined || flags['dry-run'] || invocation.guard?.plans) return;
      try {
        await rememberRun(places);
      } catch (thrown) {
        const text = `The guards cannot remember this run: ${toSyncerError(thrown).message}`;
        context.emit(logText('notice', text));
      }
    },
  };
}

/** A move deletes at its source, and knows `count` only, of all files that it could move. */
function moveGuards(invocation: Invocation, { count }: GuardList): RunGuards {
  return {
    before: () => refuseCount(invocation, count, () => countListed(invocation), 'moved away'),
    check: () => () => undefined,
    remember: async () => {},
  };
}

/** Compares the numbers of a run; those of a run over a part of the trees with the last numbers of all. */
function numberCheck(
  invocation: Invocation,
  guards: Parameters<typeof trippedBy>[0],
): RunGuards['check'] {
  let whole = 0;
  return (isWhole) => (totals) => {
    // After the run the destination has what the source has.
    if (isWhole) whole = Math.max(totals.sourceFiles, totals.destFiles);
    const { empty, ...others } = guards;
    const all = { ...totals, destFiles: Math.max(whole, totals.destFiles) };
    const tripped = isWhole ? trippedBy(guards, totals) : trippedBy(others, all);
    return tripped && refusal(invocation, tripped, totals);
  };
}

/** The error of a guard; `undefined` if the user allows this number, or has seen each file in a review. */
function refusal(
  invocation: Invocation,
  tripped: Tripped,
  { extra, examples, isLate }: DeleteTotals,
): SyncerError | undefined {
  const { flags, guard, context } = invocation;
  const error = guardError(invocation, tripped, {
    files: extra,
    examples,
    ...(isLate && { isLate }),
  });
  if (error === undefined || (flags.apply !== undefined && !flags.review)) return error;
  if (guard?.plans) {
    // Shown with the plan.
    context.emit({ type: 'error', error });
    context.emit(logText('notice', error.message));
    return undefined;
  }
  return flags.review ? undefined : error;
}
