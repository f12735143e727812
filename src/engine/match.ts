import { compareEntries, compareNames, foldName } from '../core/name-order.ts';
import { ownEntry } from '../core/own-text.ts';
import type { Entry } from '../core/remote.ts';
import { leafName } from '../core/remote-path.ts';

/** Pages of one directory of one side, each sorted and after the one before (`compareEntries`). */
export type SortedPages = AsyncIterator<readonly Entry[]>;

/** Further rules of a merge. */
export interface MatchRules {
  /** Whether names that differ only in case may be one name; gets the first page of the destination. */
  readonly folding?: (first: readonly Entry[]) => boolean;
  /** Gets names that are repeated on one side; `false`: they are two names all the same. */
  readonly onRepeat?: (repeat: Repeat) => boolean;
  /** The directory has another path on each side: entries are compared by their names alone. */
  readonly byLeaf?: boolean;
}

/**
 * Merges the sorted pages of both sides of a directory. Files match files and directories match directories of the
 * same name. The next page of a side is requested while the current pages are merged.
 *
 * With `normalize`, names that are equal in Unicode normalisation form C match too; for that, names that have another
 * form and no exact counterpart wait until the directory ends.
 */
export async function* matchPages(
  source: SortedPages,
  dest: SortedPages,
  normalize: boolean,
  { folding, onRepeat = () => false, byLeaf = false }: MatchRules = {},
): AsyncGenerator<Match[]> {
  const left = await openSide(source, dest);
  const leftovers: Match[] = [];
  const compare = byLeaf ? compareLeaves : compareEntries;
  const [a, b] = left;
  const folds = folding?.(b.page ?? []) === true;
  const folded = folds ? new FoldMatcher({ normalize, onRepeat }) : undefined;
  while (a.page !== undefined || b.page !== undefined) {
    const matches = mergeWhatIsThere(a, b, compare);
    if (folded !== undefined) {
      yield folded.take(matches, { source: a.page === undefined, dest: b.page === undefined });
    } else {
      yield normalize ? setAside(matches, leftovers) : matches;
    }
    if (a.page !== undefined && a.at >= a.page.length) await nextPage(a);
    if (b.page !== undefined && b.at >= b.page.length) await nextPage(b);
  }
  if (folded !== undefined) yield folded.finish();
  if (leftovers.length > 0) yield matchNormalized(leftovers, onRepeat);
}

function compareLeaves(a: Entry, b: Entry): number {
  const leaf = ({ kind, path }: Entry) => ({ kind, path: leafName(path) });
  return compareEntries(leaf(a), leaf(b));
}

/** One side of a merge: the current page, the position in it, and the page being requested. */
interface Side {
  readonly pages: SortedPages;
  page: readonly Entry[] | undefined;
  at: number;
  coming: Promise<IteratorResult<readonly Entry[]>>;
}

async function openSide(...pages: [SortedPages, SortedPages]): Promise<[Side, Side]> {
  const sides = pages.map((p): Side => ({ pages: p, page: [], at: 0, coming: prefetch(p) }));
  const [a, b] = sides as [Side, Side];
  const opened = await Promise.allSettled([nextPage(a), nextPage(b)]);
  for (const result of opened) if (result.status === 'rejected') throw result.reason;
  return [a, b];
}

/** Starts a request; a rejection is handled when the page is needed. */
function prefetch(pages: SortedPages): Promise<IteratorResult<readonly Entry[]>> {
  const coming = pages.next();
  coming.catch(() => {});
  return coming;
}

async function nextPage(side: Side): Promise<void> {
  do {
    const result = await side.coming;
    side.page = result.done === true ? undefined : result.value;
    side.at = 0;
    if (side.page !== undefined) side.coming = prefetch(side.pages);
  } while (side.page !== undefined && side.page.length === 0);
}

/** Merges until one of the two pages is used up; the rest of that side is unknown yet. */
function mergeWhatIsThere(a: Side, b: Side, compare: typeof compareLeaves): Match[] {
  const matches: Match[] = [];
  for (;;) {
    const source = a.page?.[a.at];
    const dest = b.page?.[b.at];
    if (source === undefined && a.page !== undefined) return matches;
    if (dest === undefined && b.page !== undefined) return matches;
    if (source !== undefined && dest !== undefined) {
      const order = compare(source, dest);
      if (order <= 0) a.at++;
      if (order >= 0) b.at++;
      matches.push(order < 0 ? { source } : order > 0 ? { dest } : { source, dest });
    } else if (source !== undefined) {
      a.at++;
      matches.push({ source });
    } else if (dest !== undefined) {
      b.at++;
      matches.push({ dest });
    } else return matches;
  }
}

/** Removes from `matches` those with one side only whose name has another form. */
function setAside(matches: Match[], leftovers: Match[]): Match[] {
  let found = false;
  for (let at = 0; at < matches.length && !found; at++)
    found = isLoneWithOtherForms(matches[at] as Match);
  if (!found) return matches;
  for (const match of matches) if (isLoneWithOtherForms(match)) leftovers.push(match);
  return matches.filter((match) => !isLoneWithOtherForms(match));
}

/** Whether only one side has the name, and Unicode has another spelling of it: `é` as one code point or as two. */
function isLoneWithOtherForms({ source, dest }: Match): boolean {
  if (source !== undefined && dest !== undefined) return false;
  const name = (source ?? dest)?.path ?? '';
  for (let i = 0; i < name.length; i++)
    if (name.charCodeAt(i) > 0x7f)
      return name.normalize('NFD') !== name || name.normalize('NFC') !== name;
  return false;
}

function matchNormalized(
  leftovers: Match[],
  onRepeat: NonNullable<MatchRules['onRepeat']>,
): Match[] {
  const byName = new Map<string, Match[]>();
  const sources = new Map<string, string>();
  const matches: Match[] = [];
  for (const match of leftovers) {
    if (match.dest === undefined) continue;
    const key = normalizedKey(match.dest);
    const twins = byName.get(key);
    if (twins === undefined) byName.set(key, [match]);
    else twins.push(match);
  }
  for (const match of leftovers) {
    if (match.source === undefined) continue;
    const key = normalizedKey(match.source);
    const counterpart = byName.get(key)?.shift();
    const first = sources.get(key);
    if (first === undefined) sources.set(key, match.source.path);
    else if (onRepeat({ side: 'source', entry: match.source, first })) continue;
    matches.push(counterpart?.dest === undefined ? match : { ...match, dest: counterpart.dest });
  }
  return [...matches, ...[...byName.values()].flat()];
}

const normalizedKey = (entry: Entry): string => `${entry.kind} ${entry.path.normalize('NFC')}`;

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
class FoldMatcher {
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

const isAscii = (name: string): boolean => Buffer.byteLength(name) === name.length;

/** An entry with its counterpart on the other side; at least one of them exists. */
export interface Match {
  readonly source?: Entry;
  readonly dest?: Entry;
  /** Path of the source's entry at the destination, if names are changed on the way. */
  readonly path?: string;
}
