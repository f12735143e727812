import { commonHash, type HashName } from '../core/hash-names.ts';
import type { FileEntry, Op, Remote } from '../core/remote.ts';
import {
  type CommonGround,
  decide,
  type FinalDecision,
  type HashAnswer,
  type PairFacts,
} from './decide.ts';
import { withModTime } from './mod-time-of.ts';
import type { CompareOptions } from './sync-options.ts';

/** The common abilities of two remotes, with `--modify-window` applied. */
export function commonGround(source: Remote, dest: Remote, modifyWindowNs: bigint): CommonGround {
  const precisions = [source.traits.modTimePrecision, dest.traits.modTimePrecision];
  const keepTimes = precisions.filter((precision) => precision !== undefined);
  return {
    windowNs: keepTimes.length < 2 ? undefined : coarsest([...keepTimes, modifyWindowNs]),
    hash: commonHash(source.traits.hashes, dest.traits.hashes),
  };
}

function coarsest(precisions: readonly bigint[]): bigint {
  let coarser = 1n;
  for (const precision of precisions) if (precision > coarser) coarser = precision;
  return coarser;
}

/** A decided pair, and its entries with all requested facts. */
export interface Compared {
  readonly decision: FinalDecision;
  readonly source: FileEntry;
  readonly dest: FileEntry;
}

/** Requests the facts that `decide` needs, until it decides. */
export async function comparePair(
  sides: { readonly source: Remote; readonly dest: Remote },
  pair: { readonly source: FileEntry; readonly dest: FileEntry },
  options: CompareOptions,
  ground: CommonGround,
  op: Op,
): Promise<Compared> {
  let facts: PairFacts = pair;
  for (;;) {
    const decision = decide(facts, options, ground);
    if (decision.action === 'need-mod-times') {
      const [source, dest] = await Promise.all([
        withModTime(sides.source, facts.source, op),
        withModTime(sides.dest, facts.dest, op),
      ]);
      facts = { ...facts, source: timed(source), dest: timed(dest) };
    } else if (decision.action === 'need-hashes') {
      facts = { ...facts, hashes: await compareHashes(sides, facts, ground.hash, op) };
    } else {
      return { decision: decision as FinalDecision, source: facts.source, dest: facts.dest };
    }
  }
}

/** An entry without any time counts as written at the epoch, so that it differs. */
function timed(file: FileEntry): FileEntry {
  return file.modTime === undefined ? { ...file, modTime: file.storedTime ?? 0n } : file;
}

/** Whether the files have the same hash `name`, or another that both remotes have if one of them lacks this one. */
export async function compareHashes(
  sides: { readonly source: Remote; readonly dest: Remote },
  pair: { readonly source: FileEntry; readonly dest: FileEntry },
  name: HashName | undefined,
  op: Op,
): Promise<HashAnswer> {
  const answer = await compareHash(sides, pair, name, op);
  if (answer !== 'unknown' || name === undefined) return answer;
  const { source, dest } = sides;
  for (const other of source.traits.hashes) {
    if (other === name || !dest.traits.hashes.includes(other)) continue;
    const second = await compareHash(sides, pair, other, op);
    if (second !== 'unknown') return second;
  }
  return 'unknown';
}

async function compareHash(
  sides: { readonly source: Remote; readonly dest: Remote },
  pair: { readonly source: FileEntry; readonly dest: FileEntry },
  name: HashName | undefined,
  op: Op,
): Promise<HashAnswer> {
  if (name === undefined) return 'unknown';
  const cheapFirst = sides.source.traits.slowHash ? sides.dest : sides.source;
  const first = await hashOf(
    cheapFirst,
    cheapFirst === sides.dest ? pair.dest : pair.source,
    name,
    op,
  );
  if (first === undefined) return 'unknown';
  const other = cheapFirst === sides.dest ? sides.source : sides.dest;
  const second = await hashOf(other, other === sides.dest ? pair.dest : pair.source, name, op);
  if (second === undefined) return 'unknown';
  return first === second ? 'same' : 'differs';
}

/** A hash of a file: from its entry, or requested. */
export async function hashOf(
  remote: Remote,
  file: FileEntry,
  name: HashName,
  op: Op,
): Promise<string | undefined> {
  return file.hashes?.[name] ?? (await remote.can.hash?.(file, name, op));
}
