import { sameModTime } from '../core/mod-time.ts';
import { type CommonGround, isRewritten, type MissingFact, type PairFacts } from './decide.ts';

/** What `check` compares. */
export type CheckBy = 'size-and-time' | 'size-and-hash' | 'size' | 'content';

/** How a pair compares; `withoutHash`: it passed because a side has no hash. */
export type CheckVerdict =
  | { readonly verdict: 'match'; readonly withoutHash?: boolean }
  | { readonly verdict: 'differ'; readonly reason: string }
  | { readonly verdict: 'read-contents' }
  /** A disk may list a size of 0 of what has content. */
  | { readonly action: 'need-sizes' }
  | MissingFact;

/**
 * Decides whether a file is the same on both sides. Pure. Without flags, size and modification time are compared; if
 * a side keeps no times, the hash decides instead.
 */
export function decideCheck(facts: PairFacts, by: CheckBy, ground: CommonGround): CheckVerdict {
  const { source, dest } = facts;
  if (source.isWrong === true || dest.isWrong === true) {
    if (by !== 'content') return { verdict: 'differ', reason: 'known to hold other content' };
  }
  if (source.size >= 0 && dest.size >= 0 && source.size !== dest.size) {
    const mayBeWrong = by !== 'size' && facts.isSized !== true;
    if (mayBeWrong && (source.size === 0 || dest.size === 0)) return { action: 'need-sizes' };
    if (by !== 'content' && isRewritten(facts)) return byTime(facts, ground);
    return { verdict: 'differ', reason: 'sizes differ' };
  }
  if (by === 'size') return { verdict: 'match' };
  if (by === 'content') return { verdict: 'read-contents' };
  if (by === 'size-and-time' && ground.windowNs !== undefined)
    return byTime(facts, ground, { verdict: 'match' }, 'modification times differ');
  return byHash(facts, ground);
}

/** The comparison of times; of those alone if size and hash mean nothing, as one whose hash could not be checked. */
function byTime(
  { source, dest }: PairFacts,
  { windowNs }: CommonGround,
  match: CheckVerdict = { verdict: 'match', withoutHash: true },
  reason = 'sizes and modification times differ',
): CheckVerdict {
  if (windowNs === undefined) return match;
  if (source.modTime === undefined || dest.modTime === undefined)
    return { action: 'need-mod-times' };
  const isSame = sameModTime(source.modTime, dest.modTime, windowNs);
  return isSame ? match : { verdict: 'differ', reason };
}

function byHash(facts: PairFacts, ground: CommonGround): CheckVerdict {
  const { hashes } = facts;
  const { hash } = ground;
  if (hash === undefined) return { verdict: 'match', withoutHash: true };
  if (hashes === undefined) return { action: 'need-hashes' };
  if (hashes === 'differs' && isRewritten(facts)) return byTime(facts, ground);
  if (hashes === 'differs') return { verdict: 'differ', reason: `${hash} differ` };
  return { verdict: 'match', withoutHash: hashes === 'unknown' };
}
