import { compareNames } from '../core/name-order.ts';
import type { NodeId } from './node.ts';
import { NONE } from './node-figures.ts';
import { AS_IS, FOLDED, MOST_RANK, nameRank, pathScore } from './path-score.ts';
import type { SizeTree } from './size-tree.ts';

/** The paths that match, best first. */
export interface FoundPaths {
  readonly nodes: readonly NodeId[];
  /** All that match: more than `nodes` has. */
  readonly total: number;
}

/** What is known of one word of the query. */
interface Word {
  /** Nodes were narrowed to those that match this. */
  done: string;
  readonly folds: boolean;
  /** How many bytes of the word the path of each node has, in this order; `OUT` for deleted ones. */
  readonly progress: Uint8Array;
  /** How well the name itself matches, where the path does. */
  readonly rank: Uint8Array;
}

const OUT = 255;
const MOST_BYTES = 200;
const MOST_WORDS = 16;
const SLASH = 0x2f;

/** Nodes between two pauses. */
const SLICE = 4096;

/** Paths whose match is looked at closely. */
const MOST_SCORED = 2000;
const LENGTHS = 128;

/** A fuzzy search over all paths of a tree; a query that continues the last one looks only at what that found. */
export class PathSearch {
  readonly #tree: SizeTree;
  #words: Word[] = [];
  #version = -1;
  #depth = new Uint8Array(0);

  constructor(tree: SizeTree) {
    this.#tree = tree;
  }

  /** Finds the paths that have the letters of every word of the query, in their order. Pauses at each `yield`. */
  *find(query: string, most: number): Generator<void, FoundPaths> {
    const words = wordsOf(query);
    if (this.#version !== this.#tree.version) yield* this.#begin();
    if (words.length === 0) return { nodes: [], total: 0 };
    this.#words.length = Math.min(this.#words.length, words.length);
    for (const [at, text] of words.entries()) {
      const folds = !/[A-Z]/.test(text);
      const known = this.#words[at];
      const isKnown = known !== undefined && known.folds === folds && text.startsWith(known.done);
      const { length } = this.#depth;
      const columns = () => ({ progress: new Uint8Array(length), rank: new Uint8Array(length) });
      const word: Word = isKnown ? known : { done: '', folds, ...columns() };
      this.#words[at] = word;
      if (word.done !== text) yield* this.#narrow(word, text);
    }
    return yield* this.#best(words, most);
  }

  *#begin(): Generator<void> {
    const tree = this.#tree;
    this.#words = [];
    const depth = new Uint8Array(tree.nodes);
    for (let node = 1; node < depth.length; node++) {
      const parent = tree.parent(node);
      depth[node] = parent === NONE ? 0 : Math.min(OUT, (depth[parent] as number) + 1);
      if (node % SLICE === 0) yield;
    }
    this.#depth = depth;
    this.#version = tree.version;
  }

  /** A path is that of the parent and a name: only the name is looked at, from where the parent has come to. */
  *#narrow(word: Word, text: string): Generator<void> {
    const tree = this.#tree;
    const { progress, rank } = word;
    const fold = word.folds ? FOLDED : AS_IS;
    const wanted = Buffer.from(text).subarray(0, MOST_BYTES);
    const before = Math.min(MOST_BYTES, Buffer.byteLength(word.done));
    const { length } = wanted;
    const hasSlash = wanted.includes(SLASH);
    const { bytes, starts } = tree.names;
    const { parents } = tree;
    for (let node = 1; node < progress.length; node++) {
      if (node % SLICE === 0) yield;
      if ((progress[node] as number) < before) continue;
      const parent = parents[node] as number;
      const above = parent <= 0 ? 0 : (progress[parent] as number);
      if (parent === NONE || above === OUT || tree.isGone(node)) {
        progress[node] = OUT;
        continue;
      }
      const start = starts[node] as number;
      const end = starts[node + 1] as number;
      let path = above;
      if (hasSlash && parent > 0 && wanted[path] === SLASH) path++;
      let own = 0;
      for (let at = start; at < end; at++) {
        const byte = fold[bytes[at] as number];
        if (path < length && byte === wanted[path]) path++;
        if (byte === wanted[own] && ++own === length) break;
      }
      progress[node] = path;
      if (path < length) continue;
      if (own === length) rank[node] = nameRank(bytes, start, end, wanted, fold);
      else rank[node] = above === length ? 0 : 1;
    }
    word.done = text;
  }

  *#best(words: readonly string[], most: number): Generator<void, FoundPaths> {
    const tree = this.#tree;
    const found = this.#words.map(({ progress, rank }, at) => {
      const length = Math.min(MOST_BYTES, Buffer.byteLength(words[at] ?? ''));
      return { progress, rank, length };
    });
    const count = this.#depth.length;
    const [first] = found as [(typeof found)[number]];
    const keys = new Uint16Array(count);
    const counts = new Uint32Array((MOST_RANK * found.length + 1) * LENGTHS + 1);
    let total = 0;
    for (let node = 1; node < count; node++) {
      if (node % SLICE === 0) yield;
      if (first.progress[node] !== first.length) continue;
      if (found.length > 1 && !found.every((one) => one.progress[node] === one.length)) continue;
      let rank = first.rank[node] as number;
      for (let at = 1; at < found.length; at++) rank += found[at]?.rank[node] as number;
      const long = tree.names.end(node) - tree.names.start(node) + 4 * (this.#depth[node] ?? 0);
      const key = rank * LENGTHS + LENGTHS - Math.min(LENGTHS - 1, long);
      keys[node] = key;
      counts[key] = (counts[key] as number) + 1;
      total++;
    }
    let least = counts.length - 1;
    for (let sum = 0; least > 1; least--) {
      sum += counts[least] as number;
      if (sum >= MOST_SCORED) break;
    }
    const scored: { readonly node: NodeId; readonly path: string; readonly score: number }[] = [];
    let room = MOST_SCORED;
    for (let node = 1; node < count; node++) {
      if (node % SLICE === 0) yield;
      const key = keys[node] as number;
      if (key < least || key === 0 || (key === least && room-- <= 0)) continue;
      const path = tree.path(node);
      scored.push({ node, path, score: pathScore(path, words).score });
    }
    scored.sort(
      (a, b) => b.score - a.score || a.path.length - b.path.length || compareNames(a.path, b.path),
    );
    return { nodes: scored.slice(0, most).map(({ node }) => node), total };
  }
}

/** The words of a query; each is looked for by itself. */
export function wordsOf(query: string): readonly string[] {
  return query.split(' ').filter(Boolean).slice(0, MOST_WORDS);
}
