import { randomBytes } from 'node:crypto';
import { SyncerError, toSyncerError } from '../core/errors.ts';
import type { SyncPlan } from '../sync/file-work.ts';
import type { Attempt, RunSetup } from '../sync/run.ts';
import { attemptSync } from '../sync/sync.ts';
import type { Claim, Ledger } from './ledger.ts';
import { middleName } from './middle-name.ts';

/** How ranges are worked on. */
export interface RangeRules {
  /** Ranges at the same time. They share `transfers` and `checkers` of the plan. */
  readonly slots: number;
  /** A range ends after about this many names; what follows is another one. */
  readonly namesARange: number;
  /** Called after each change that a later run can build on. */
  save(): Promise<void>;
}

/** Batches of a range, at most a page each, before an idle slot takes a part of it. */
const BATCHES_BEFORE_CUT = 4;

/** How often a range is cut for idle slots: this many times, and once more for each of its batches. */
const FIRST_CUTS = 32;

/** A range that is being worked on. */
interface Work {
  readonly claim: Claim;
  batches: number;
  cuts: number;
  /** Names of both sides that are worked on, one of the first, and the last of them. */
  names: number;
  seen: string | undefined;
  reached: string | undefined;
  /** The last page of the source has come. */
  isListed: boolean;
  extra: number;
}

/**
 * One attempt at a copy or sync, range by range of a ledger: every range is a run of the engine over both listings of
 * the range. Extra files are counted while copying, and deleted when every range is copied, from new listings of the
 * ranges that have some. Does not reject: errors are in the result.
 */
export async function attemptRanges(
  setup: RunSetup,
  plan: SyncPlan,
  ledger: Ledger,
  rules: RangeRules,
): Promise<Attempt> {
  const attempts: Attempt[] = [];
  const hasFailed = () => attempts.some(({ error }) => error !== undefined);
  const deletes = plan.options.deletes !== 'off';
  const leave = setup.control?.enter();
  try {
    ledger.reopen();
    for (let goesOn = true; goesOn; ) {
      await new Slots(setup, plan, ledger, rules, attempts).run();
      const isUnread = hasFailed() && deletes && ledger.phase === 'copying';
      if (isUnread) tellNotDeleting(setup, plan);
      goesOn = !hasFailed() && ledger.nextPhase(deletes) && ledger.phase !== 'done';
      if (goesOn) await rules.save();
    }
  } catch (thrown) {
    return together(attempts, toSyncerError(thrown));
  } finally {
    leave?.();
  }
  return together(attempts, hasFailed() ? undefined : whyUnfinished(setup, ledger));
}

/** Why a run without errors has ranges left; `undefined` if it has none. */
function whyUnfinished({ context, control }: RunSetup, ledger: Ledger): SyncerError | undefined {
  if (ledger.phase === 'done') return undefined;
  const stopped = [context.signal, control?.stopping].find((signal) => signal?.aborted === true);
  if (stopped !== undefined) return toSyncerError(stopped.reason);
  return new SyncerError('other', 'some ranges of names were not listed to their end', {
    advice: 'run the same command again',
  });
}

/** The slots of one phase. */
class Slots {
  readonly #setup: RunSetup;
  readonly #plan: SyncPlan;
  readonly #ledger: Ledger;
  readonly #rules: RangeRules;
  readonly #attempts: Attempt[];
  readonly #running = new Set<Work>();
  #wake = Promise.withResolvers<void>();

  constructor(
    ...[setup, plan, ledger, rules, attempts]: [RunSetup, SyncPlan, Ledger, RangeRules, Attempt[]]
  ) {
    this.#setup = setup;
    this.#ledger = ledger;
    this.#rules = rules;
    this.#attempts = attempts;
    const { options } = plan;
    const share = (count: number) => Math.max(1, Math.ceil(count / rules.slots));
    const { transfers, checkers } = options;
    const shared = { transfers: share(transfers), checkers: share(checkers), fastList: true };
    this.#plan = { ...plan, options: { ...options, ...shared } };
  }

