import { readingWith } from '../core/around.ts';
import { linkedAbort } from '../core/context.ts';
import { SyncerError, toSyncerError } from '../core/errors.ts';
import { sameModTime } from '../core/mod-time.ts';
import type { Remote } from '../core/remote.ts';
import { confirmedEmpty } from '../core/remote-calls.ts';
import type { BothSides, FilePair } from './action.ts';
import {
  commonGround,
  compareHashes,
  judgeTogether,
  sameContents,
  withHashShown,
} from './compare-pair.ts';
import { inRange, type ListedRange } from './in-range.ts';
import { withModTimes } from './mod-time-of.ts';
import { type CheckOutcome, type CheckReports, reportOutcome } from './outcomes.ts';
import { isRewritten } from './rules/comparison.ts';
import {
  type CommonGround,
  NEEDS_HASHES,
  NEEDS_TIMES,
  type Needs,
  type PairFacts,
} from './rules/rule.ts';
import { type Attempt, type Run, type RunSetup, startRun } from './run.ts';
import type { PlainOptions } from './sync-option-parts.ts';
import { checkPool } from './task-pool.ts';
import { flatListed, treeListed } from './tree-listed.ts';
import { type WalkVisitor, walkBoth } from './walk-both.ts';
import { walkSource } from './walk-source.ts';

export type CheckBy = 'size-and-time' | 'size-and-hash' | 'size' | 'content';

/** How a pair compares; `withoutHash`: it passed because a side has no hash. */
type CheckVerdict =
  | { readonly verdict: 'match'; readonly withoutHash?: boolean }
  | { readonly verdict: 'differ'; readonly reason: string }
  | { readonly verdict: 'read-contents' }
  /** A disk may list a size of 0 of what has content. */
  | { readonly needs: 'sizes' }
  | Needs;

export interface CheckPlan
  extends Pick<
    PlainOptions,
    | 'modifyWindowNs'
    | 'noUnicodeNormalization'
    | 'ignoreCaseSync'
    | 'checkers'
    | 'adapts'
    | 'fastList'
    | 'lowLevelRetries'
  > {
  readonly source: Remote;
  readonly dest: Remote;
  readonly by: CheckBy;
  /** Files of different sizes may be equal. */
  readonly ignoreSize?: boolean;
  /** Ignore files that only the destination has. */
  readonly oneWay: boolean;
  readonly reports: CheckReports;
  /** Only these names, in one flat listing of each side; differences are its extra names. Absent: everything. */
  readonly range?: ListedRange;
}

/**
 * Compares two trees, logs every difference and a summary. Rejects with `differences` if there are any, and with the
 * deciding error if something could not be compared.
 */
export async function check(setup: RunSetup, plan: CheckPlan): Promise<void> {
  const trees = new TreeCheck(setup, plan);
  await trees.walk();
  setup.context.signal.throwIfAborted();
  trees.conclude();
}

/**
 * One attempt at a range of a comparison: every difference is logged, and counted by the range. Does not reject:
 * errors are in the result.
 */
export async function attemptCheck(
  setup: RunSetup,
  plan: CheckPlan & { readonly range: ListedRange },
): Promise<Attempt> {
  const { context, control } = setup;
  // Nothing is changed: a comparison that is stopped can end at any name.
  const { signal } = linkedAbort(context.signal, ...(control ? [control.stopping] : []));
  const trees = new TreeCheck({ ...setup, context: { ...context, signal } }, plan);
  const leave = control?.enter();
  try {
    await trees.walk();
    signal.throwIfAborted();
    return trees.attempt;
  } catch (thrown) {
    const error = toSyncerError(signal.aborted ? signal.reason : thrown);
    return { error, errors: 1, worthRetrying: false, transferred: 0 };
  } finally {
    leave?.();
  }
}

