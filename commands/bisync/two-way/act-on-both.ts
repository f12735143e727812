import { defined } from '../../../src/core/defined.ts';
import { hasCode } from '../../../src/core/errors.ts';
import { modTimeToMs, sameModTime } from '../../../src/core/mod-time.ts';
import type { FileEntry } from '../../../src/core/remote.ts';
import { isStillListed } from '../../../src/core/same-content.ts';
import { shownAction, type Transfer } from '../../../src/engine/action.ts';
import { compareHashes, sameContents } from '../../../src/engine/compare-pair.ts';
import { ALL, type Keep } from '../../../src/engine/consent.ts';
import { fileAt } from '../../../src/engine/file-at.ts';
import type { FileWork } from '../../../src/engine/file-work.ts';
import { deleteFiles } from '../../../src/engine/loss/delete-files.ts';
import { withModTime } from '../../../src/engine/mod-time-of.ts';
import { renameFiles } from '../../../src/engine/move-file.ts';
import type { Pass } from '../../../src/engine/pass.ts';
import {
  isSourceApart,
  type KnownFiles,
  spareOwnSource,
} from '../../../src/engine/place/own-source-check.ts';
import { askRules, judgeAsking } from '../../../src/engine/rules/ask.ts';
import { comparingRules } from '../../../src/engine/rules/comparison.ts';
import type { Facts, FileVerdict } from '../../../src/engine/rules/rule.ts';
import type { Run } from '../../../src/engine/run.ts';
import { isOnWord, ShownCopies } from '../../../src/engine/shown-copies.ts';
import { readied } from '../../../src/engine/sync.ts';
import { carryOut } from '../../../src/engine/sync-files.ts';
import { createTaskPool } from '../../../src/engine/task-pool.ts';
import { execute, TransferQueue } from '../../../src/engine/transfer-queue.ts';
import { refuseEmptied } from '../../../src/engine/without-bucket.ts';
import {
  type ConflictLoser,
  type ConflictNaming,
  type ConflictRule,
  conflictName,
  otherSide,
  SIDES,
  type Side,
  winnerOf,
} from './decide-two-way.ts';
import { type FoundPath, linkPlace } from './look-both.ts';
import { Recorder } from './recorder.ts';
import { WORDS } from './words.ts';

/** A file that one side has changed. */
const CHANGED: FileVerdict = { do: 'transfer', reason: { why: 'changed-there' } };

/** Deletions whose files are checked at a time just before. */
const CHECKED_TOGETHER = 64;

/** What happens to a file that was changed on both sides. */
export interface ConflictPlan {
  readonly rule: ConflictRule;
  readonly loser: ConflictLoser;
  readonly naming: Omit<ConflictNaming, 'loser'>;
}

/** A name for a copy of a file, and on which sides that is there already. */
interface FreePlace {
  readonly name: string;
  readonly there: Readonly<Partial<Record<Side, FileEntry | undefined>>>;
}

/** The two directions of a two-way sync, and what each has done. Errors are counted. */
export class Directions {
  /** By the side that is written. */
  readonly works: Readonly<Record<Side, FileWork>>;
  readonly recorders: Readonly<Record<Side, Recorder>> = { a: new Recorder(), b: new Recorder() };
  /** How many conflicts were settled. */
  conflicts = 0;
  readonly #plan: ConflictPlan;
  /** For the steps of one conflict: they are not asked about. */
  readonly #unasked: Readonly<Record<Side, FileWork>>;
  readonly #believesTimes: boolean;
  /** Paths that the consent refused to change, by side. */
  readonly #refused = { a: new Set<string>(), b: new Set<string>() };
  /** Sizes of files that could not be copied to a side. */
  readonly #missing: Readonly<Record<Side, Set<number>>> = { a: new Set(), b: new Set() };

