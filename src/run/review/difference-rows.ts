import { diff } from 'node:util';

/** Two lines of text beside each other, or one that the other text lacks. */
export interface TextDifference {
  readonly left?: string | undefined;
  readonly right?: string | undefined;
  readonly isEqual: boolean;
}

/** How two texts differ, line by line, with a few equal lines around each difference. Pure. */
export function differenceRows(left: string, right: string): readonly TextDifference[] {
  const rows: TextDifference[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++) {
      rows.push({ left: removed[at], right: added[at], isEqual: false });
    }
    [removed, added] = [[], []];
  };
  for (const [kind, text] of diff(left.split('\n'), right.split('\n'))) {
    if (kind === 1) removed.push(text);
    else if (kind === -1) added.push(text);
    else {
      flush();
      rows.push({ left: text, right: text, isEqual: true });
    }
  }
  flush();
  const near = new Set<number>();
  for (const [at, { isEqual }] of rows.entries()) {
    if (isEqual) continue;
    for (let n = at - 2; n <= at + 2; n++) near.add(n);
  }
  return rows.flatMap((row, at) => {
    if (near.has(at)) return [row];
    return near.has(at - 1) ? [{ left: '...', right: '...', isEqual: true }] : [];
  });
}
