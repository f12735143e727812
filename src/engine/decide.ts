import { type HashName, sharedHashes } from '../core/hash-names.ts';
import { type ModTime, sameModTime } from '../core/mod-time.ts';
import type { Reason } from '../core/reason.ts';
import type { FileEntry } from '../core/remote.ts';
import type { CompareOptions } from './sync-option-parts.ts';

/** The result of comparing hashes; `unknown` if a side has no hash of this file. */
export type HashAnswer = 'same' | 'differs' | 'unknown';

/** The common abilities of two sides. */
export interface CommonGround {
  /** The coarser precision of both sides in nanoseconds; `undefined` if a side keeps no times. */
  readonly windowNs: bigint | undefined;
  /** A hash that both have. */
  readonly hash: HashName | undefined;
}

/** A file on both sides, with the facts known about it. */
export interface PairFacts {
  readonly source: FileEntry;
  readonly dest: FileEntry;
  readonly hashes?: HashAnswer;
  /** Sizes of 0 were confirmed. */
  readonly isSized?: boolean;
  /** The entries are what the servers returned for each file, and not of listings. */
  readonly isDetailed?: boolean;
}

/** What to do about a pair, and why. */
export interface FinalDecision {
  readonly action: 'transfer' | 'skip' | 'set-mod-time' | 'refuse';
  readonly reason: Reason;
}

/** A fact that is missing for a decision: the caller requests it and calls again. */
export interface MissingFact {
  readonly action: 'need-mod-times' | 'need-hashes' | 'need-details';
}

/** What to do about a pair, or which fact is needed first. */
export type Decision = FinalDecision | MissingFact;

/** How two files compare; `staleTime`: the content is the same but the modification time is not. */
interface Equality {
  readonly equal: boolean;
  readonly reason: Reason;
  readonly staleTime?: boolean;
}

const NEED_MOD_TIMES: MissingFact = { action: 'need-mod-times' };
const NEED_HASHES: MissingFact = { action: 'need-hashes' };
const NEED_DETAILS: MissingFact = { action: 'need-details' };

/**
 * Decides about a file that exists on both sides. Pure. The order of the rules is that of rclone 1.60.1
 * (`NeedTransfer` and `Equal` of its operations).
 */
export function decide(facts: PairFacts, options: CompareOptions, ground: CommonGround): Decision {
  if (facts.dest.isWrong === true) return replace(options, { why: 'proof-failed' });
  if (options.ignoreExisting) return { action: 'skip', reason: { why: 'ignore-existing' } };
  if (options.ignoreTimes) return replace(options, { why: 'ignore-times' });
  if (options.update) return decideUpdate(facts, options, ground);
  return conclude(compare(facts, options, ground), options);
}

/** `--update`: a newer file at the destination stays; how others are compared depends on the times. */
function decideUpdate(facts: PairFacts, options: CompareOptions, ground: CommonGround): Decision {
  const times = modTimes(facts);
  if (times === undefined) return NEED_MOD_TIMES;
  const window = ground.windowNs ?? 1n;
  const lead = times.dest - times.source;
  if (lead >= window) return { action: 'skip', reason: { why: 'dest-newer' } };
  if (lead <= -window) {
    const setTime = !options.checksum;
    return conclude(compare(facts, { ...options, checksum: true }, ground, setTime), options);
  }
  return conclude(compare(facts, { ...options, sizeOnly: !options.checksum }, ground), options);
}

function conclude(equality: Equality | MissingFact, options: CompareOptions): Decision {
  if ('action' in equality) return equality;
  const { equal, reason, staleTime } = equality;
  if (!equal) return replace(options, reason);
  if (staleTime !== true || options.noUpdateModTime) return { action: 'skip', reason };
  if (options.immutable) return { action: 'refuse', reason: { why: 'immutable-time' } };
  return { action: 'set-mod-time', reason };
}

