import { compareEntries } from '../core/name-order.ts';
import type { Entry } from '../core/remote.ts';
import { leafName } from '../core/remote-path.ts';
import { FoldMatcher, type Match, type Repeat } from './fold-matcher.ts';

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

function isLoneWithOtherForms({ source, dest }: Match): boolean {
  if (source !== undefined && dest !== undefined) return false;
  return hasOtherForms((source ?? dest)?.path ?? '');
}

/** Whether Unicode has another spelling of the same text: `é` as one code point or as two. */
function hasOtherForms(name: string): boolean {
  for (let i = 0; i < name.length; i++) {
    if (name.charCodeAt(i) > 0x7f) {
      return name.normalize('NFD') !== name || name.normalize('NFC') !== name;
    }
  }
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

function normalizedKey(entry: Entry): string {
  return `${entry.kind} ${entry.path.normalize('NFC')}`;
}
