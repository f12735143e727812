import { sharedHashes } from '../../core/hash-names.ts';
import { type ModTime, sameModTime } from '../../core/mod-time.ts';
import type { Reason } from '../../core/reason.ts';
import type { CompareOptions } from '../sync-option-parts.ts';
import {
  type CommonGround,
  type Facts,
  type FileRule,
  type FileVerdict,
  NEEDS_DETAILS,
  NEEDS_HASHES,
  NEEDS_TIMES,
  NEW,
  type Needs,
  type PairFacts,
  Rules,
} from './rule.ts';

/** How two files compare; `staleTime`: the content is the same but the modification time is not. */
export interface Equality {
  readonly equal: boolean;
  readonly reason: Reason;
  readonly staleTime?: boolean;
}

/** A file of the destination that failed verification in an earlier run is replaced, whatever it looks like. */
export const proofRule: FileRule = {
  name: 'proof-failed',
  extra: 'pairs-only',
  judge: ({ dest }) =>
    dest?.isWrong === true ? { do: 'transfer', reason: { why: 'proof-failed' } } : undefined,
};

/**
 * Only whether two files are equal: flags about existing files do not apply. Any verdict but a transfer says so, also a
 * new time, which is for the caller to set or not.
 */
export function comparingRules(options: CompareOptions, ground: CommonGround): Rules {
  return new Rules([proofRule, comparison(options, ground)], false);
}

/** Whether two files are equal, by `--checksum`, `--size-only` and the like. The order is that of rclone's `Equal`. */
export function comparison(options: CompareOptions, ground: CommonGround): FileRule {
  return {
    name: 'comparison',
    extra: 'pairs-only',
    sourceGoes: true,
    judge: (facts) => (isPair(facts) ? verdictOf(compare(facts, options, ground)) : NEW),
  };
}

/** `--update`: a newer file at the destination stays; how others are compared depends on the times. */
export function updateRule(options: CompareOptions, ground: CommonGround): FileRule {
  const { windowNs = 1n } = ground;
  const ofOlder = { ...options, checksum: true };
  const ofSame = { ...options, sizeOnly: !options.checksum };
  return {
    name: '--update',
    extra: 'pairs-only',
    // As in rclone: whatever the newer file has.
    sourceGoes: true,
    judge(facts) {
      if (!isPair(facts)) return undefined;
      const times = modTimes(facts);
      if (times === undefined) return NEEDS_TIMES;
      const lead = times.dest - times.source;
      if (lead >= windowNs) return { do: 'keep', reason: { why: 'dest-newer' } };
      if (lead > -windowNs) return verdictOf(compare(facts, ofSame, ground));
      return verdictOf(compare(facts, ofOlder, ground, !options.checksum));
    },
  };
}

function isPair(facts: Facts): facts is PairFacts {
  return facts.dest !== undefined;
}

function verdictOf(equality: Equality | Needs): FileVerdict | Needs {
  if ('needs' in equality) return equality;
  const { equal, reason, staleTime } = equality;
  if (!equal) return { do: 'transfer', reason };
  return { do: staleTime === true ? 'set-time' : 'keep', reason };
}

/** `timeAfterHash`: if equal hashes decide, the time is set nevertheless. */
function compare(
  facts: PairFacts,
  options: CompareOptions,
  ground: CommonGround,
  timeAfterHash = false,
): Equality | Needs {
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
  if (times === undefined) return NEEDS_TIMES;
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
    if (facts.isDetailed !== true) return NEEDS_DETAILS;
    return { equal: false, reason: { why: 'hash-differs', hash: other } };
  }
  const timesDiffer: Reason = { why: 'times-differ', differenceNs, windowNs };
  if (hash === undefined) {
    return { equal: options.refreshTimes, reason: timesDiffer, staleTime: true };
  }
  const { hashes } = facts;
  if (hashes === undefined) return NEEDS_HASHES;
  if (hashes === 'differs') return { equal: false, reason: { why: 'hash-differs', hash } };
  const equal = hashes === 'same' || (hashes === 'unknown' && options.refreshTimes);
  return { equal, reason: timesDiffer, staleTime: true };
}

/** Whether a server changed the content by itself, so that neither size nor hash shows what was written. */
export function isRewritten({ source, dest }: PairFacts): boolean {
  return source.isRewritten === true || dest.isRewritten === true;
}

/** The comparison if size and hash mean nothing. */
export function compareByTime(facts: PairFacts, { windowNs }: CommonGround): Equality | Needs {
  if (windowNs === undefined) return { equal: true, reason: { why: 'sizes-identical' } };
  const times = modTimes(facts);
  if (times === undefined) return NEEDS_TIMES;
  const differenceNs = times.dest - times.source;
  const equal = sameModTime(times.dest, times.source, windowNs);
  return { equal, reason: { why: equal ? 'times-same' : 'times-differ', differenceNs, windowNs } };
}

/**
 * The comparison by hash.
 *
 * @param timeAfterHash if equal hashes decide, the time is set nevertheless; without hashes nothing is equal
 */
export function compareByHash(
  facts: PairFacts,
  ground: CommonGround,
  timeAfterHash: boolean,
): Equality | Needs {
  const { hashes } = facts;
  const { hash, windowNs } = ground;
  const unknown: Equality = { equal: !timeAfterHash, reason: { why: 'hash-unknown', hash } };
  if (hash === undefined) return unknown;
  if (hashes === undefined) return NEEDS_HASHES;
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
