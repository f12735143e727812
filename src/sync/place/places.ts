import type { Clock } from '../../core/context.ts';
import type { Op, Remote } from '../../core/remote.ts';
import { joinPath, parentPath } from '../../core/remote-path.ts';
import { foldName } from '../../kit/fold-name.ts';
import { type Overlap, overlap } from './overlap.ts';
import { areApart, differsByDirectory, type FileAt, showApart } from './show-apart.ts';

/** Of how many directories the outcome of a trial is remembered. */
const MOST_TRIALS = 1000;

/** By directories of both sides, or `EVERYWHERE`: a trial, or that it showed them to be two. */
type Trials = Map<string, Promise<void> | true>;

/** Where one trial stands for all directories. */
const EVERYWHERE = '';

/** What a run knows of the places it goes between: asked for once, when it is first needed. */
export class Places {
  readonly #clock: Clock;
  readonly #op: Op;
  readonly #overlaps = new OfPair<Promise<Overlap>>();
  readonly #apart = new OfPair<Promise<boolean>>();
  readonly #byDirectory = new OfPair<Promise<boolean>>();
  readonly #trials = new OfPair<Trials>();
  readonly #known = new OfPair<true>();

  constructor(clock: Clock, op: Op) {
    this.#clock = clock;
    this.#op = op;
  }

  /** Takes over what is known already of how the roots lie to each other. */
  know(source: Remote, dest: Remote, roots: Overlap): void {
    void this.#overlaps.get(source, dest, async () => roots);
  }

  /** How the roots lie to each other. */
  overlap(source: Remote, dest: Remote): Promise<Overlap> {
    return this.#overlaps.get(source, dest, () => overlap(source, dest, this.#op));
  }

  /** Whether two paths mean one file: by their roots, by a shortcut, or as the disk says. */
  async isSameFile(a: FileAt, b: FileAt): Promise<boolean> {
    const { how, way } = await this.overlap(a.remote, b.remote);
    const fold = foldFor(a.remote, b.remote);
    const from = how === 'source-in-dest' ? joinPath(way, a.file.path) : a.file.path;
    const to = how === 'dest-in-source' ? joinPath(way, b.file.path) : b.file.path;
    if (how !== 'apart' && fold(from) === fold(to)) return true;
    const [place, other] = [a.remote.can.place, b.remote.can.place];
    const { id } = a.file;
    if (id !== undefined && id === b.file.id && place?.store === other?.store) return true;
    const there = other?.fileId?.(b.file.path);
    return there !== undefined && there === place?.fileId?.(a.file.path);
  }

  /** Whether what is deleted at one place is known to stay at the other, without a trial. */
  areApart(a: Remote, b: Remote): Promise<boolean> {
    return this.#apart.get(a, b, async () => {
      const apart = await areApart(a, b, this.#op);
      if (apart) this.#known.get(a, b, () => true);
      return apart;
    });
  }

  /**
   * Comes before a file is deleted because another one has its content: rejects with `fatal` where the two places turn
   * out to be one, or that cannot be found out. `undefined` where it is known already that they are not.
   */
  showApart(doomed: FileAt, kept: FileAt): Promise<void> | undefined {
    const [a, b] = [doomed.remote, kept.remote];
    if (this.#known.has(a, b)) return undefined;
    const trials = this.#trials.get(a, b, () => new Map());
    const dirs = `${parentPath(doomed.file.path)}\n${parentPath(kept.file.path)}`;
    const isShown = trials.get(dirs) === true || trials.get(EVERYWHERE) === true;
    return isShown ? undefined : this.#showOnce(doomed, kept, trials, dirs);
  }

  async #showOnce(doomed: FileAt, kept: FileAt, trials: Trials, dirs: string): Promise<void> {
    const [a, b] = [doomed.remote, kept.remote];
    if (await this.areApart(a, b)) return;
    const isByDirectory = this.#byDirectory.get(a, b, () => differsByDirectory(a, b, this.#op));
    const where = (await isByDirectory) ? dirs : EVERYWHERE;
    const begun = trials.get(where);
    if (begun === true) return;
    if (begun !== undefined) return begun;
    if (trials.size >= MOST_TRIALS) trials.clear();
    const shown = showApart(doomed, kept, this.#clock, this.#op).then(() => {
      trials.set(where, true);
    });
    trials.set(where, shown);
    return shown;
  }
}

function foldFor(a: Remote, b: Remote): (path: string) => string {
  const folds = a.traits.caseInsensitive && b.traits.caseInsensitive;
  return folds ? foldName : (path) => path;
}

/** Something about two remotes in this order. */
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
