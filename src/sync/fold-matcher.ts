import { compareNames } from '../core/name-order.ts';
import type { Entry } from '../core/remote.ts';
import { leafName } from '../core/remote-path.ts';
import { foldName } from '../kit/fold-name.ts';
import type { Match } from './entry-match.ts';

/** An entry that is left out, because one before it has the same name but for case. */
export interface Repeat {
  readonly side: 'source' | 'dest';
  readonly entry: Entry;
  /** The path of the one before it. */
  readonly first: string;
}

/** How names are folded, and who is told of those that are one when folded. */
export interface Folding {
  /** Names that are equal in Unicode normalisation form C are one name, too. */
  readonly normalize: boolean;
  readonly onRepeat: (repeat: Repeat) => void;
}

/** Which sides have given all their entries: nothing more can match what the other side has. */
export interface Ended {
  readonly source: boolean;
  readonly dest: boolean;
}

/** One folded name of a directory: the spellings that are not settled, and what was given of it. */
interface Group {
  /** Entries that the other side does not have in this very spelling, in their order. */
  readonly sources: Entry[];
  readonly dests: Entry[];
  /** The first paths that were given. */
  sourcePath?: string;
  destPath?: string;
  /** No name of the group comes after this one; absent where that is not known before the directory ends. */
  readonly last: string | undefined;
}

/** How many groups are kept before those that can get no more members are looked for. */
const SWEEP_FROM = 10_000;

/**
 * Matches entries whose names are equal when folded, out of the matches of a merge in byte order. A name that both
 * sides have in one spelling is a match before all others. Where there is none, the first entry of each side in that
 * order is the one that counts; all others are repeats. But where only the destination has a name, all its spellings
 * are surplus.
 *
 * The order of bytes puts capitals first, so that of the spellings of an ASCII name the one in lower case comes
 * last: when it has passed, its group is complete. So only names with capitals wait, until their lower-case
 * spelling would have come, and names beyond ASCII that have other spellings, until the directory ends.
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

  /** Takes the next matches of the merge; gives those that are known now. */
  take(matches: readonly Match[], ended: Ended): Match[] {
    const given: Match[] = [];
    for (const match of matches) this.#takeOne(match, given);
    this.#settleEnded(ended, given);
    if (this.#groups.size >= this.#sweepAt) this.#sweep(matches.at(-1), given);
    return given;
  }

  /** The directory has ended: gives what is left. */
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
    if (isLast && known === undefined) {
      given.push(match);
      return;
    }
    const group: Group = known ?? { sources: [], dests: [], last };
    if (match.source !== undefined && match.dest !== undefined) this.#give(group, match, given);
    else this.#wait(group, match);
    if (isLast) {
      this.#settle(group, given);
      this.#groups.delete(groupKey);
    } else if (known === undefined) this.#groups.set(groupKey, group);
  }

  #wait(group: Group, { source, dest }: Match): void {
    if (source !== undefined) {
      group.sources.push(source);
      this.#withSources.add(group);
    } else if (dest !== undefined) {
      group.dests.push(dest);
      this.#withDests.add(group);
    }
  }

  #give(group: Group, match: Match, given: Match[]): void {
    if (match.source !== undefined) group.sourcePath ??= match.source.path;
    if (match.dest !== undefined) group.destPath ??= match.dest.path;
    given.push(match);
  }

  /** No name that waits has a counterpart in its own spelling any more. */
  #settle(group: Group, given: Match[]): void {
    this.#withSources.delete(group);
    this.#withDests.delete(group);
    const sources = group.sources.splice(0);
    const dests = group.dests.splice(0);
    if (group.sourcePath === undefined) {
      const [source, dest] = [sources.shift(), dests.shift()];
      if (source === undefined && dest === undefined) return;
      this.#give(group, { ...(source && { source }), ...(dest && { dest }) }, given);
    }
    const { sourcePath, destPath = '' } = group;
    for (const entry of sources)
      this.#folding.onRepeat({ side: 'source', entry, first: sourcePath ?? '' });
    for (const entry of dests) {
      if (sourcePath === undefined) given.push({ dest: entry });
      else this.#folding.onRepeat({ side: 'dest', entry, first: destPath });
    }
  }

  /** Settles what waits for a counterpart on a side that has ended. */
  #settleEnded(ended: Ended, given: Match[]): void {
    if (ended.dest) for (const group of this.#withSources) this.#settle(group, given);
    if (ended.source) for (const group of this.#withDests) this.#settle(group, given);
  }

  /** Forgets groups whose last spelling the merge has passed. */
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

/** The folded name, and the spelling of it that comes last, where that is known. */
function spellings(
  name: string,
  normalize: boolean,
): { readonly key: string; readonly last: string | undefined } {
  const key = foldName(normalize ? name.normalize('NFC') : name);
  // A letter like the Kelvin sign folds to ASCII, where nothing waits for it any more.
  if (isAscii(key)) return isAscii(name) ? { key, last: key } : { key: name, last: name };
  const isOnlyOne = key === name && key === key.toUpperCase() && key === key.normalize('NFD');
  return { key, last: isOnlyOne ? name : undefined };
}

function isAscii(name: string): boolean {
  for (let i = 0; i < name.length; i++) if (name.charCodeAt(i) > 0x7f) return false;
  return true;
}
