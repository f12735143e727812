import { compareNames } from '../core/name-order.ts';
import type { FileEntry } from '../core/remote.ts';
import { isWithin, leafName, parentPath } from '../core/remote-path.ts';
import type { AgreedFiles } from './agreed-files.ts';
import { otherSide, type Side } from './decide-two-way.ts';
import type { BothTrees, FoundPath } from './look-both.ts';
import type { Mark } from './mark.ts';

/** A file that one side has renamed since both agreed about it. */
export interface Moved {
  /** The side that has not renamed it, and follows. */
  readonly on: Side;
  /** The old path: only `on` has it, perhaps with changed content. */
  readonly from: FoundPath;
  /** The new path: `on` has nothing there. */
  readonly to: FoundPath;
  /** What shows that it is the same content; `hash`: size and time are equal, a hash has to confirm it. */
  readonly proof: 'identity' | 'hash';
}

type Trees = Pick<BothTrees, 'todo' | 'files' | 'dirs'>;

/**
 * The files that were renamed on one side: one that both sides had has vanished, and a new one is the same by its
 * identifier and time, its tag or its hash. Each file is in one pair at most; of several candidates, one with the same
 * last name comes first. Pure.
 *
 * A file whose content was changed on the other side is found only by its identity. A path that is in the other one's
 * way is not found: the rules of files and directories of one name apply.
 */
export function findMoves(trees: Trees, archive: AgreedFiles): Moved[] {
  const moves: Moved[] = [];
  for (const on of ['a', 'b'] as const) {
    const gone = new Vanished(trees.todo, otherSide(on), archive);
    const isOpen = openPaths(trees, on);
    const appeared = trees.todo
      .filter(({ decision: { action, changes } }) => {
        return action.do === 'copy' && action.to === on && changes[otherSide(on)] === 'new';
      })
      .filter((found) => found[on] === undefined && isOpen(found.key))
      .sort((x, y) => compareNames(x.key, y.key));
    const paired = new Set<FoundPath>();
    for (const proof of ['identity', 'hash'] as const) {
      for (const sameLeaf of [true, false]) {
        for (const to of appeared) {
          const file = to[otherSide(on)];
          if (file === undefined || paired.has(to)) continue;
          const from = gone.take(keysOf(file, to.id)[proof], to, { on, proof, sameLeaf });
          if (from === undefined) continue;
          paired.add(to);
          moves.push({ on, from, to, proof });
        }
      }
    }
  }
  return moves;
}

/** Files that one side no longer has, by everything that may identify them. */
class Vanished {
  readonly #byKey = new Map<string, FoundPath[]>();
  readonly #taken = new Set<FoundPath>();

  constructor(todo: readonly FoundPath[], side: Side, archive: AgreedFiles) {
    for (const found of todo) {
      const mark = archive.get(found.key)?.[side];
      if (found.decision.changes[side] !== 'deleted' || mark === undefined) continue;
      for (const key of keysOfMark(mark)) {
        for (const each of [key, withLeaf(key, found.key)]) {
          const known = this.#byKey.get(each);
          if (known === undefined) this.#byKey.set(each, [found]);
          else known.push(found);
        }
      }
    }
  }

  /** A file of one of the keys, which is then taken. */
  take(
    keys: readonly string[],
    to: FoundPath,
    { on, proof, sameLeaf }: { on: Side; proof: Moved['proof']; sameLeaf: boolean },
  ): FoundPath | undefined {
    for (const key of keys) {
      const found = this.#byKey.get(sameLeaf ? withLeaf(key, to.key) : key) ?? [];
      while (found[0] !== undefined && this.#taken.has(found[0])) found.shift();
      const fits = found.find((from) => {
        if (this.#taken.has(from) || from[on] === undefined) return false;
        if (isWithin(from.key, to.key) || isWithin(to.key, from.key)) return false;
        return proof === 'identity' || from.decision.changes[on] === 'none';
      });
      if (fits === undefined) continue;
      this.#taken.add(fits);
      return fits;
    }
    return undefined;
  }
}

/** What one file can be recognised by: `identity` shows equal contents, `hash` only makes them likely. */
function keysOf(file: FileEntry, id: string | undefined): Record<Moved['proof'], string[]> {
  const { size, modTime } = file;
  if (size < 0 || file.isWrong === true || file.isRewritten === true) {
    return { identity: [], hash: [] };
  }
  const tag = file.contentTag ?? file.etag;
  const hashes = Object.values(file.hashes ?? {});
  // A tag that is not the content's hash may be the same for two contents.
  const isHash = tag !== undefined && hashes.some((hash) => tag.includes(hash));
  const byTag = tag === undefined ? [] : [`tag ${size} ${tag}`];
  const byTime = modTime === undefined ? [] : [`time ${size} ${modTime}`];
  const state = tag ?? modTime;
  return {
    identity: [
      ...(id === undefined || !identifies(tag, modTime) ? [] : [`id ${size} ${state} ${id}`]),
      ...hashes.map((hash) => `hash ${hash}`),
      ...(isHash ? byTag : []),
    ],
    hash: [...(isHash ? [] : byTag), ...byTime],
  };
}

/**
 * Whether an identifier with this tag or time is of one content. An inode is used again, and whole seconds are set:
 * unpacked archives and reproducible builds have the same for all files.
 */
function identifies(tag: string | undefined, modTime: bigint | undefined): boolean {
  return tag !== undefined || (modTime !== undefined && modTime % 1_000_000_000n !== 0n);
}

function keysOfMark({ size, modTime, tag, hash, id, isYoung }: Mark): string[] {
  if (size < 0) return [];
  const state = tag ?? modTime;
  const isOld = isYoung !== true;
  return [
    ...(id === undefined || !identifies(tag, modTime) || !isOld
      ? []
      : [`id ${size} ${state} ${id}`]),
    ...(hash === undefined ? [] : [`hash ${hash}`]),
    ...(tag === undefined ? [] : [`tag ${size} ${tag}`]),
    ...(modTime === undefined || !isOld ? [] : [`time ${size} ${modTime}`]),
  ];
}

function withLeaf(key: string, path: string): string {
  return `${key}\n${leafName(path)}`;
}

/** Whether a side can have a file at a path: neither a directory is there, nor a file above it. */
function openPaths({ files, dirs }: Trees, side: Side): (path: string) => boolean {
  return (path) => {
    if (dirs[side].has(path)) return false;
    for (let dir = parentPath(path); dir !== ''; dir = parentPath(dir)) {
      if (files[side].has(dir)) return false;
    }
    return true;
  };
}
