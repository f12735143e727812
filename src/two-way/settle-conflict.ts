import { modTimeToMs } from '../core/mod-time.ts';
import type { FileEntry } from '../core/remote.ts';
import type { Keep } from '../engine/change-guard.ts';
import { deleteFiles } from '../engine/delete-files.ts';
import { execute } from '../engine/execute.ts';
import { fileAt } from '../engine/file-at.ts';
import type { FileWork } from '../engine/file-work.ts';
import { type ConflictLoser, type ConflictNaming, conflictName } from './conflict-name.ts';
import { type ConflictRule, otherSide, type Side, winnerOf } from './decide-two-way.ts';
import type { Recorder } from './recorder.ts';
import { linkPlace } from './unlisted.ts';

/** What happens to a file that was changed on both sides. */
export interface ConflictPlan {
  readonly rule: ConflictRule;
  readonly loser: ConflictLoser;
  readonly naming: Omit<ConflictNaming, 'loser'>;
}

/** Both sides, and what has been done to them. */
export interface TwoSides {
  /** By the side that is written. */
  readonly works: Readonly<Record<Side, FileWork>>;
  /** The work of a side without questions. */
  unguarded(side: Side): FileWork;
  readonly recorders: Readonly<Record<Side, Recorder>>;
  /** Whether a path still has the file that was listed, or nothing. */
  isAsListed(side: Side, path: string, listed: FileEntry | undefined): Promise<boolean>;
}

/** Settles conflicts, each with one question to the guard of the run. Errors are counted. */
export class Conflicts {
  /** How many were settled. */
  count = 0;
  readonly #sides: TwoSides;
  readonly #plan: ConflictPlan;
  /** The steps of one conflict are not asked about. */
  readonly #works: Readonly<Record<Side, FileWork>>;

  constructor(sides: TwoSides, plan: ConflictPlan) {
    this.#sides = sides;
    this.#plan = plan;
    this.#works = { a: sides.unguarded('a'), b: sides.unguarded('b') };
  }

  /** Settles the conflict of two different files of one path. */
  async settle(a: FileEntry, b: FileEntry): Promise<void> {
    const { rule, loser: kept } = this.#plan;
    // Equal attributes: the first path keeps its name, so that the name is never without a file.
    const winner = rule === 'none' ? undefined : (winnerOf(a, b, rule) ?? 'a');
    const answer = await this.#ask({ a, b }, winner);
    if (answer === 'no') return;
    this.count++;
    if (answer === 'path1' || answer === 'path2') {
      return this.#keepOne({ a, b }, answer === 'path1' ? 'a' : 'b', false);
    }
    if (winner === undefined) return this.#keepNone({ a, b }, answer === 'pretend');
    return this.#keepOne({ a, b }, winner, kept !== 'delete', answer === 'pretend');
  }

  /** Renames a file, on both sides, that has to make room for a directory. */
  async makeRoom(side: Side, file: FileEntry): Promise<void> {
    const answer = await this.#ask({ [side]: file }, otherSide(side));
    if (answer === 'no') return;
    this.count++;
    const name = await this.#freeName(side, file);
    if (answer !== 'pretend' && !(await this.#rename(side, file, name))) return;
    this.#tell(file, otherSide(side), [name]);
  }

  /** `pretend`: a trial, which names the result. */
  async #ask(
    { a, b }: Partial<Record<Side, FileEntry>>,
    winner: Side | undefined,
  ): Promise<Keep | 'rule' | 'pretend' | 'no'> {
    const { run } = this.#sides.works.b;
    const change = {
      do: 'settle',
      ...(a === undefined ? {} : { source: a }),
      ...(b === undefined ? {} : { dest: b }),
      winner: winner && (winner === 'a' ? 1 : 2),
    } as const;
    const { works } = this.#sides;
    const seen = (['a', 'b'] as const).flatMap((side) => {
      const listed = { a, b }[side];
      return listed ? [{ remote: works[side].dest, path: listed.path, listed }] : [];
    });
    if (await run.mayChange(change, seen)) return run.guard?.keep?.(change) ?? 'rule';
    return run.guard?.pretends === true ? 'pretend' : 'no';
  }

  async #keepNone(files: Readonly<Record<Side, FileEntry>>, isTrial: boolean): Promise<void> {
    const names: string[] = [];
    for (const side of ['a', 'b'] as const) {
      const name = await this.#freeName(side, files[side], names);
      names.push(name);
      if (!isTrial) await this.#rename(side, files[side], name);
    }
    this.#tell(files.a, undefined, names);
  }

  async #keepOne(
    files: Readonly<Record<Side, FileEntry>>,
    winner: Side,
    keepsLoser: boolean,
    isTrial = false,
  ): Promise<void> {
    const loser = otherSide(winner);
    const others: string[] = [];
    if (keepsLoser) {
      const name = await this.#freeName(loser, files[loser]);
      others.push(name);
      if (!isTrial && !(await this.#copyAside(loser, files[loser], name))) return;
    }
    const path = files[loser].path;
    if (!isTrial) {
      const transfer = { do: 'copy', source: files[winner], replaces: files[loser], path } as const;
      await execute(this.#works[loser], transfer);
    }
    this.#tell(files.a, winner, others);
  }

  #tell({ path }: FileEntry, winner: Side | undefined, others: readonly string[]): void {
    this.#works.b.run.log('notice', path, 'two-way-conflict', { winner, others });
  }

  /** Copies a file to another name on its own side and on the other one; whether both have it. */
  async #copyAside(side: Side, file: FileEntry, name: string): Promise<boolean> {
    const own = this.#works[side];
    const { recorders } = this.#sides;
    const within = { ...own, source: own.dest };
    await execute(within, { do: 'copy', source: file, path: name });
    const copy = recorders[side].arrivals.get(name)?.written;
    recorders[side].arrivals.delete(name);
    if (copy === undefined) return false;
    const other = otherSide(side);
    const source = { ...copy, path: name };
    await execute(this.#works[other], { do: 'copy', source, path: name });
    return recorders[other].arrivals.has(name);
  }

  /** Gives a file another name, on both sides; whether both have it. */
  async #rename(side: Side, file: FileEntry, name: string): Promise<boolean> {
    if (!(await this.#copyAside(side, file, name))) return false;
    const { run, dest, options } = this.#works[side];
    if (!(await this.#sides.isAsListed(side, file.path, file))) return false;
    const rules = { budget: options.deleteBudget, width: 1, unchanged: true } as const;
    await deleteFiles(run, dest, [[file]], rules);
    return true;
  }

  async #freeName(side: Side, file: FileEntry, used: readonly string[] = []): Promise<string> {
    const { loser, naming } = this.#plan;
    const changed = file.modTime ?? file.storedTime;
    const changedMs = changed === undefined ? undefined : modTimeToMs(changed);
    const rules = { ...naming, loser: loser === 'delete' ? 'num' : loser } as const;
    const { linkSuffix } = this.#works[side].dest.traits;
    const place = linkPlace(file.path, linkSuffix);
    const ending = file.path.slice(place.length);
    const name = await conflictName(place, [side, changedMs], rules, async (free) => {
      const path = free + ending;
      if (used.includes(path)) return true;
      const { a, b } = this.#works;
      const there = await Promise.all([a, b].map(({ run, dest }) => fileAt(run, dest, path)));
      return there.some((file) => file !== undefined);
    });
    return name + ending;
  }
}