  /**
   * @param toB writes the second side; `optionsA`: the options of the other direction
   * @param believesTimes files of equal size and time are equal, although both are new
   */
  constructor(
    toB: FileWork,
    optionsA: FileWork['options'],
    plan: ConflictPlan,
    believesTimes: boolean,
  ) {
    this.#believesTimes = believesTimes;
    const toA = { ...toB, source: toB.dest, dest: toB.source, options: optionsA };
    this.works = { a: this.#recorded(toA, 'a'), b: this.#recorded(toB, 'b') };
    const unasked = (side: Side) => {
      const work = this.works[side];
      const run = { ...work.run, consent: ALL, mayChange: async () => true };
      return this.#withRun({ ...work, run }, side);
    };
    this.#plan = plan;
    this.#unasked = { a: unasked('a'), b: unasked('b') };
  }

  #recorded(work: FileWork, side: Side): FileWork {
    const { run: shared } = work;
    const toPath = side === 'a' ? 1 : 2;
    const mayChange: Run['mayChange'] = async (action, seen) => {
      const may = await shared.mayChange({ ...action, toPath }, seen);
      if (may) return true;
      // The path that the file or directory would have got.
      let { about: path } = shownAction(action);
      if (action.do === 'copy' || action.do === 'move') path = action.path;
      if (action.do === 'rename') path = action.to ?? action.path;
      this.#refused[side].add(path);
      return false;
    };
    const run = { ...shared, outcomes: this.recorders[side], mayChange };
    return this.#withRun({ ...work, run }, side);
  }

