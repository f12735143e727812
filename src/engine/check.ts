import { linkedAbort } from '../core/context.ts';
import { SyncerError, toSyncerError } from '../core/errors.ts';
import type { Remote } from '../core/remote.ts';
import { readingWith } from '../core/with-memory.ts';
import type { BothSides, FilePair, Sides } from './action.ts';
import { commonGround, sameContents, withHashShown } from './compare-pair.ts';
import { inRange, type ListedRange } from './in-range.ts';
import { type CheckOutcome, type CheckReports, reportOutcome } from './outcomes.ts';
import { type AskedWith, askRules, judgeTogether } from './rules/ask.ts';
import { type CheckBy, checkRules, differenceOf, isWithoutHash } from './rules/check-rules.ts';
import type { FileVerdict, PairFacts } from './rules/rule.ts';
import { type Attempt, type Run, type RunSetup, startRun } from './run.ts';
import type { ListingOptions } from './sync-option-parts.ts';
import { checkPool, type TaskPool } from './task-pool.ts';
import { flatListed, treeListed } from './tree-listed.ts';
import { type WalkVisitor, walkBoth } from './walk-both.ts';
import { walkSource } from './walk-source.ts';

/** A comparison of two trees. */
export interface TreeComparison extends Sides, ListingOptions {
  readonly by: CheckBy;
  /** Times nearer than this are equal, in nanoseconds; at least 1. */
  readonly modifyWindowNs: bigint;
  /** Tries of one file. */
  readonly lowLevelRetries: number;
  /** Files of different sizes may be equal. */
  readonly ignoreSize?: boolean;
  /** Ignore files that only the destination has. */
  readonly oneWay: boolean;
  /** Only these names, in one flat listing of each side; differences are its extra names. Absent: everything. */
  readonly range?: ListedRange;
}

/** A comparison whose results go into these reports. */
export interface CheckRequest extends TreeComparison {
  readonly reports: CheckReports;
}

/**
 * Compares two trees, logs every difference and a summary. Rejects with `differences` if there are any, and with the
 * deciding error if something could not be compared.
 */
export async function check(setup: RunSetup, plan: CheckRequest): Promise<void> {
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
  plan: CheckRequest & { readonly range: ListedRange },
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
  readonly #plan: CheckRequest;
  readonly #work: AskedWith;
  readonly #pool: TaskPool;
  /** `without-hash`: pairs that passed although a side had no hash. */
  readonly #counts: Record<CheckOutcome | 'without-hash', number> = {
    match: 0,
    differ: 0,
    'missing-on-dst': 0,
    'missing-on-src': 0,
    error: 0,
    'without-hash': 0,
  };

  constructor(setup: RunSetup, plan: CheckRequest) {
    const run = startRun(setup);
    const { source, dest, lowLevelRetries: tries } = plan;
    const ground = commonGround(source, dest, plan.modifyWindowNs);
    const rules = checkRules({
      ...plan,
      ground,
      readContents: (pair, { context }) =>
        readingWith(context, 2, () => sameContents(run, plan, pair, tries)),
    });
    this.#run = run;
    this.#plan = plan;
    this.#work = { run, source, dest, ground, rules };
    this.#pool = checkPool(plan, setup);
  }

  /** Walks both trees and compares their files. */
  async walk(): Promise<void> {
    const run = this.#run;
    const { by, ignoreCaseSync: ignoreCase, checkers: width, fastList, range } = this.#plan;
    const { hash } = this.#work.ground;
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
    if (this.#plan.by === 'size-and-time' && this.#work.ground.windowNs !== undefined)
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
    const { emit } = this.#run.context;
    emit({ type: 'check-queued', files: pairs.length });
    await judgeTogether(this.#work, pairs, (facts, verdict) => {
      if ('needs' in verdict) return this.#checkLater(facts);
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
        const { verdict } = await withHashShown(run, facts.source, (op) =>
          askRules(this.#work, facts, op),
        );
        await this.#settle(path, verdict);
      } catch (thrown) {
        run.fail(thrown, path);
        await this.#count('error', path);
      }
      run.context.emit({ type: 'checked', files: 1 });
    });
  }

  #settle(path: string, verdict: FileVerdict): Promise<unknown> | undefined {
    const difference = differenceOf(verdict);
    if (difference !== undefined) return this.#differ('differ', path, difference);
    if (isWithoutHash(verdict)) this.#counts['without-hash']++;
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
