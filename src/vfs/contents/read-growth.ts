/** Reads that follow each other closer than this are one sequence, in bytes. */
const NEAR = 1024 * 1024;
/** The smallest request, in bytes: a random read costs about as much as its answer. */
const SMALLEST = 128 * 1024;
/** As many sequences of one file are told apart. */
const SEQUENCES = 16;

interface Sequence {
  readonly begin: number;
  end: number;
  bytes: number;
}

/** What to fetch for a read. */
export interface FetchPlan {
  /** The size of the first request, in bytes. */
  readonly chunk: number;
  /** How far beyond the read to fetch, in bytes. */
  readonly ahead: number;
}

/** `--vfs-read-chunk-size` and its limit, in bytes. */
export interface ChunkSizes {
  /** 0: everything up to the end in one request. */
  readonly first: number;
  /** `undefined`: no limit. */
  readonly limit: number | undefined;
}

/**
 * Tells programs that read a file from end to end from those that jump about in it: the former get requests as large as
 * the flags allow and read-ahead that grows while they go on; for the latter only little more is fetched than they ask
 * for, in requests that come to their end, so that no connection has to be broken off.
 */
export class ReadGrowth {
  readonly #chunks: ChunkSizes;
  /** The latest used comes last. */
  #sequences: Sequence[] = [];

  constructor(chunks: ChunkSizes) {
    this.#chunks = chunks;
  }

  /** Notes a read, and plans for it. */
  note(from: number, to: number, window: number): FetchPlan {
    const known = this.#sequences.find(({ end }) => Math.abs(from - end) <= NEAR);
    const sequence = known ?? { begin: from, end: from, bytes: 0 };
    sequence.bytes += to - from;
    sequence.end = Math.max(sequence.end, to);
    this.#sequences = this.#sequences.filter((each) => each !== sequence).slice(1 - SEQUENCES);
    this.#sequences.push(sequence);
    const first = this.#chunks.first === 0 ? Number.MAX_SAFE_INTEGER : this.#chunks.first;
    // A file is read from its begin by those who want all of it.
    const isWhole = sequence.begin === 0;
    const ramp = Math.max(SMALLEST, to - from, known === undefined ? 0 : 4 * sequence.bytes);
    return {
      chunk: isWhole ? first : Math.min(first, ramp),
      ahead:
        known === undefined && !isWhole ? 0 : Math.min(window, 2 * SMALLEST + 2 * sequence.bytes),
    };
  }

  /** The size of the request after one of `chunk` bytes of the same download. */
  next(chunk: number): number {
    const { first, limit } = this.#chunks;
    if (first === 0) return chunk;
    if (chunk < first) return Math.min(first, chunk * 4);
    return Math.max(first, Math.min(limit ?? Number.MAX_SAFE_INTEGER, chunk * 2));
  }
}
