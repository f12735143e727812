import type { Reason } from '../../core/reason.ts';
import type { FileEntry } from '../../core/remote.ts';
import type { Run } from '../run.ts';
import { compareByHash, compareByTime, type Equality, isRewritten } from './comparison.ts';
import {
  type CommonGround,
  type FileRule,
  type FileVerdict,
  NEEDS_LOOK,
  type Needs,
  type PairFacts,
  Rules,
} from './rule.ts';

export type CheckBy = 'size-and-time' | 'size-and-hash' | 'size' | 'content';

/** How a check compares. */
export interface CheckGround {
  readonly by: CheckBy;
  readonly ground: CommonGround;
  /** Files of different sizes may be equal. */
  readonly ignoreSize?: boolean | undefined;
  /** Reads both files; resolves to whether they have the same content. */
  readContents(pair: PairFacts, run: Run): Promise<boolean>;
}

/**
 * The rules of `check`: a transfer is a difference. Without flags, size and modification time are compared; if a side
 * keeps no times, the hash decides instead.
 */
export function checkRules(check: CheckGround): Rules {
  const { by, ground } = check;
  const last: Record<CheckBy, PairRule> = {
    size: { name: '--size-only', judge: () => keep({ why: 'sizes-identical' }) },
    content: contentRule(check),
    'size-and-hash': hashRule(ground),
    'size-and-time': ground.windowNs === undefined ? hashRule(ground) : timeRule(ground),
  };
  const rules = [wrongRule(by), sizeRule(check), last[by]];
  return new Rules(rules.map(ofPair), false);
}

/** As a `FileRule`, of files that both sides have. */
interface PairRule {
  readonly name: string;
  judge(facts: PairFacts): FileVerdict | Needs | undefined;
  look?(facts: PairFacts, run: Run): Promise<FileVerdict>;
}

function ofPair({ name, judge, look }: PairRule): FileRule {
  const judgePair: FileRule['judge'] = (facts) => judge(facts as PairFacts);
  const rule: FileRule = { name, extra: 'pairs-only', judge: judgePair };
  if (look === undefined) return rule;
  return { ...rule, look: (facts, _, run) => look(facts as PairFacts, run) };
}

function wrongRule(by: CheckBy): PairRule {
  const isKnown = ({ isWrong }: FileEntry) => by !== 'content' && isWrong === true;
  return {
    name: 'proof-failed',
    judge: ({ source, dest }) =>
      isKnown(source) || isKnown(dest) ? differ({ why: 'proof-failed' }) : undefined,
  };
}

function sizeRule({ by, ground, ignoreSize }: CheckGround): PairRule {
  return {
    name: 'size',
    judge(facts) {
      const { source, dest } = facts;
      if (ignoreSize === true || source.size < 0 || dest.size < 0 || source.size === dest.size)
        return undefined;
      // A disk may list a size of 0 of what has content.
      const mayBeWrong = by !== 'size' && facts.isSized !== true;
      if (mayBeWrong && (source.size === 0 || dest.size === 0)) return { needs: 'sizes' };
      if (by !== 'content' && isRewritten(facts)) return byTimeAlone(facts, ground);
      return differ({ why: 'sizes-differ', source: source.size, dest: dest.size });
    },
  };
}

function timeRule(ground: CommonGround): PairRule {
  return { name: 'time', judge: (facts) => verdictOf(compareByTime(facts, ground)) };
}

function hashRule(ground: CommonGround): PairRule {
  return {
    name: '--checksum',
    judge: (facts) =>
      facts.hashes === 'differs' && isRewritten(facts)
        ? byTimeAlone(facts, ground)
        : verdictOf(compareByHash(facts, ground, false)),
  };
}

function contentRule({ readContents }: CheckGround): PairRule {
  return {
    name: '--download',
    judge: () => NEEDS_LOOK,
    async look(facts, run) {
      const isSame = await readContents(facts, run);
      return isSame ? keep({ why: 'contents-same' }) : differ({ why: 'contents-differ' });
    },
  };
}

/** The comparison if size and hash mean nothing. */
function byTimeAlone(facts: PairFacts, ground: CommonGround): FileVerdict | Needs {
  const found = compareByTime(facts, ground);
  if ('needs' in found) return found;
  return found.equal ? keep({ why: 'rewritten-same' }) : differ({ why: 'rewritten-differ' });
}

function verdictOf(found: Equality | Needs): FileVerdict | Needs {
  if ('needs' in found) return found;
  return found.equal ? keep(found.reason) : differ(found.reason);
}

function keep(reason: Reason): FileVerdict {
  return { do: 'keep', reason };
}

function differ(reason: Reason): FileVerdict {
  return { do: 'transfer', reason };
}

/** Whether two files only passed because a side has no hash, or none that counts. */
export function isWithoutHash({ do: what, reason: { why } }: FileVerdict): boolean {
  return what === 'keep' && (why === 'hash-unknown' || why === 'rewritten-same');
}

/** How two files differ, in words; `undefined` if they do not. */
export function differenceOf({ do: what, reason }: FileVerdict): string | undefined {
  if (what === 'keep') return undefined;
  switch (reason.why) {
    case 'proof-failed':
      return 'known to hold other content';
    case 'times-differ':
      return 'modification times differ';
    case 'rewritten-differ':
      return 'sizes and modification times differ';
    case 'hash-differs':
      return `${reason.hash} differ`;
    case 'contents-differ':
      return 'contents differ';
    default:
      return 'sizes differ';
  }
}
