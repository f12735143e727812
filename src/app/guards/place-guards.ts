import { realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { configPath } from '../../config/config-path.ts';
import { OWN_NAMES } from '../../core/own-names.ts';
import type { Op, Remote } from '../../core/remote.ts';
import { isWithin } from '../../core/remote-path.ts';
import { homeFolder } from '../../kit/shell-words.ts';
import type { Invocation } from '../command.ts';
import { deviceOf } from './device-of.ts';
import type { GuardList } from './guard-list.ts';
import { type GuardRecords, type PairRecord, placeKey } from './guard-records.ts';
import { readMarker } from './marker-file.ts';
import type { Tripped } from './number-guards.ts';

/** How many of the last good runs decide what is source and what is destination. */
const REMEMBERED = 3;

/** The places of a run, and what is remembered of them. */
export interface GuardedPlaces {
  readonly source: Remote;
  readonly dest: Remote;
  readonly guards: GuardList;
  readonly records: GuardRecords;
  readonly op: Op;
  readonly invocation: Pick<Invocation, 'args' | 'env' | 'flags'>;
}

/** A guard about the places of a run that trips. */
export interface TrippedByPlace extends Tripped {
  /** The guards without it. */
  readonly others: GuardList;
  /** A command that settles it, other than without the guard. */
  readonly mend?: readonly string[];
}

/** The first guard that finds a place to be another than the user thinks; `undefined` if none does. */
export async function trippedByPlace(places: GuardedPlaces): Promise<TrippedByPlace | undefined> {
  const { source, dest, guards, records } = places;
  if (guards.home) {
    const why = await whyHome(places);
    const { home: _, ...others } = guards;
    if (why !== undefined) return { name: 'guard home', why, others };
  }
  const pair = await records.pair(placeKey(source), placeKey(dest));
  if (guards.swapped && isSwapped(pair, placeKey(dest))) {
    const { swapped: _, ...others } = guards;
    const count = Math.min(pair.sources.length, REMEMBERED);
    const runs = count === 1 ? 'last good run' : `last ${count} good runs`;
    const why = `the ${runs} went from ${dest.title} to ${source.title}: source and destination may be swapped`;
    return { name: 'guard swapped', why, others };
  }
  const before = pair.devices[placeKey(source)];
  if (guards.sameDevice && before !== undefined) {
    const now = await deviceOf(resolve(source.root));
    const { sameDevice: _, ...others } = guards;
    const why = `the source is on ${now}, and was on ${before} in the last good run: it may not be mounted`;
    if (now !== before) return { name: 'guard same-device', why, others };
  }
  return trippedByMarker(places);
}

function isSwapped({ sources }: PairRecord, dest: string): boolean {
  const last = sources.slice(0, REMEMBERED);
  return last.length > 0 && last.every((source) => source === dest);
}

async function trippedByMarker(places: GuardedPlaces): Promise<TrippedByPlace | undefined> {
  const { source, records, op, invocation } = places;
  const { marker, ...others } = places.guards;
  if (marker === undefined) return undefined;
  const found = await readMarker(source, marker, op);
  const isOwn = marker === OWN_NAMES.guard;
  const tripped = (why: string) => ({
    ...{ name: 'guard marker', why, others },
    ...(isOwn ? { mend: ['guard', 'init', invocation.args[0] ?? ''] } : {}),
  });
  if (found === undefined) {
    return tripped(`there is no ${marker} in ${source.title}: the source may not be mounted`);
  }
  if (!isOwn) return undefined;
  const known = await records.marker(placeKey(source));
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
  if (home !== undefined && root === (await real(home))) {
    return `the destination is the home directory ${home}`;
  }
  const config = configPath(flags.config, env);
  if (config === undefined || !isWithin(root, await real(dirname(config)))) return undefined;
  return `the destination holds the configuration, ${config}`;
}

/** Remembers a good run. */
export async function rememberRun({
  source,
  dest,
  guards,
  records,
  op,
}: GuardedPlaces): Promise<void> {
  const [from, to] = [placeKey(source), placeKey(dest)];
  if (guards.marker === OWN_NAMES.guard && (await records.marker(from)) === undefined) {
    const value = await readMarker(source, guards.marker, op);
    if (value !== undefined) await records.writeMarker(from, value);
  }
  if (!guards.swapped && !guards.sameDevice) return;
  const { sources, devices } = await records.pair(from, to);
  const onDisk = source.traits.onDisk && source.traits.inProcess !== true;
  await records.writePair(from, to, {
    sources: [from, ...sources].slice(0, REMEMBERED),
    devices: onDisk ? { ...devices, [from]: await deviceOf(resolve(source.root)) } : devices,
  });
}
