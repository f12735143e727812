import { realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { configPath } from '../../config/config-path.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import { OWN_NAMES } from '../../core/own-names.ts';
import type { Op } from '../../core/remote.ts';
import { isWithin } from '../../core/remote-path.ts';
import type { Sides, Verb } from '../../engine/action.ts';
import { consentNow } from '../../engine/consent.ts';
import type { DeleteCheck, DeleteTotals } from '../../engine/sync-option-parts.ts';
import type {
  CommandCall,
  Environment,
  Remotes,
  UnderConsent,
} from '../../shell/command-line/command.ts';
import { maxDeletePercent } from '../../shell/flags/delete-limits.ts';
import { logText } from '../../shell/log/log-text.ts';
import { addGoodRun, knownMarker, knownPair, putMarker } from '../../state/guards.ts';
import { homeFolder, shellLine } from '../../system/shell-words.ts';
import { openListing } from '../listing/open-listing.ts';
import { goingOn } from './bucket-guard.ts';
import { countFiles, guardError, refuseCount, type Tripped, trippedBy } from './count-guard.ts';
import { deviceOf } from './device-of.ts';
import { formatGuards, type GuardList, type GuardName, parseGuards } from './guard-list.ts';
import { GuardRecords, placeKey, readMarker } from './guard-records.ts';

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
  invocation: CommandCall & Environment & Remotes & UnderConsent,
  verb: Verb,
  { source, dest }: Sides,
): RunGuards | undefined {
  const { flags, context } = invocation;
  const guards = parseGuards(flags.guard ?? 'off');
  const maxDelete = maxDeletePercent(flags);
  if (verb === 'copy' || (formatGuards(guards) === 'off' && maxDelete === undefined))
    return undefined;
  // It deletes at its source, and knows `count` only, of all files that it could move.
  if (verb === 'move') {
    const count = async () => countFiles(await openListing(invocation));
    return {
      before: () => refuseCount(invocation, guards.count, count, 'moved away'),
      check: () => () => undefined,
      remember: async () => {},
    };
  }
  let whole = 0;
  const needsPlaces = guards.home ?? guards.swapped ?? guards['same-device'] ?? guards.marker;
  const places: GuardedPlaces | undefined =
    needsPlaces === undefined
      ? undefined
      : {
          source,
          dest,
          guards,
          records: new GuardRecords(context, invocation),
          op: context,
          invocation,
        };
  return {
    before: async () => {
      const tripped = places && (await trippedByPlace(places));
      if (tripped === undefined) return;
      const { name, why, mend } = tripped;
      const without = formatGuards({ ...guards, [name]: undefined });
      const command = mend ? shellLine(mend) : goingOn(invocation.shownWords, { guard: without });
      throw new SyncerError('guarded', `guard ${name}: ${why}; nothing was changed`, {
        advice: `if it is right, run: ${command}`,
      });
    },
    /** Compares the numbers of a run; those of a run over a part of the trees with the last numbers of all. */
    check: (isWhole) => (totals) => {
      // After the run the destination has what the source has.
      if (isWhole) whole = Math.max(totals.sourceFiles, totals.destFiles);
      const all = { ...totals, destFiles: Math.max(whole, totals.destFiles) };
      const limits = { ...guards, maxDelete };
      const tripped = isWhole
        ? trippedBy(limits, totals)
        : trippedBy({ ...limits, empty: undefined }, all);
      return tripped && refusal(invocation, tripped, totals);
    },
    async remember() {
      if (
        places === undefined ||
        flags['dry-run'] ||
        consentNow(invocation.consent).how === 'collect'
      )
        return;
      try {
        await rememberRun(places);
      } catch (thrown) {
        const text = `The guards cannot remember this run: ${toSyncerError(thrown).message}`;
        context.emit(logText('notice', text));
      }
    },
  };
}

/** The error of a guard; `undefined` if the user allows this number, or has seen each file in a review. */
function refusal(
  invocation: CommandCall & UnderConsent,
  tripped: Tripped,
  { extra, examples, isLate }: DeleteTotals,
): SyncerError | undefined {
  const { flags, consent, context } = invocation;
  const counted = { files: extra, examples, ...(isLate && { isLate }) };
  const error = guardError(invocation, tripped, counted);
  if (error === undefined || (flags.apply !== undefined && !flags.review)) return error;
  if (consentNow(consent).how === 'collect') {
    // Shown with the plan.
    context.emit({ type: 'error', error });
    context.emit(logText('notice', error.message));
    return undefined;
  }
  return flags.review ? undefined : error;
}