/** A running comparison: its means, and its counts. */
class TreeCheck {
  readonly #run: Run;
  readonly #plan: CheckPlan;
  readonly #ground: CommonGround;
  readonly #pool: ReturnType<typeof checkPool>;
  /** `without-hash`: pairs that passed although a side had no hash. */
  readonly #counts: Record<CheckOutcome | 'without-hash', number> = {
    match: 0,
    differ: 0,
    'missing-on-dst': 0,
    'missing-on-src': 0,
    error: 0,
    'without-hash': 0,
  };

  constructor(setup: RunSetup, plan: CheckPlan) {
    this.#run = startRun(setup);
    this.#plan = plan;
    this.#ground = commonGround(plan.source, plan.dest, plan.modifyWindowNs);
    this.#pool = checkPool(plan, setup);
  }

  /** Walks both trees and compares their files. */
  async walk(): Promise<void> {
    const run = this.#run;
    const { by, ignoreCaseSync: ignoreCase, checkers: width, fastList, range } = this.#plan;
    const { hash } = this.#ground;
    if (by === 'size-and-hash' && hash !== undefined) {
      run.context.emit({ type: 'log', level: 'info', code: 'check-hash', fields: { hash } });
    }
    const visitor: WalkVisitor = {
      files: (pairs) => this.#take(pairs),
      dirs: async () => {},
      isFull: this.#pool.isFull,
    };
    const listed = (remote: Remote, side: 'source' | 'dest') => {
      if (range !== undefined) return flatListed(remote, side, run.filter, range);
      return fastList ? treeListed(remote) : remote;
    };
    const [source, dest] = [listed(this.#plan.source, 'source'), listed(this.#plan.dest, 'dest')];
    const together = ['source', 'dest'] as const;
    const sides = { source, dest, skipDest: false, ignoreCase, width, together };
    if (run.filter.fileList !== undefined) await walkSource(run, sides, visitor);
    else {
      const { oneWay, noUnicodeNormalization } = this.#plan;
      const rules = {
        destFilter: run.filter,
        destOnlyDirs: !oneWay,
        // Two spellings of a name lie in two ranges.
        normalize: !noUnicodeNormalization && range === undefined,
      };
      const visits = range === undefined ? visitor : inRange(visitor, range);
      await walkBoth(run, { ...sides, ...rules }, visits);
    }
    await this.#pool.idle();
  }

  /** How the walk went. Differences are no errors of it. */
  get attempt(): Attempt {
    const { deciding: error, count: errors, worthRetrying } = this.#run.tally;
    return { error, errors, worthRetrying, transferred: 0 };
  }

  /** Logs the summary, and throws the error of the check. */
  conclude(): void {
    const { tally, log } = this.#run;
    const [source, dest] = [this.#plan.source.title, this.#plan.dest.title];
    const { match, differ, 'without-hash': withoutHash, ...counts } = this.#counts;
    const [noDest, noSource] = [counts['missing-on-dst'], counts['missing-on-src']];
    const differences = differ + noDest + noSource;
    // Weaker than rclone's check, which always compares hashes.
    if (this.#plan.by === 'size-and-time' && this.#ground.windowNs !== undefined)
      log('notice', dest, 'checked-by-time');
    const found = [
      [dest, 'missing', noDest],
      [source, 'missing', noSource],
      [dest, 'differences', differences],
      [dest, 'errors', differences + tally.count],
      [dest, 'without-hash', withoutHash],
      [dest, 'matches', match],
    ] as const;
    for (const [about, what, count] of found)
      if (count > 0 || what === 'differences') log('notice', about, 'check-count', { what, count });
    const { deciding } = tally;
    if (differences > 0 && deciding?.stop !== true) {
      throw new SyncerError('differences', `${differences} differences found`);
    }
    if (deciding !== undefined) throw deciding;
  }

  async #take(pairs: readonly FilePair[]): Promise<void> {
    let both: BothSides[] = [];
    for (const { source, dest } of pairs) {
      if (source !== undefined && dest !== undefined) {
        both.push({ source, dest });
        continue;
      }
      // What listings decide is reported in the order of the names.
      await this.#compare(both);
      both = [];
      if (source !== undefined)
        await this.#differ('missing-on-dst', source.path, `file not in ${this.#plan.dest.title}`);
      else if (dest !== undefined && !this.#plan.oneWay)
        await this.#differ('missing-on-src', dest.path, `file not in ${this.#plan.source.title}`);
    }
    await this.#compare(both);
  }

  async #compare(pairs: readonly BothSides[]): Promise<void> {
    if (pairs.length === 0) return;
    const { source, dest, by, ignoreSize } = this.#plan;
    const work = { run: this.#run, source, dest, ground: this.#ground };
    const { emit } = this.#run.context;
    emit({ type: 'check-queued', files: pairs.length });
    const judgeListed = (facts: PairFacts) => decideCheck(facts, by, this.#ground, ignoreSize);
    await judgeTogether(work, pairs, judgeListed, (facts, verdict) => {
      if (!('verdict' in verdict) || verdict.verdict === 'read-contents')
        return this.#checkLater(facts);
      emit({ type: 'checked', files: 1 });
      return this.#settle(facts.source.path, verdict);
    });
  }

  #checkLater(facts: PairFacts): Promise<void> {
    const run = this.#run;
    const { path } = facts.source;
    return this.#pool.add(async () => {
      try {
        await run.control?.ready(run.op.signal);
        await this.#settle(path, await this.#decideAsking(facts));
      } catch (thrown) {
        run.fail(thrown, path);
        await this.#count('error', path);
      }
      run.context.emit({ type: 'checked', files: 1 });
    });
  }

  /** The verdict about a pair; requests missing facts. */
  async #decideAsking(pair: PairFacts): Promise<CheckVerdict> {
    const [run, plan, ground] = [this.#run, this.#plan, this.#ground];
    let facts = pair;
    for (;;) {
      const verdict = decideCheck(facts, plan.by, ground, plan.ignoreSize);
      if ('verdict' in verdict) {
        if (verdict.verdict !== 'read-contents') return verdict;
        const { lowLevelRetries: tries } = plan;
        const same = await readingWith(run.context, 2, () => sameContents(run, plan, facts, tries));
        return same ? { verdict: 'match' } : { verdict: 'differ', reason: 'contents differ' };
      }
      if (verdict.needs === 'hashes') {
        const { hash } = ground;
        const hashes = await withHashShown(run, facts.source, (op) =>
          compareHashes(plan, facts, hash, op),
        );
        facts = { ...facts, hashes };
      } else if (verdict.needs === 'sizes') {
        const source = await confirmedEmpty(plan.source, facts.source, run.op);
        const dest = await confirmedEmpty(plan.dest, facts.dest, run.op);
        facts = { ...facts, source, dest, isSized: true };
      } else {
        facts = await withModTimes(plan, facts, run.op);
      }
    }
  }

  #settle(path: string, verdict: CheckVerdict): Promise<unknown> | undefined {
    if (!('verdict' in verdict) || verdict.verdict === 'read-contents') return undefined;
    if (verdict.verdict === 'differ') return this.#differ('differ', path, verdict.reason);
    if (verdict.withoutHash === true) this.#counts['without-hash']++;
    if (this.#run.verbose) this.#run.log('debug', path, 'equal');
    return this.#count('match', path);
  }

  #differ(outcome: CheckOutcome, path: string, message: string): Promise<unknown> | undefined {
    const error = new SyncerError('differences', message, { path });
    this.#run.log('error', path, 'differs', { difference: error });
    this.#run.context.emit({ type: 'error', error });
    this.#plan.range?.onExtra(0);
    return this.#count(outcome, path);
  }

  #count(outcome: CheckOutcome, path: string): Promise<unknown> | undefined {
    this.#counts[outcome]++;
    return reportOutcome(this.#plan.reports, outcome, path);
  }
}