  /** A transfer waits for the next run if a side has changed since it was listed. */
  #withRun(work: FileWork, side: Side): FileWork {
    const { run } = work;
    const staleness: Pass = {
      admit: async ({ path, replaces }) => {
        const { source, dest } = this.works[side];
        // The upload of a new file replaces nothing: that is its condition, or looked at just before.
        if (replaces === undefined && source.traits.onDisk && !dest.traits.onDisk) return true;
        if (await this.isAsListed(side, path, replaces)) return true;
        this.works[side].run.log('notice', path, 'message', { text: WORDS.waits });
        return false;
      },
      takes({ path }, error) {
        const waits = hasCode(error, 'precondition-failed');
        if (waits) run.log('notice', path, 'message', { text: WORDS.waits });
        return waits;
      },
    };
    return readied({ ...work, isWaited: true, more: [staleness] });
  }

  /** Copies files to both sides; of a file that replaces another, first whether they differ at all. */
  async copy(found: readonly FoundPath[]): Promise<void> {
    const { works } = this;
    const queues = { a: new TransferQueue(works.a, false), b: new TransferQueue(works.b, false) };
    const { options, run } = works.b;
    const checks = createTaskPool(options.checkers, options.maxBacklog);
    for (const { key, a, b, decision } of found) {
      if (run.op.signal.aborted || run.isStopping()) break;
      const { action, changes } = decision;
      if (action.do !== 'copy') continue;
      const { to } = action;
      const [source, replaces] = to === 'a' ? [b, a] : [a, b];
      if (source === undefined) continue;
      run.log('info', key, 'message', { text: WORDS.copies(changes, to) });
      const path = replaces?.path ?? source.path;
      const queue = async (transfer: Transfer) => {
        const bytes = Math.max(0, source.size);
        run.context.emit({ type: 'transfer-queued', files: 1, bytes });
        await queues[to].add(transfer);
      };
      const reason = { why: changes[to] === 'deleted' ? 'deleted-there' : 'new' } as const;
      if (replaces === undefined && !works[to].rules.asksNew) {
        await queue({ do: 'copy', source, path, reason });
        continue;
      }
      await checks.add(async () => {
        const transfer = await (replaces === undefined
          ? this.#allowed(works[to], { source, path }, { do: 'transfer', reason })
          : this.#transferOf(to, source, replaces));
        if (transfer !== undefined) await queue(transfer);
      });
    }
    await checks.idle();
    await Promise.all([queues.a.finish(), queues.b.finish()]);
    for (const { a, b, decision } of found) {
      if (decision.action.do !== 'copy') continue;
      const { to } = decision.action;
      const [source, replaces] = to === 'a' ? [b, a] : [a, b];
      const path = replaces?.path ?? source?.path ?? '';
      if (this.recorders[to].hasArrived(path) || this.#refused[to].has(path)) continue;
      if (source !== undefined) this.#missing[to].add(source.size);
    }
  }

  /** Forgets copies that only another program says it has made and that their side does not show: each is an error. */
  async forgetUnshown(): Promise<void> {
    for (const side of SIDES) {
      const { run, source, dest, options } = this.works[side];
      if (!isOnWord(dest)) continue;
      const { arrivals, removed } = this.recorders[side];
      const copies = new ShownCopies(run, options, dest, options.checkers, 'copy');
      for (const [path, arrived] of [...arrivals].filter(([one]) => !removed.has(one))) {
        const { from: file, written = file, replaced: replaces } = arrived;
        const job = { source, dest, file, path, ...defined({ replaces }) };
        arrivals.delete(path);
        const onShown = () => void arrivals.set(path, arrived);
        await copies.add(job, written, { onShown, onFailed: () => {} });
      }
      await copies.settle();
    }
  }

  /** Compares files that both sides have changed. Equal ones are agreed on; the others are conflicts. */
  async compare(found: readonly FoundPath[]): Promise<void> {
    const { source, dest, options, run } = this.works.b;
    const checks = createTaskPool(options.checkers, options.maxBacklog);
    for (const { key, a, b, decision } of found) {
      if (run.op.signal.aborted || run.isStopping()) break;
      if (decision.action.do !== 'compare' || a === undefined || b === undefined) continue;
      run.log('debug', key, 'message', { text: WORDS.compares(decision.changes) });
      run.context.emit({ type: 'check-queued', files: 1 });
      await checks.add(async () => {
        try {
          const [first, second] = await Promise.all([
            withModTime(source, a, run.op),
            withModTime(dest, b, run.op),
          ]);
          const isEqual = await this.#isEqual(first, second);
          run.context.emit({ type: 'checked', files: 1 });
          if (isEqual) await this.#agree(first, second);
          else await this.#settle(first, second);
        } catch (thrown) {
          run.fail(thrown, key, 'compare');
        }
      });
    }
    await checks.idle();
  }

  /** Deletes files of one side that the other has deleted, and that are still as they were listed. */
  async delete(side: Side, found: readonly FoundPath[], known: KnownFiles): Promise<void> {
    const work = this.works[side];
    const { run, dest, options } = work;
    if (run.op.signal.aborted || run.isStopping()) return;
    const files: FileEntry[] = [];
    for (const path of found) {
      const file = path[side];
      if (file === undefined) continue;
      if (!this.#missing[side].has(file.size)) files.push(file);
      else run.log('notice', path.key, 'message', { text: WORDS.held });
    }
    const refusal = await refuseEmptied(run, dest, files, known.tops);
    if (refusal !== undefined) return run.tally.addLast(refusal);
    if (!(await isSourceApart(work, files, known))) return;
    const rules = {
      width: options.checkers,
      spare: spareOwnSource(work),
      aside: work.keeper?.aside,
      unchanged: true,
    } as const;
    const mayDelete = async (file: FileEntry) => {
      try {
        // A filter may hide the file of the other side, by its size or its age.
        const isGone =
          run.filter.passesAll || (await fileAt(run, work.source, file.path)) === undefined;
        if (isGone && (await this.isAsListed(side, file.path, file))) return true;
        run.log('notice', file.path, 'message', { text: WORDS.waits });
      } catch (thrown) {
        run.fail(thrown, file.path, 'look-up');
      }
      return false;
    };
    for (let from = 0; from < files.length; from += CHECKED_TOGETHER) {
      if (run.op.signal.aborted || run.isStopping()) return;
      const asked = files.slice(from, from + CHECKED_TOGETHER);
      const may = await Promise.all(asked.map(mayDelete));
      const sure = asked.filter((_, n) => may[n]);
      await deleteFiles(run, dest, [sure], rules);
    }
  }

  /** The transfer of a file whose counterpart was not changed; `undefined` if their contents are equal. */
  async #transferOf(
    to: Side,
    source: FileEntry,
    replaces: FileEntry,
  ): Promise<Transfer | undefined> {
    const work = this.works[to];
    const pair = { source, dest: replaces };
    const { run, ground } = work;
    const transfer = () => this.#allowed(work, pair, CHANGED);
    if (source.size !== replaces.size || source.size < 0) return transfer();
    try {
      if ((await compareHashes(work, pair, ground.hash, run.op)) !== 'same')
        return await transfer();
      const timed = {
        source: await withModTime(work.source, source, run.op),
        dest: await withModTime(work.dest, replaces, run.op),
      };
      return await this.setTime(work, timed.source, timed.dest);
    } catch (thrown) {
      run.fail(thrown, source.path, 'compare');
      return undefined;
    }
  }

  /** Gives an equal file the time of its counterpart; returns a transfer if the remote cannot do that. */
  async setTime(work: FileWork, source: FileEntry, dest: FileEntry): Promise<Transfer | undefined> {
    const { windowNs } = work.ground;
    const [from, to] = [source.modTime, dest.modTime];
    const isUnknown = windowNs === undefined || from === undefined || to === undefined;
    if (isUnknown || sameModTime(to, from, windowNs)) {
      work.run.outcomes?.compared('match', { source, dest });
      return undefined;
    }
    const reason = { why: 'times-differ', differenceNs: to - from, windowNs } as const;
    return this.#allowed(work, { source, dest }, { do: 'set-time', reason });
  }

  /** What the rules leave of a change that was decided; the transfer is returned. What they keep is looked at again by the next run. */
  async #allowed(work: FileWork, file: Facts, decided: FileVerdict): Promise<Transfer | undefined> {
    const judged = await judgeAsking(work, { ...file, decided });
    if (judged?.verdict.do === 'keep')
      work.run.log('notice', file.source.path, 'decided', { reason: judged.verdict.reason });
    return judged && carryOut(work, judged);
  }

  /**
   * By hash, and without a common one by reading both: both sides have changed, so that equal times prove nothing. In a
   * first run as `sync` compares.
   */
  async #isEqual(a: FileEntry, b: FileEntry): Promise<boolean> {
    const work = this.works.b;
    const { run, options, ground } = work;
    const pair = { source: a, dest: b };
    if (this.#believesTimes && !options.ignoreTimes) {
      const rules = comparingRules(options, ground);
      const { verdict } = await askRules({ ...work, rules }, pair);
      if (verdict.do !== 'transfer') return true;
      const { why } = verdict.reason;
      if (why === 'sizes-differ' || why === 'hash-differs') return false;
    } else {
      if (a.size !== b.size && a.size >= 0 && b.size >= 0) return false;
      const answer = await compareHashes(work, pair, ground.hash, run.op);
      if (answer !== 'unknown') return answer === 'same';
    }
    return sameContents(run, work, pair, options.lowLevelRetries);
  }

  /** Two equal files: the older one gets the time of the newer one. */
  async #agree(a: FileEntry, b: FileEntry): Promise<void> {
    const newer = winnerOf(a, b, 'newer') ?? 'a';
    const to = otherSide(newer);
    const [source, dest] = to === 'a' ? [b, a] : [a, b];
    const transfer = await this.setTime(this.works[to], source, dest);
    // The contents agree; only the remote keeps no time that can be set.
    if (transfer !== undefined) this.recorders[to].compared('match', { source, dest });
  }

  /** Whether a path still has the file that was listed, or nothing. */
  async isAsListed(side: Side, path: string, listed: FileEntry | undefined): Promise<boolean> {
    const { run, dest } = this.works[side];
    return isStillListed(listed, await fileAt(run, dest, path));
  }

  /** Settles a conflict, with one question to the consent of the run. */
  async #settle(a: FileEntry, b: FileEntry): Promise<void> {
    const { rule, loser: kept } = this.#plan;
    // Equal attributes: the first path keeps its name, so that the name is never without a file.
    const winner = rule === 'none' ? undefined : (winnerOf(a, b, rule) ?? 'a');
    const answer = await this.#ask({ a, b }, winner);
    if (answer === 'no') return;
    if (answer === 'path1' || answer === 'path2') {
      return this.#keepOne({ a, b }, answer === 'path1' ? 'a' : 'b', false);
    }
    const isTrial = answer === 'pretend';
    if (winner !== undefined) return this.#keepOne({ a, b }, winner, kept !== 'delete', isTrial);
    const used: string[] = [];
    const names: string[] = [];
    for (const side of SIDES) {
      const file = side === 'a' ? a : b;
      const place = await this.#freePlace(side, file, used);
      used.push(place.name);
      if (isTrial || (await this.#rename(side, file, place))) names.push(place.name);
    }
    if (names.length > 0) this.#tell(a, undefined, names);
  }

  /** Renames a file, on both sides, that has to make room for a directory. */
  async makeRoom(side: Side, file: FileEntry): Promise<void> {
    const answer = await this.#ask({ [side]: file }, otherSide(side));
    if (answer === 'no') return;
    const place = await this.#freePlace(side, file);
    if (answer !== 'pretend' && !(await this.#rename(side, file, place))) return;
    this.#tell(file, otherSide(side), [place.name]);
  }

  /** `pretend`: a trial, which names the result. */
  async #ask(
    { a, b }: Partial<Record<Side, FileEntry>>,
    winner: Side | undefined,
  ): Promise<Keep | 'rule' | 'pretend' | 'no'> {
    const { works } = this;
    const { run } = works.b;
    const change = {
      do: 'settle',
      ...defined({ source: a, dest: b }),
      winner: winner && (winner === 'a' ? 1 : 2),
    } as const;
    const seen = SIDES.flatMap((side) => {
      const listed = { a, b }[side];
      return listed ? [{ remote: works[side].dest, path: listed.path, listed }] : [];
    });
    const { consent } = run;
    if (!(await run.mayChange(change, seen))) return consent.how === 'pretend' ? 'pretend' : 'no';
    return (consent.how === 'chosen' ? consent.plan.keep?.(change) : undefined) ?? 'rule';
  }

  async #keepOne(
    files: Readonly<Record<Side, FileEntry>>,
    winner: Side,
    keepsLoser: boolean,
    isTrial = false,
  ): Promise<void> {
    const loser = otherSide(winner);
    const work = this.#unasked[loser];
    const pair = { source: files[winner], dest: files[loser] };
    const transfer = isTrial ? undefined : await this.#allowed(work, pair, CHANGED);
    if (!isTrial && transfer === undefined) return;
    const others: string[] = [];
    if (keepsLoser) {
      const place = await this.#freePlace(loser, files[loser]);
      others.push(place.name);
      if (!isTrial && !(await this.#copyAside(loser, files[loser], place))) return;
    }
    if (transfer !== undefined) {
      await execute(work, transfer);
      if (!this.recorders[loser].hasArrived(transfer.path)) return;
    }
    this.#tell(files.a, winner, others);
  }

  /** Says how a conflict was settled, and counts it: only when it is done, or for a trial. */
  #tell({ path }: FileEntry, winner: Side | undefined, others: readonly string[]): void {
    this.conflicts++;
    this.#unasked.b.run.log('notice', path, 'message', { text: WORDS.conflict(winner, others) });
  }

  /** Copies a file to another name on its own side and on the other one; whether both have it. */
  async #copyAside(side: Side, file: FileEntry, { name, there }: FreePlace): Promise<boolean> {
    const own = this.#unasked[side];
    const { recorders } = this;
    const within = { ...own, source: own.dest };
    if (there[side] === undefined) await execute(within, { do: 'copy', source: file, path: name });
    const copy = there[side] ?? recorders[side].arrivals.get(name)?.written;
    recorders[side].arrivals.delete(name);
    if (copy === undefined) return false;
    const other = otherSide(side);
    if (there[other] !== undefined) return true;
    const source = { ...copy, path: name };
    await execute(this.#unasked[other], { do: 'copy', source, path: name });
    return recorders[other].arrivals.has(name);
  }

  /** Gives a file another name, on both sides; whether both have it. What cannot be renamed is copied and deleted. */
  async #rename(side: Side, file: FileEntry, place: FreePlace): Promise<boolean> {
    const work = this.#unasked[side];
    const renamed = { ...file, path: place.name };
    if (!(await this.isAsListed(side, file.path, file))) return false;
    if (place.there[side] === undefined) {
      const done = await renameFiles(work, [{ source: renamed, dest: file }]);
      const written = this.recorders[side].arrivals.get(place.name)?.written ?? renamed;
      const there = { ...place.there, [side]: written };
      if (done.has(file)) return this.#copyAside(side, file, { ...place, there });
    }
    if (!(await this.#copyAside(side, file, place))) return false;
    const { run, dest } = work;
    if (!(await this.isAsListed(side, file.path, file))) return false;
    const rules = { width: 1, unchanged: true } as const;
    await deleteFiles(run, dest, [[file]], rules);
    return true;
  }

  /** A name that is free, or has only what a run has copied aside that was interrupted then: the same content. */
  async #freePlace(side: Side, file: FileEntry, used: readonly string[] = []): Promise<FreePlace> {
    const { loser, naming } = this.#plan;
    const changed = file.modTime ?? file.storedTime;
    const changedMs = changed === undefined ? undefined : modTimeToMs(changed);
    const rules = { ...naming, loser: loser === 'delete' ? 'num' : loser } as const;
    const source = this.#unasked[side].dest;
    const place = linkPlace(file.path, source.traits.linkSuffix);
    const ending = file.path.slice(place.length);
    let there: FreePlace['there'] = {};
    const name = await conflictName(place, [side, changedMs], rules, async (free) => {
      const path = free + ending;
      if (used.includes(path)) return true;
      const { a, b } = this.#unasked;
      there = { a: await fileAt(a.run, a.dest, path), b: await fileAt(b.run, b.dest, path) };
      for (const each of SIDES) {
        const dest = there[each];
        if (dest === undefined) continue;
        if (dest.size !== file.size || file.size < 0) return true;
        const { run, dest: remote, options } = this.#unasked[each];
        const remotes = { source, dest: remote };
        const pair = { source: file, dest };
        if (!(await sameContents(run, remotes, pair, options.lowLevelRetries))) return true;
      }
      return false;
    });
    return { name: name + ending, there };
  }
}