/** The places of a run, and what is remembered of them. */
interface GuardedPlaces extends Sides {
  readonly guards: GuardList;
  readonly records: GuardRecords;
  readonly op: Op;
  readonly invocation: CommandCall & Environment;
}

/** A guard about the places of a run that trips. */
interface TrippedByPlace {
  readonly name: GuardName;
  readonly why: string;
  /** A command that settles it, other than without the guard. */
  readonly mend?: readonly string[] | undefined;
}

/** The first guard that finds a place to be another than the user thinks; `undefined` if none does. */
async function trippedByPlace(places: GuardedPlaces): Promise<TrippedByPlace | undefined> {
  const { source, dest, guards, records } = places;
  if (guards.home) {
    const why = await whyHome(places);
    if (why !== undefined) return { name: 'home', why };
  }
  const [from, to] = [placeKey(source), placeKey(dest)];
  const pair = await records.read((state) => knownPair(state, from, to));
  if (pair.runs === 0 && (guards.swapped || guards['same-device']))
    records.requireNew('pair', from, to);
  if (guards.swapped && pair.isTurned) {
    const runs = pair.runs === 1 ? 'last good run' : `last ${pair.runs} good runs`;
    const why = `the ${runs} went from ${dest.title} to ${source.title}: source and destination may be swapped`;
    return { name: 'swapped', why };
  }
  const before = pair.device;
  if (guards['same-device'] && before !== undefined) {
    const now = await deviceOf(resolve(source.root));
    const why = `the source is on ${now}, and was on ${before} in the last good run: it may not be mounted`;
    if (now !== before) return { name: 'same-device', why };
  }
  return trippedByMarker(places);
}

async function trippedByMarker(places: GuardedPlaces): Promise<TrippedByPlace | undefined> {
  const { source, records, op, invocation } = places;
  const { marker } = places.guards;
  if (marker === undefined) return undefined;
  const found = await readMarker(source, marker, op);
  const isOwn = marker === OWN_NAMES.guard;
  const mend = isOwn ? ['guard', 'init', invocation.args[0] ?? ''] : undefined;
  const tripped = (why: string) => ({ name: 'marker', why, mend }) as const;
  if (found === undefined)
    return tripped(`there is no ${marker} in ${source.title}: the source may not be mounted`);
  if (!isOwn) return undefined;
  const known = await records.read((state) => knownMarker(state, placeKey(source)));
  if (known === undefined) records.requireNew('marker', placeKey(source));
  if (known === undefined || known === found) return undefined;
  return tripped(
    `the ${marker} in ${source.title} is another one than before: it may be another disk`,
  );
}

/** Why the destination is one that nothing should be synced to. */
async function whyHome({ dest, invocation }: GuardedPlaces): Promise<string | undefined> {
  if (!dest.traits.onDisk || dest.traits.inProcess === true) return undefined;
  const { env, flags } = invocation;
  const real = (path: string) => realpath(path).catch(() => resolve(path));
  const root = await real(dest.root);
  if (root === '/') return 'the destination is /';
  const home = homeFolder(env);
  if (home !== undefined && root === (await real(home)))
    return `the destination is the home directory ${home}`;
  const config = configPath(flags.config, env);
  if (config === undefined || !isWithin(root, await real(dirname(config)))) return undefined;
  return `the destination holds the configuration, ${config}`;
}

async function rememberRun({ source, dest, guards, records, op }: GuardedPlaces): Promise<void> {
  const from = placeKey(source);
  const needsMarker =
    guards.marker === OWN_NAMES.guard &&
    (await records.read((state) => knownMarker(state, from))) === undefined;
  const value = needsMarker ? await readMarker(source, OWN_NAMES.guard, op) : undefined;
  const remembersRun = guards.swapped || guards['same-device'];
  const onDisk = source.traits.onDisk && source.traits.inProcess !== true;
  const device = remembersRun && onDisk ? await deviceOf(resolve(source.root)) : undefined;
  if (value === undefined && !remembersRun) return;
  await records.write((state) => {
    if (value !== undefined) putMarker(state, from, value, true);
    if (remembersRun) addGoodRun(state, from, placeKey(dest), device);
  });
}