/**
 * Decides whether a file is the same on both sides. Pure. Without flags, size and modification time are compared; if
 * a side keeps no times, the hash decides instead.
 */
export function decideCheck(
  facts: PairFacts,
  by: CheckBy,
  ground: CommonGround,
  ignoreSize = false,
): CheckVerdict {
  const { source, dest } = facts;
  if (source.isWrong === true || dest.isWrong === true) {
    if (by !== 'content') return { verdict: 'differ', reason: 'known to hold other content' };
  }
  if (!ignoreSize && source.size >= 0 && dest.size >= 0 && source.size !== dest.size) {
    const mayBeWrong = by !== 'size' && facts.isSized !== true;
    if (mayBeWrong && (source.size === 0 || dest.size === 0)) return { needs: 'sizes' };
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
  if (source.modTime === undefined || dest.modTime === undefined) return NEEDS_TIMES;
  const isSame = sameModTime(source.modTime, dest.modTime, windowNs);
  return isSame ? match : { verdict: 'differ', reason };
}

function byHash(facts: PairFacts, ground: CommonGround): CheckVerdict {
  const { hashes } = facts;
  const { hash } = ground;
  if (hash === undefined) return { verdict: 'match', withoutHash: true };
  if (hashes === undefined) return NEEDS_HASHES;
  if (hashes === 'differs' && isRewritten(facts)) return byTime(facts, ground);
  if (hashes === 'differs') return { verdict: 'differ', reason: `${hash} differ` };
  return { verdict: 'match', withoutHash: hashes === 'unknown' };
}
