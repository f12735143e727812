import { sameModTime } from '../../core/mod-time.ts';
import type { FileEntry, Op, Remote } from '../../core/remote.ts';
import { confirmedEmpty } from '../../core/remote-calls.ts';
import type { BothSides, Sides } from '../action.ts';
import {
  compareHashes,
  compareManyHashes,
  HASHED_TOGETHER,
  withHashShown,
} from '../compare-pair.ts';
import { timed, withModTime, withModTimes } from '../mod-time-of.ts';
import type { Run } from '../run.ts';
import {
  type CommonGround,
  type Facts,
  type FileVerdict,
  NEW,
  type Needs,
  type PairFacts,
  type Rules,
} from './rule.ts';

/** A file with its verdict. */
export interface Judged {
  /** All that was requested. */
  readonly facts: Facts;
  readonly verdict: FileVerdict;
  /** What the rules said before one looked further: how the two sides compare. */
  readonly base: FileVerdict;
}

/**
 * Whether the file of the destination, `at`, can stand for that of the source: not if only their sizes were compared, or
 * if their times are equal only by `--modify-window`.
 */
export function hasContentAndTime(at: Remote, { verdict, facts }: Judged): boolean {
  const { reason } = verdict;
  if (reason.why === 'times-same') {
    return sameModTime(reason.differenceNs, 0n, at.traits.modTimePrecision ?? 1n);
  }
  if (facts.hashes !== 'same') return false;
  const [a, b] = [facts.source.modTime, facts.dest?.modTime];
  return verdict.do === 'set-time' || a === undefined || b === undefined || a === b;
}

/** What the rules are asked with. */
export interface AskedWith extends Sides {
  readonly run: Run;
  readonly rules: Rules;
  readonly ground: CommonGround;
}

/** Asks the rules about a file, and requests what they have to know, until they have a verdict. */
export async function askRules(
  work: AskedWith,
  file: Facts,
  op: Op = work.run.op,
): Promise<Judged> {
  let facts = file;
  let base: FileVerdict | undefined;
  for (;;) {
    const verdict = work.rules.judge(facts);
    if (!('needs' in verdict)) return { facts, verdict, base: base ?? verdict };
    if (verdict.needs === 'look') {
      const { rule, so = NEW } = verdict;
      base ??= so;
      const found = await rule.look?.(facts, so, work.run);
      facts = { ...facts, looked: new Map(facts.looked).set(rule, found) };
    } else facts = await withFact(work, facts, verdict.needs, op);
  }
}

/** With what a rule needs. Of a file that is new, only the time is requested. */
async function withFact(
  work: AskedWith,
  facts: Facts,
  needs: Exclude<Needs['needs'], 'look'>,
  op: Op,
): Promise<Facts> {
  const { source, dest } = facts;
  if (dest === undefined)
    return {
      ...facts,
      source: timed(await withModTime(work.source, source, op)),
      hashes: 'unknown',
    };
  const pair = { ...facts, dest };
  switch (needs) {
    case 'times':
      return withModTimes(work, pair, op);
    case 'hashes':
      return { ...facts, hashes: await compareHashes(work, pair, work.ground.hash, op) };
    case 'sizes': {
      const [ofSource, ofDest] = [
        await confirmedEmpty(work.source, source, op),
        await confirmedEmpty(work.dest, dest, op),
      ];
      return { ...facts, source: ofSource, dest: ofDest, isSized: true };
    }
    case 'details': {
      const [ofSource, ofDest] = await Promise.all([
        withDetails(work.source, source, op),
        withDetails(work.dest, dest, op),
      ]);
      return { ...facts, source: ofSource, dest: ofDest, isDetailed: true };
    }
  }
}

async function withDetails(remote: Remote, file: FileEntry, op: Op): Promise<FileEntry> {
  return timed((await remote.can.details?.read(file, op)) ?? file);
}

/**
 * Judges pairs of one page: those that lack only hashes by hashes of many files at once, where the remotes have such.
 * Not in their order. Rejects only if the run is aborted.
 *
 * @param settle takes each pair with what is known of it, and the verdict, which may still need facts
 */
export async function judgeTogether(
  { run, source, dest, ground, rules }: AskedWith,
  pairs: readonly BothSides[],
  settle: (facts: PairFacts, verdict: FileVerdict | Needs) => Promise<unknown> | undefined,
): Promise<void> {
  const hash = (source.can.hashMany ?? dest.can.hashMany) && ground.hash;
  const lacking: BothSides[] = [];
  for (let at = 0; at < pairs.length; at++) {
    const pair = pairs[at] as BothSides;
    const verdict = rules.judge(pair);
    const needsHashes = 'needs' in verdict && verdict.needs === 'hashes';
    if (hash !== undefined && needsHashes) {
      lacking.push(pair);
      continue;
    }
    const settled = settle(pair, verdict);
    // To wait for what is settled at once would take longer than to judge.
    if (settled !== undefined) await settled;
  }
  if (hash === undefined) return;
  for (let from = 0; from < lacking.length; from += HASHED_TOGETHER) {
    await run.control?.ready(run.op.signal);
    const together = lacking.slice(from, from + HASHED_TOGETHER);
    const compared = await compareManyHashes({ source, dest }, together, hash, run.op);
    for (let at = 0; at < together.length; at++) {
      const pair = together[at] as BothSides;
      const hashes = compared[at];
      const facts: PairFacts = hashes === undefined ? pair : { ...pair, hashes };
      await settle(facts, rules.judge(facts));
    }
  }
}

/** The verdict about a file; sends requests if needed. Errors are counted and give `undefined`. */
export async function judgeAsking(work: AskedWith, file: Facts): Promise<Judged | undefined> {
  const { run } = work;
  try {
    return await withHashShown(run, file.source, (op) => askRules(work, file, op));
  } catch (thrown) {
    run.fail(thrown, file.source.path, 'compare');
    return undefined;
  }
}
