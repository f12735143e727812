import type { Clock } from '../../core/context.ts';
import type { Op, Remote } from '../../core/remote.ts';
import { joinPath } from '../../core/remote-path.ts';
import { foldName } from '../../kit/fold-name.ts';
import { type Overlap, overlap } from './overlap.ts';
import { areApart, type FileAt, showApart } from './show-apart.ts';

/** What a run knows of the places it goes between: asked for once, when it is first needed. */
export class Places {
  readonly #clock: Clock;
  readonly #op: Op;
  readonly #overlaps = new OfPair<Promise<Overlap>>();
  readonly #apart = new OfPair<Promise<boolean>>();
  readonly #shown = new OfPair<Promise<void>>();
  readonly #known = new OfPair<true>();

  constructor(clock: Clock, op: Op) {
    this.#clock = clock;
    this.#op = op;
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
    return this.#shown.get(a, b, async () => {
      if (!(await this.areApart(a, b))) await showApart(doomed, kept, this.#clock, this.#op);
      this.#known.get(a, b, () => true);
    });
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