  async run(): Promise<void> {
    await Promise.all(Array.from({ length: this.#rules.slots }, () => this.#slot()));
  }

  async #slot(): Promise<void> {
    while (!this.#isOver()) {
      const claim = this.#claim();
      if (claim !== undefined) await this.#work(claim);
      else if (this.#running.size === 0) return;
      else await this.#wake.promise;
    }
  }

  #claim(): Claim | undefined {
    const token = randomBytes(16).toString('hex');
    return this.#ledger.claim(token) ?? (this.#cutOne() ? this.#ledger.claim(token) : undefined);
  }

  /** Cuts the range that was listed the longest about in the middle of the names that may follow. */
  #cutOne(): boolean {
    const mayBeCut = ({ isListed, batches, cuts }: Work) =>
      !isListed && batches >= BATCHES_BEFORE_CUT && cuts < FIRST_CUTS + batches;
    const inOrder = [...this.#running].filter(mayBeCut).sort((a, b) => b.batches - a.batches);
    return inOrder.some((work) => {
      const { claim, reached } = work;
      const point = reached === undefined ? undefined : middleName(reached, claim.last, work.seen);
      work.cuts++;
      return point !== undefined && this.#ledger.cut(claim.token, point);
    });
  }

  async #work(claim: Claim): Promise<void> {
    const work: Work = {
      ...{ claim, batches: 0, cuts: 0, names: 0 },
      ...{ seen: undefined, reached: undefined, isListed: false, extra: 0 },
    };
    this.#running.add(work);
    const attempt = await attemptSync(this.#setup, this.#planOf(work));
    this.#attempts.push(attempt);
    const { token } = claim;
    // Without the last page of the source nothing shows that all of the range was looked at.
    if (attempt.error === undefined && work.isListed) {
      this.#ledger.done(token, { files: work.names - work.extra, extra: work.extra });
      await this.#rules.save();
    } else this.#ledger.fail(token);
    this.#running.delete(work);
    this.#woken();
  }

  #planOf(work: Work): SyncPlan {
    const { options } = this.#plan;
    const { claim } = work;
    const deletes = claim.phase === 'deleting' ? options.deletes : 'off';
    return {
      ...this.#plan,
      options: { ...options, deletes },
      range: {
        after: claim.after,
        get last() {
          return claim.last;
        },
        listed: (side) => {
          if (side === 'source') work.isListed = true;
        },
        passed: (names, path) => this.#passed(work, names, path),
        onExtra: () => void work.extra++,
      },
    };
  }

  #passed(work: Work, names: number, path: string): void {
    const { token } = work.claim;
    work.batches++;
    work.names += names;
    work.seen ??= path;
    work.reached = path;
    this.#ledger.reach(token, path);
    if (work.names >= this.#rules.namesARange) this.#ledger.cut(token, path);
    this.#woken();
  }

  #woken(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }

  #isOver(): boolean {
    const { context, control } = this.#setup;
    if (context.signal.aborted || control?.stopping.aborted === true) return true;
    return this.#attempts.some(({ error }) => error?.stop === true);
  }
}

/** As in a run that is one range. */
function tellNotDeleting({ context }: RunSetup, { dest }: SyncPlan): void {
  const fields = { what: 'files' } as const;
  context.emit({ type: 'log', level: 'error', path: dest.title, code: 'not-deleting', fields });
}

function together(attempts: readonly Attempt[], unfinished: SyncerError | undefined): Attempt {
  const failed = attempts.filter(({ error }) => error !== undefined);
  const deciding = failed.find(({ error }) => error?.stop === true) ?? failed.at(-1);
  return {
    error: deciding?.error ?? unfinished,
    errors: attempts.reduce((sum, { errors }) => sum + errors, unfinished === undefined ? 0 : 1),
    worthRetrying:
      deciding?.error?.stop !== true && failed.some(({ worthRetrying }) => worthRetrying),
    transferred: attempts.reduce((sum, { transferred }) => sum + transferred, 0),
  };
}
