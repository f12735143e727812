import { compareNames } from '../../../core/name-order.ts';
import type { FileEntry } from '../../../core/remote.ts';
import { leafName } from '../../../core/remote-path.ts';
import type { Rename } from '../../pass.ts';

/** What identifies a renamed file, besides its size (`--track-renames-strategy`). */
export interface RenameStrategy {
  readonly hash: boolean;
  readonly modTime: boolean;
  /** The last part of the path. */
  readonly leaf: boolean;
}

/** A file that may have been renamed. */
export interface RenameCandidate {
  readonly file: FileEntry;
  /** Everything that identifies it except its time: only files of one key can be one file. */
  readonly key: string;
  /** In nanoseconds; 0 if times are ignored. */
  readonly modTime: bigint;
}

/** The result of the match. */
export interface MatchedRenames {
  readonly renames: readonly Rename[];
  /** How many further renames there may be, without knowing which file became which. */
  readonly ambiguous: number;
}

/** How candidates are paired, besides their keys. */
export interface RenameRules {
  /** Times that differ by less are equal; in nanoseconds. */
  readonly windowNs: bigint;
  /** Files of one key have one content: any of them may be paired. */
  readonly sameContent: boolean;
}

/**
 * Pairs files of the source with files of the destination that have the same key and the same time; each file is in
 * one pair at most. Of several candidates, one with the same last name comes first. If the key does not identify the
 * content, nothing is guessed, unlike in rclone: of several candidates none is used. Pure.
 */
export function matchRenames(
  sources: readonly RenameCandidate[],
  dests: readonly RenameCandidate[],
  rules: RenameRules,
): MatchedRenames {
  const destsByKey = Map.groupBy(dests, ({ key }) => key);
  const renames: Rename[] = [];
  let ambiguous = 0;
  const take = (from: readonly RenameCandidate[], to: readonly RenameCandidate[]) => {
    const mayPair = rules.sameContent || (from.length === 1 && to.length === 1);
    const found = mayPair ? matchTimes(inOrder(from), inOrder(to), rules.windowNs) : [];
    for (const rename of found) renames.push(rename);
    return found;
  };
  for (const [key, ofKey] of Map.groupBy(sources, (each) => each.key)) {
    for (const [from, to] of clusters(ofKey, destsByKey.get(key) ?? [], rules.windowNs)) {
      const toByLeaf = Map.groupBy(to, leafOf);
      const paired = new Set<FileEntry>();
      for (const [leaf, ofLeaf] of Map.groupBy(from, leafOf)) {
        const found = take(ofLeaf, toByLeaf.get(leaf) ?? []);
        for (const { source, dest } of found) paired.add(source).add(dest);
      }
      const isLeft = ({ file }: RenameCandidate) => !paired.has(file);
      const [fromLeft, toLeft] = [from.filter(isLeft), to.filter(isLeft)];
      const found = take(fromLeft, toLeft);
      if (!rules.sameContent && found.length === 0) {
        ambiguous += Math.min(fromLeft.length, toLeft.length);
      }
    }
  }
  return { renames, ambiguous };
}

function leafOf({ file }: RenameCandidate): string {
  return leafName(file.path);
}

/** Cuts both lists wherever no time of one is within the window of a time of the other. */
function clusters(
  sources: readonly RenameCandidate[],
  dests: readonly RenameCandidate[],
  windowNs: bigint,
): [RenameCandidate[], RenameCandidate[]][] {
  const isSource = new Set(sources);
  const found: [RenameCandidate[], RenameCandidate[]][] = [];
  let last: bigint | undefined;
  for (const candidate of inOrder([...sources, ...dests])) {
    if (last === undefined || candidate.modTime - last >= windowNs) found.push([[], []]);
    last = candidate.modTime;
    found.at(-1)?.[isSource.has(candidate) ? 0 : 1].push(candidate);
  }
  return found;
}

/** Both sorted by time: a file too old for the oldest of the other side is too old for all. */
function matchTimes(
  from: readonly RenameCandidate[],
  to: readonly RenameCandidate[],
  windowNs: bigint,
): Rename[] {
  const renames: Rename[] = [];
  for (let s = 0, d = 0; ; ) {
    const [source, dest] = [from[s], to[d]];
    if (source === undefined || dest === undefined) return renames;
    const lead = dest.modTime - source.modTime;
    if (lead >= windowNs) s++;
    else if (lead <= -windowNs) d++;
    else {
      renames.push({ source: source.file, dest: dest.file });
      s++;
      d++;
    }
  }
}

function inOrder(candidates: readonly RenameCandidate[]): RenameCandidate[] {
  return [...candidates].sort((a, b) => {
    if (a.modTime !== b.modTime) return a.modTime < b.modTime ? -1 : 1;
    return compareNames(a.file.path, b.file.path);
  });
}
