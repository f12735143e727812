import { compareNames, foldName } from '../core/name-order.ts';
import { ownEntry } from '../core/own-text.ts';
import type { Entry } from '../core/remote.ts';
import { leafName } from '../core/remote-path.ts';

/** An entry that is skipped because an earlier one, at the path `first`, has the same name except for case. */
export interface Repeat {
  readonly side: 'source' | 'dest';
  readonly entry: Entry;
  readonly first: string;
}

/** How names are folded, and who gets the repeated ones. */
export interface Folding {
  /** Names that are equal in Unicode normalisation form C are one name, too. */
  readonly normalize: boolean;
  /** `false`: they are two names all the same. */
  readonly onRepeat: (repeat: Repeat) => boolean;
}

/** Which sides have no more entries: nothing more can match the other side's. */
export interface Ended {
  readonly source: boolean;
  readonly dest: boolean;
}

/** One folded name of a directory: its unsettled spellings, and the entries already returned. */
interface Group {
  /** Entries that the other side does not have in this exact spelling, in their order. */
  readonly sources: Entry[];
  readonly dests: Entry[];
  /** The first paths returned. */
  sourcePath?: string;
  destPath?: string;
  /** No name of the group comes after this one; absent if that is unknown before the directory ends. */
  readonly last: string | undefined;
}

/** Number of groups above which complete ones are searched for. */
const SWEEP_FROM = 10_000;

/**
 * Matches entries whose names are equal when folded, out of the matches of a merge in byte order. A name that both
 * sides have in one spelling is a match before all others. If there is none, the first entry of each side in that
 * order counts; all others are repeats. But if only the destination has a name, all its spellings are extra.
 *
 * The order of bytes puts capitals first, so that of the spellings of an ASCII name the one in lower case comes last:
 * when it has passed, its group is complete. So only names with capitals wait, for their lower-case spelling, and
 * names beyond ASCII that have other spellings, for the end of the directory.
 */
export class FoldMatcher {
  readonly #folding: Folding;
  readonly #groups = new Map<string, Group>();
  readonly #withSources = new Set<Group>();
  readonly #withDests = new Set<Group>();
  #sweepAt = SWEEP_FROM;

  constructor(folding: Folding) {
    this.#folding = folding;
  }

  /** Adds the next matches of the merge; returns those that are final. */
  take(matches: readonly Match[], ended: Ended): Match[] {
    const given: Match[] = [];
    for (const match of matches) this.#takeOne(match, given);
    this.#settleEnded(ended, given);
    if (this.#groups.size >= this.#sweepAt) this.#sweep(matches.at(-1), given);
    return given;
  }

  /** The directory has ended: returns the rest. */
  finish(): Match[] {
    const given: Match[] = [];
    this.#settleEnded({ source: true, dest: true }, given);
    return given;
  }

  #takeOne(match: Match, given: Match[]): void {
    const entry = match.source ?? match.dest;
    if (entry === undefined) return;
    const name = leafName(entry.path);
    const { key, last } = spellings(name, this.#folding.normalize);
    const groupKey = `${entry.kind} ${key}`;
    const known = this.#groups.get(groupKey);
    const isLast = last === name;
    if (isLast && known === undefined) return void given.push(match);
    const group: Group = known ?? { sources: [], dests: [], last };
    const { source, dest } = match;
    if (source !== undefined && dest !== undefined) this.#give(group, match, given);
    else if (source !== undefined) {
      group.sources.push(ownEntry(source));
      this.#withSources.add(group);
    } else if (dest !== undefined) {
      group.dests.push(ownEntry(dest));
      this.#withDests.add(group);
    }
    if (isLast) {
      this.#settle(group, given);
      this.#groups.delete(groupKey);
    } else if (known === undefined) this.#groups.set(groupKey, group);
  }

  #give(group: Group, match: Match, given: Match[]): void {
    if (match.source !== undefined) group.sourcePath ??= match.source.path;
    if (match.dest !== undefined) group.destPath ??= match.dest.path;
    given.push(match);
  }

  /** No waiting name has a counterpart in its own spelling any more. */
  #settle(group: Group, given: Match[]): void {
    this.#withSources.delete(group);
    this.#withDests.delete(group);
    const [sources, dests] = [group.sources.splice(0), group.dests.splice(0)];
    if (group.sourcePath === undefined) {
      const [source, dest] = [sources.shift(), dests.shift()];
      if (source === undefined && dest === undefined) return;
      this.#give(group, { ...(source && { source }), ...(dest && { dest }) }, given);
    }
    const { sourcePath, destPath = '' } = group;
    for (const entry of sources) {
      const repeat = { side: 'source', entry, first: sourcePath ?? '' } as const;
      if (!this.#folding.onRepeat(repeat)) given.push({ source: entry });
    }
    for (const entry of dests) {
      const isRepeat = sourcePath !== undefined;
      if (!isRepeat || !this.#folding.onRepeat({ side: 'dest', entry, first: destPath }))
        given.push({ dest: entry });
    }
  }

  /** Settles entries that wait for a counterpart on a side that has ended. */
  #settleEnded(ended: Ended, given: Match[]): void {
    if (ended.dest) for (const group of this.#withSources) this.#settle(group, given);
    if (ended.source) for (const group of this.#withDests) this.#settle(group, given);
  }

  /** Drops groups whose last spelling the merge has passed. */
  #sweep(passed: Match | undefined, given: Match[]): void {
    const name = leafName((passed?.source ?? passed?.dest)?.path ?? '');
    for (const [key, group] of this.#groups) {
      if (group.last === undefined || compareNames(name, `${group.last}/`) <= 0) continue;
      this.#settle(group, given);
      this.#groups.delete(key);
    }
    this.#sweepAt = Math.max(SWEEP_FROM, 2 * this.#groups.size);
  }
}

/** The folded name, and its spelling that comes last, if that is known. */
function spellings(name: string, normalize: boolean) {
  const key = foldName(normalize ? name.normalize('NFC') : name);
  // A letter like the Kelvin sign folds to ASCII, where nothing waits for it any more.
  if (isAscii(key)) return isAscii(name) ? { key, last: key } : { key: name, last: name };
  const isOnlyOne = key === name && key === key.toUpperCase() && key === key.normalize('NFD');
  return { key, last: isOnlyOne ? name : undefined };
}

function isAscii(name: string): boolean {
  return Buffer.byteLength(name) === name.length;
}

/** An entry with its counterpart on the other side; at least one of them exists. */
export interface Match {
  readonly source?: Entry;
  readonly dest?: Entry;
  /** Path of the source's entry at the destination, if names are changed on the way. */
  readonly path?: string;
}
