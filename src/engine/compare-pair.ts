import { commonHash } from '../core/hash-names.ts';
import { sameModTime } from '../core/mod-time.ts';
import type { FileEntry, Op, Remote } from '../core/remote.ts';
import { compareHashes } from './compare-hashes.ts';
import {
  type CommonGround,
  type Decision,
  decide,
  type FinalDecision,
  type PairFacts,
} from './decide.ts';
import { timed, withModTimes } from './mod-time-of.ts';
import type { CompareOptions } from './sync-option-parts.ts';

/** The common abilities of two remotes, with `--modify-window` applied. */
export function commonGround(source: Remote, dest: Remote, modifyWindowNs: bigint): CommonGround {
  const precisions = [source.traits.modTimePrecision, dest.traits.modTimePrecision];
  const keepTimes = precisions.filter((precision) => precision !== undefined);
  const coarsest = [...keepTimes, modifyWindowNs].reduce((a, b) => (b > a ? b : a), 1n);
  return {
    windowNs: keepTimes.length < 2 ? undefined : coarsest,
    hash: commonHash(source.traits.hashes, dest.traits.hashes),
  };
}

/** A decided pair, and its entries with all requested facts. */
export interface Compared {
  readonly decision: FinalDecision;
  readonly source: FileEntry;
  readonly dest: FileEntry;
  /** Their hashes were compared, and are equal. */
  readonly isSameContent?: boolean;
}

/**
 * Whether the file of the destination, `at`, can stand for that of the source: not if only their sizes were compared, or
 * if their times are equal only by `--modify-window`.
 */
export function hasContentAndTime(
  at: Remote,
  { decision, source, dest, isSameContent }: Compared,
): boolean {
  const { action, reason } = decision;
  if (reason.why === 'times-same') {
    return sameModTime(reason.differenceNs, 0n, at.traits.modTimePrecision ?? 1n);
  }
  if (!isSameContent) return false;
  const [a, b] = [source.modTime, dest.modTime];
  return action === 'set-mod-time' || a === undefined || b === undefined || a === b;
}

/** Requests the facts that `decide` needs, until it decides. */
export async function comparePair(
  sides: { readonly source: Remote; readonly dest: Remote },
  pair: PairFacts,
  options: CompareOptions,
  ground: CommonGround,
  op: Op,
): Promise<Compared> {
  let facts = pair;
  for (;;) {
    const decision = decide(facts, options, ground);
    const compared = comparedAs(facts, decision);
    if (compared !== undefined) return compared;
    if (decision.action === 'need-mod-times') {
      facts = await withModTimes(sides, facts, op);
    } else if (decision.action === 'need-details') {
      const [source, dest] = await Promise.all([
        withDetails(sides.source, facts.source, op),
        withDetails(sides.dest, facts.dest, op),
      ]);
      facts = { ...facts, source, dest, isDetailed: true };
    } else {
      facts = { ...facts, hashes: await compareHashes(sides, facts, ground.hash, op) };
    }
  }
}

/** A pair as it was decided; `undefined` if a fact is missing. */
export function comparedAs(
  { source, dest, hashes }: PairFacts,
  decision: Decision,
): Compared | undefined {
  if (!('reason' in decision)) return undefined;
  return { source, dest, decision, isSameContent: hashes === 'same' };
}

async function withDetails(remote: Remote, file: FileEntry, op: Op): Promise<FileEntry> {
  return timed((await remote.can.details?.read(file, op)) ?? file);
}
