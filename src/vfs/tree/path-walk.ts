/** The progress of programs that read a directory of nodes (`N`) in order. */
export class PathWalk<N> {
  /** The directories in it that were opened. */
  readonly dirs = new Progress<N>();
  /** The files whose times were requested. */
  readonly files = new Progress<N>();
  #lastFile: N | undefined;

  /** Counts a file; `false` if it is the same one as before. */
  sawFile(file: N): boolean {
    if (this.#lastFile === file) return false;
    this.#lastFile = file;
    this.files.saw();
    return true;
  }
}

/** How many nodes a program has used, how many were requested ahead of it, and where to continue. */
class Progress<N> {
  #seen = 0;
  #ahead = 0;
  #cursor = 0;

  get seen(): number {
    return this.#seen;
  }

  /** Counts one that the program uses; returns how many there were. */
  saw(): number {
    return ++this.#seen;
  }

  /** What is requested ahead comes after this one. */
  startAfter(nodes: readonly N[], node: N): void {
    this.#cursor = nodes.indexOf(node) + 1;
  }

  /** Whether nothing is left of a directory of this size. */
  isPast(size: number): boolean {
    return this.#cursor >= size;
  }

  /** The next node of a snapshot, if no more than `most` requests are ahead of the program. */
  next(nodes: readonly N[], most: number): N | undefined {
    if (this.isPast(nodes.length) || this.#ahead >= this.#seen + most) return undefined;
    return nodes[this.#cursor++];
  }

  /** That node was requested. */
  requested(): void {
    this.#ahead++;
  }
}
