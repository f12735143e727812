import { SyncerError } from '../core/errors.ts';
import type { FileEntry, Remote } from '../core/remote.ts';
import { checkPool } from './adaptive-pools.ts';
import {
  allDifferences,
  type CheckOutcome,
  type CheckReports,
  noCounts,
  reportOutcome,
  summary,
} from './check-report.ts';
import { commonGround, compareHashes } from './compare-pair.ts';
import type { CommonGround, PairFacts } from './decide.ts';
import { type CheckBy, type CheckVerdict, decideCheck } from './decide-check.ts';
import type { BothSides } from './file-work.ts';
import { withModTime } from './mod-time-of.ts';
import { type Run, type RunSetup, startRun } from './run.ts';
import { sameContents } from './same-contents.ts';
import type { Adapts } from './sync-options.ts';
import { treeListed } from './tree-listed.ts';
import { type FilePair, walkBoth } from './walk-both.ts';
import { walkSource } from './walk-source.ts';

/** A comparison of two trees. */
export interface CheckPlan {
  readonly source: Remote;
  readonly dest: Remote;
  readonly by: CheckBy;
  /** Files that only the destination has do not matter. */
  readonly oneWay: boolean;
  readonly modifyWindowNs: bigint;
  readonly noUnicodeNormalization: boolean;
  /** Names that differ only in case are one name. */
  readonly ignoreCaseSync: boolean;
  readonly checkers: number;
  readonly adapts?: Adapts;
  /** List whole trees at once where the store can (`--fast-list`). */
  readonly fastList: boolean;
  readonly lowLevelRetries: number;
  readonly reports: CheckReports;
}

/**
 * Compares two trees, logs every difference and a summary. Rejects with `differences` where there are any,
 * and with the deciding error where something could not be compared.
 */
export async function check(setup: RunSetup, plan: CheckPlan): Promise<void> {
  const run = startRun(setup);
  const counts = noCounts();
  const ground = commonGround(plan.source, plan.dest, plan.modifyWindowNs);
  const pool = checkPool(plan, setup.context);
  const { emit } = setup.context;
  if (plan.by === 'size-and-hash' && ground.hash !== undefined) {
    emit({ type: 'log', level: 'info', code: 'check-hash', fields: { hash: ground.hash } });
  }

  const conclude = async (outcome: CheckOutcome, path: string) => {
    counts[COUNTER[outcome]]++;
    await reportOutcome(plan.reports, outcome, path);
  };
  const differ = async (outcome: CheckOutcome, path: string, message: string) => {
    const error = new SyncerError('differences', message, { path });
    run.log('error', path, 'differs', { difference: error });
    emit({ type: 'error', error });
    await conclude(outcome, path);
  };
  const settle = async (path: string, verdict: CheckVerdict) => {
    if (!('verdict' in verdict) || verdict.verdict === 'read-contents') return;
    if (verdict.verdict === 'differ') return differ('differ', path, verdict.reason);
    if (verdict.withoutHash === true) counts.withoutHash++;
    if (run.verbose) run.log('debug', path, 'equal');
    await conclude('match', path);
  };
  const take = async ({ source, dest }: FilePair) => {
    if (source === undefined) {
      if (dest !== undefined && !plan.oneWay) {
        await differ('missing-on-src', dest.path, `file not in ${plan.source.title}`);
      }
      return;
    }
    if (dest === undefined)
      return differ('missing-on-dst', source.path, `file not in ${plan.dest.title}`);
    const atOnce = decideCheck({ source, dest }, plan.by, ground);
    emit({ type: 'check-queued', files: 1 });
    if ('verdict' in atOnce && atOnce.verdict !== 'read-contents') {
      emit({ type: 'checked', files: 1 });
      return settle(source.path, atOnce);
    }
    await pool.add(async () => {
      try {
        await run.control?.ready(run.op.signal);
        await settle(source.path, await decideAsking(run, plan, { source, dest }, ground));
      } catch (thrown) {
        run.fail(thrown, source.path);
        await conclude('error', source.path);
      }
      emit({ type: 'checked', files: 1 });
    });
  };

  const visitor = {
    async files(pairs: readonly FilePair[]) {
      for (const pair of pairs) await take(pair);
    },
    async dirs() {},
    isFull: pool.isFull,
  };
  const { ignoreCaseSync: ignoreCase, checkers: width } = plan;
  const listed = plan.fastList ? treeListed : (remote: Remote) => remote;
  const [source, dest] = [listed(plan.source), listed(plan.dest)];
  const sides = { source, dest, skipDest: false, ignoreCase, width };
  if (run.filter.fileList !== undefined) await walkSource(run, sides, visitor);
  else {
    await walkBoth(
      run,
      {
        ...sides,
        destFilter: run.filter,
        destOnlyDirs: !plan.oneWay,
        normalize: !plan.noUnicodeNormalization,
      },
      visitor,
    );
  }
  await pool.idle();
  setup.context.signal.throwIfAborted();
  const titles = { source: plan.source.title, dest: plan.dest.title };
  const errors = allDifferences(counts) + run.tally.count;
  for (const { about, ...fields } of summary(counts, errors, titles))
    run.log('notice', about, 'check-count', fields);
  const differences = allDifferences(counts);
  const { deciding } = run.tally;
  if (differences > 0 && deciding?.stop !== true) {
    throw new SyncerError('differences', `${differences} differences found`);
  }
  if (deciding !== undefined) throw deciding;
}

const COUNTER = {
  match: 'matches',
  differ: 'differences',
  'missing-on-dst': 'missingOnDest',
  'missing-on-src': 'missingOnSource',
  error: 'errors',
} as const satisfies Record<CheckOutcome, string>;

/** The verdict about a pair; fetches what is missing for it. */
async function decideAsking(
  run: Run,
  plan: CheckPlan,
  pair: BothSides,
  ground: CommonGround,
): Promise<CheckVerdict> {
  let facts: PairFacts = pair;
  for (;;) {
    const verdict = decideCheck(facts, plan.by, ground);
    if ('verdict' in verdict) {
      if (verdict.verdict !== 'read-contents') return verdict;
      const same = await sameContents(run, plan, facts, plan.lowLevelRetries);
      return same ? { verdict: 'match' } : { verdict: 'differ', reason: 'contents differ' };
    }
    if (verdict.action === 'need-hashes') {
      facts = { ...facts, hashes: await compareHashes(plan, facts, ground.hash, run.op) };
    } else {
      facts = {
        ...facts,
        source: await timed(plan.source, facts.source, run),
        dest: await timed(plan.dest, facts.dest, run),
      };
    }
  }
}

async function timed(remote: Remote, file: FileEntry, run: Run): Promise<FileEntry> {
  const detailed = await withModTime(remote, file, run.op);
  return { ...detailed, modTime: detailed.modTime ?? detailed.storedTime ?? 0n };
}
