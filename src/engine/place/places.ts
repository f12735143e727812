import type { Remote } from '../../core/remote.ts';
import { areAlike, foldPath, joinPath, leafName, parentPath } from '../../core/remote-path.ts';
import type { Filter } from '../../filter/filter.ts';
import { type Overlap, overlap, overlapAt } from './overlap.ts';
import {
  areApart,
  differsByDirectory,
  type FileAt,
  showApart,
  showBackupApart,
  type TrialMaker,
} from './show-apart.ts';

/** Number of directories whose trial results are remembered. */
const MOST_TRIALS = 1000;

/**
 * By directories of both sides, or if it is valid for all of them by the parts of one remote: a trial, or its result that
 * they are two.
 */
type Trials = Map<string, Promise<void> | true>;

/** What a run has learned about the places of its remotes: determined once, on first use. */
export class Places {
  readonly #run: TrialMaker;
  readonly #overlaps = new OfPair<Promise<Overlap>>();
  readonly #ways = new OfPair<Map<string, Promise<string | undefined>>>();
  readonly #apart = new OfPair<Promise<boolean>>();
  readonly #byDirectory = new OfPair<Promise<boolean>>();
  readonly #trials = new OfPair<Trials>();
  readonly #known = new OfPair<true>();
  readonly #backups = new OfPair<Promise<void>>();

  constructor(run: TrialMaker) {
    this.#run = run;
  }

  /** Adopts what is known already about the roots. */
  know(source: Remote, dest: Remote, roots: Overlap): void {
    void this.#overlaps.get(source, dest, async () => roots);
  }

  overlap(source: Remote, dest: Remote): Promise<Overlap> {
    return this.#overlaps.get(source, dest, () => overlap(source, dest, this.#run.op));
  }

  /**
   * The path in `source` that a link, a mount or a shortcut in another remote leads to, for a directory of that;
   * `undefined` if none does.
   */
  async wayInto(source: Remote, remote: Remote, dir: string): Promise<string | undefined> {
    if (remote.can.place?.leadsAway?.(dir) !== true) return undefined;
    const ways = this.#ways.get(source, remote, () => new Map());
    const find = async () => {
      if ((await this.overlap(source, remote)).how === 'dest-in-source') return undefined;
      const { how, way } = await overlapAt(source, remote, dir, this.#run.op);
      return how === 'same' || how === 'dest-in-source' ? way : undefined;
    };
    const found = ways.get(dir) ?? find();
    ways.set(dir, found);
    return found;
  }

  /** Whether two paths are one file: by their roots, by a shortcut, or on disk. */
  async isSameFile(a: FileAt, b: FileAt): Promise<boolean> {
    const { how, way } = await this.overlap(a.remote, b.remote);
    const outer = how === 'source-in-dest' ? b.remote : a.remote;
    const from = how === 'source-in-dest' ? joinPath(way, a.file.path) : a.file.path;
    const to = how === 'dest-in-source' ? joinPath(way, b.file.path) : b.file.path;
    if (how !== 'apart' && foldPath(outer, from) === foldPath(outer, to)) return true;
    const [place, other] = [a.remote.can.place, b.remote.can.place];
    const { id } = a.file;
    if (id !== undefined && id === b.file.id && place?.store === other?.store) return true;
    const there = other?.fileId?.(b.file.path);
    if (there === undefined) return false;
    return there === place?.fileId?.(a.file.path) || areSpellings(a, b);
  }

  /** Whether it is known, without a trial, that a deletion at one place does not affect the other. */
  areApart(a: Remote, b: Remote): Promise<boolean> {
    return this.#apart.get(a, b, async () => {
      const apart = await areApart(a, b, this.#run.op);
      if (apart) this.#known.get(a, b, () => true);
      return apart;
    });
  }

  /**
   * Called before a file is deleted because another one has its content: rejects with `fatal` if the two places turn
   * out to be one, or that cannot be determined. `undefined` if it is already known that they are not.
   */
  showApart(doomed: FileAt, kept: FileAt): Promise<void> | undefined {
    const [a, b] = [doomed.remote, kept.remote];
    if (this.#known.has(a, b)) return undefined;
    const parts = a === b ? [doomed, kept].map(({ file }) => a.can.place?.part?.(file.path)) : [];
    if (a === b && parts[0] === parts[1]) return undefined;
    const trials = this.#trials.get(a, b, () => new Map());
    const dirs = `${parentPath(doomed.file.path)}\0${parentPath(kept.file.path)}`;
    const everywhere = parts.join('\0');
    const isShown = trials.get(dirs) === true || trials.get(everywhere) === true;
    return isShown ? undefined : this.#showOnce(doomed, kept, trials, [dirs, everywhere]);
  }

  /** See `showBackupApart`. */
  showBackupApart(backup: Remote, source: Remote, filter: Filter): Promise<void> {
    return this.#backups.get(backup, source, () =>
      showBackupApart(backup, source, filter, this.#run),
    );
  }

  async #showOnce(
    doomed: FileAt,
    kept: FileAt,
    trials: Trials,
    [dirs, everywhere]: readonly [string, string],
  ): Promise<void> {
    const [a, b] = [doomed.remote, kept.remote];
    if (await this.areApart(a, b)) return;
    const isByDirectory = this.#byDirectory.get(a, b, () => differsByDirectory(a, b, this.#run.op));
    const where = (await isByDirectory) ? dirs : everywhere;
    const begun = trials.get(where);
    if (begun === true) return;
    if (begun !== undefined) return begun;
    if (trials.size >= MOST_TRIALS) trials.clear();
    const shown = showApart(doomed, kept, this.#run).then(() => {
      trials.set(where, true);
    });
    trials.set(where, shown);
    return shown;
  }
}

/** Whether two files of one directory of a disk are one whose name has several spellings there. */
function areSpellings(a: FileAt, b: FileAt): boolean {
  const [name, other] = [leafName(a.file.path), leafName(b.file.path)];
  if (name === other || !areAlike(name, other)) return false;
  const dirs = [a, b].map(({ remote, file }) => remote.can.place?.fileId?.(parentPath(file.path)));
  if (dirs[0] === undefined || dirs[0] !== dirs[1]) return false;
  return b.remote.can.naming?.areOne(parentPath(b.file.path), name, other, false) === true;
}

/** A value for two remotes in this order. */
class OfPair<T> {
  readonly #known = new Map<Remote, Map<Remote, T>>();

  has(a: Remote, b: Remote): boolean {
    return this.#known.get(a)?.has(b) === true;
  }

  get(a: Remote, b: Remote, make: () => T): T {
    const ofFirst = this.#known.get(a) ?? new Map<Remote, T>();
    this.#known.set(a, ofFirst);
    const known = ofFirst.get(b) ?? make();
    ofFirst.set(b, known);
    return known;
  }
}