/** `timeAfterHash`: if equal hashes decide, the time is set nevertheless. */
function compare(
  facts: PairFacts,
  options: CompareOptions,
  ground: CommonGround,
  timeAfterHash = false,
): Equality | MissingFact {
  const { source, dest } = facts;
  if (!options.ignoreSize && source.size >= 0 && dest.size >= 0 && source.size !== dest.size) {
    if (isRewritten(facts)) return compareByTime(facts, ground);
    return { equal: false, reason: { why: 'sizes-differ', source: source.size, dest: dest.size } };
  }
  if (options.sizeOnly) return { equal: true, reason: { why: 'sizes-identical' } };
  if (options.checksum) {
    const byHash = compareByHash(facts, ground, timeAfterHash);
    const isUnproven = 'equal' in byHash && byHash.equal && byHash.reason.why === 'hash-unknown';
    // A size alone does not show that the source may be deleted.
    return isUnproven && options.deletesSource === true ? compareByTime(facts, ground) : byHash;
  }
  if (ground.windowNs === undefined) return { equal: true, reason: { why: 'sizes-identical' } };

  const times = modTimes(facts);
  if (times === undefined) return NEED_MOD_TIMES;
  const { windowNs, hash } = ground;
  const differenceNs = times.dest - times.source;
  if (sameModTime(times.dest, times.source, windowNs)) {
    // A hash that both entries have, and that differs.
    const a = options.deletesSource === true ? source.hashes : undefined;
    const b = dest.hashes;
    const other = a && b && sharedHashes(a, b).find((name) => a[name] !== b[name]);
    if (other === undefined)
      return { equal: true, reason: { why: 'times-same', differenceNs, windowNs } };
    // The ETag of an encrypted object looks like an MD5; only a response about the object shows that it is none.
    if (facts.isDetailed !== true) return NEED_DETAILS;
    return { equal: false, reason: { why: 'hash-differs', hash: other } };
  }
  const timesDiffer: Reason = { why: 'times-differ', differenceNs, windowNs };
  if (hash === undefined) {
    return { equal: options.refreshTimes, reason: timesDiffer, staleTime: true };
  }
  const { hashes } = facts;
  if (hashes === undefined) return NEED_HASHES;
  if (hashes === 'differs') return { equal: false, reason: { why: 'hash-differs', hash } };
  const equal = hashes === 'same' || (hashes === 'unknown' && options.refreshTimes);
  return { equal, reason: timesDiffer, staleTime: true };
}

/** Whether a server changed the content by itself, so that neither size nor hash shows what was written. */
export function isRewritten({ source, dest }: PairFacts): boolean {
  return source.isRewritten === true || dest.isRewritten === true;
}

/** The comparison if size and hash mean nothing. */
function compareByTime(facts: PairFacts, { windowNs }: CommonGround): Equality | MissingFact {
  if (windowNs === undefined) return { equal: true, reason: { why: 'sizes-identical' } };
  const times = modTimes(facts);
  if (times === undefined) return NEED_MOD_TIMES;
  const differenceNs = times.dest - times.source;
  const equal = sameModTime(times.dest, times.source, windowNs);
  return { equal, reason: { why: equal ? 'times-same' : 'times-differ', differenceNs, windowNs } };
}

function compareByHash(
  facts: PairFacts,
  ground: CommonGround,
  timeAfterHash: boolean,
): Equality | MissingFact {
  const { hashes } = facts;
  const { hash, windowNs } = ground;
  const unknown: Equality = { equal: !timeAfterHash, reason: { why: 'hash-unknown', hash } };
  if (hash === undefined) return unknown;
  if (hashes === undefined) return NEED_HASHES;
  if (hashes === 'differs' && isRewritten(facts)) return compareByTime(facts, ground);
  if (hashes === 'differs') return { equal: false, reason: { why: 'hash-differs', hash } };
  if (hashes === 'unknown') return unknown;
  const staleTime = timeAfterHash && windowNs !== undefined;
  return { equal: true, staleTime, reason: { why: 'hash-same', hash } };
}

/** The times to compare; `undefined` while one of them is unknown. */
function modTimes({ source, dest }: PairFacts): { source: ModTime; dest: ModTime } | undefined {
  if (source.modTime === undefined || dest.modTime === undefined) return undefined;
  return { source: source.modTime, dest: dest.modTime };
}

function replace(options: CompareOptions, reason: Reason): Decision {
  if (!options.immutable) return { action: 'transfer', reason };
  return { action: 'refuse', reason: { why: 'immutable' } };
}
