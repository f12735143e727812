import { compareNames } from '../core/name-order.ts';
import type { NodeId } from './node.ts';
import { NONE } from './node-figures.ts';
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

const MATCH = 16;
const AT_WORD = 8;
const NEXT_TO_LAST = 6;
const IN_NAME = 10;
const AT_NAME = 12;
const GAP = 3;
const WIDER_GAP = 1;

/**
 * Scores a path as fzf does: letters at the start of words and next to one another count more, gaps less; and letters
 * in the name more than those in the directories above. `words` all match. Gives the UTF-16 units that do, too.
 */
export function pathScore(path: string, words: readonly string[]) {
  const places = new Set<number>();
  let score = 0;
  for (const word of words) {
    const shown = /[A-Z]/.test(word) ? path : path.replace(/[A-Z]/g, (one) => one.toLowerCase());
    const best = bestPlaces(shown, word);
    score += scoreOf(path, best);
    for (const place of best) places.add(place);
  }
  return { score, places };
}

/** In one piece, best at the start of a name; else from the end of the path, closed up. */
function bestPlaces(path: string, word: string): readonly number[] {
  const name = path.lastIndexOf('/') + 1;
  let piece = -1;
  for (let at = path.indexOf(word); at >= 0; at = path.indexOf(word, at + 1)) {
    if (piece < 0 || at <= name || (isStart(path, at) && !isStart(path, piece))) piece = at;
    if (at >= name && isStart(path, at)) break;
  }
  if (piece >= 0) return Array.from(word, (_, at) => piece + at);
  const backwards = (text: string) => text.split('').reverse().join('');
  const closedUp = () => forward(backwards(path), backwards(word), 0)?.reverse() ?? [];
  return forward(path, word, name) ?? closedUp().map((at) => path.length - 1 - at);
}

function forward(path: string, word: string, from: number): number[] | undefined {
  const places: number[] = [];
  let at = from - 1;
  for (const unit of word.split('')) {
    at = path.indexOf(unit, at + 1);
    if (at < 0) return undefined;
    places.push(at);
  }
  return places;
}

function scoreOf(path: string, places: readonly number[]): number {
  const name = path.lastIndexOf('/') + 1;
  let score = places[0] === name ? AT_NAME : 0;
  let last = -1;
  for (const at of places) {
    score += MATCH + (isStart(path, at) ? AT_WORD : 0) + (at >= name ? IN_NAME : 0);
    if (last >= 0 && at === last + 1) score += NEXT_TO_LAST;
    else if (last >= 0) score -= GAP + Math.min(10, WIDER_GAP * (at - last - 2));
    last = at;
  }
  return score;
}

/** Whether a word starts there: after a separator, or a capital after a small letter. */
function isStart(path: string, at: number): boolean {
  if (at === 0) return true;
  const [before = '', own = ''] = [path[at - 1], path[at]];
  return /[^\p{L}\p{N}]/u.test(before) || (/\p{Ll}/u.test(before) && /\p{Lu}/u.test(own));
}

/** The best of `nameRank`. */
const MOST_RANK = 6;

/** How well a name matches that has all letters: 2 in places, 3 in one piece, 4 at a word, 5 at its start, 6 whole. */
function nameRank(
  bytes: Buffer,
  start: number,
  end: number,
  wanted: Buffer,
  fold: Uint8Array,
): number {
  let rank = 2;
  const [first, { length }] = [wanted[0], wanted];
  for (let from = start; from <= end - length; from++) {
    if (fold[bytes[from] as number] !== first) continue;
    let same = 1;
    while (same < length && fold[bytes[from + same] as number] === wanted[same]) same++;
    if (same < length) continue;
    if (from === start) return from + same === end || bytes[from + same] === DOT ? 6 : 5;
    if (BETWEEN[bytes[from - 1] as number] === 1) return 4;
    rank = 3;
  }
  return rank;
}

/** Bytes as they are. */
const AS_IS = Uint8Array.from({ length: 256 }, (_, byte) => byte);
/** Bytes with capitals as small letters. */
const FOLDED = AS_IS.map((byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte));

/** 1 for bytes between words: neither letters nor digits, nor parts of other characters. */
const BETWEEN = AS_IS.map((byte) =>
  byte >= 0x80 || /[A-Za-z0-9]/.test(String.fromCharCode(byte)) ? 0 : 1,
);

const DOT = 0x2e;
