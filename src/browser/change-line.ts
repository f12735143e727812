import { harmless } from '../core/harmless.ts';
import { cutMiddle, fillLeft, lineWidth } from '../screen/cells.ts';
import type { Look } from '../screen/look.ts';
import { type Line, type Span, span } from '../screen/span.ts';
import type { EntryChange, ScanPair } from '../size-tree/dir-changes.ts';
import type { NodeId } from '../size-tree/node.ts';
import { NONE } from '../size-tree/node-figures.ts';
import type { SizeTree } from '../size-tree/size-tree.ts';
import type { Browser } from './browser.ts';
import { plainSize, shortCount, sizeText } from './figures.ts';

function growth({ sizeBefore, sizeAfter }: EntryChange): number {
  return sizeAfter - sizeBefore;
}

/** The difference in size, with its sign. */
export function growthText(change: EntryChange): string {
  const bytes = growth(change);
  return `${bytes < 0 ? '-' : '+'}${plainSize(Math.abs(bytes))}`;
}

/** The mark of a directory that a scan could not list, or not all of it: its difference is not known. */
function unlistedSpan(tree: SizeTree, node: NodeId): Span | undefined {
  if (node === NONE || !tree.isDir(node) || tree.failed(node) === 0) return undefined;
  return tree.errorOf(node) === undefined ? span(' .   ', 'warn') : span(' !   ', 'bad');
}

/** How a line is drawn. */
export interface ChangeLook {
  readonly columns: number;
  readonly look: Look;
  readonly selected: boolean;
  readonly human: boolean;
}

/** The line of a changed entry: mark, difference, what it is, files, size before and after, name. */
export function changeLine(
  browser: Browser,
  { before, after }: ScanPair,
  change: EntryChange,
  how: ChangeLook,
): Line {
  const { columns, look, selected, human } = how;
  const { glyphs } = look;
  const isNew = change.before === NONE;
  const isGone = change.after === NONE;
  const [tree, node] = isGone ? [before, change.before] : [after, change.after];
  const isDir = tree.isDir(node);
  const marked = !isGone && browser.marks.has(node);
  const unlisted = unlistedSpan(before, change.before) ?? unlistedSpan(after, change.after);
  const bytes = growth(change);
  const tone = isGone ? 'dim' : bytes > 0 ? 'warn' : bytes < 0 ? 'good' : 'plain';
  const sign = bytes < 0 ? '-' : '+';
  const size = `${sign}${sizeText(Math.abs(bytes), !human)}`;
  const line: Span[] = [
    span(selected ? glyphs.pointer : ' ', 'accent'),
    span(marked ? glyphs.mark : ' ', 'marked', true),
    span(fillLeft(size, human ? 11 : 20), tone),
    unlisted ?? span(isNew ? ' new ' : isGone ? ' gone' : '     ', isGone ? 'dim' : 'warn'),
  ];
  if (columns >= 56) {
    const files = Math.abs(change.files);
    const text = isDir && files > 0 ? `${change.files < 0 ? '-' : '+'}${shortCount(files)}` : '';
    line.push(span(fillLeft(text, 7), 'dim'));
  }
  if (columns >= 76) {
    const from = isNew ? '' : sizeText(change.sizeBefore);
    const to = isGone ? '' : sizeText(change.sizeAfter);
    line.push(span(`  ${fillLeft(from, 9)} ${glyphs.arrow} ${fillLeft(to, 9)}`, 'dim'));
  }
  const slash = isDir ? '/' : '';
  const room = columns - lineWidth(line) - 2 - slash.length;
  const name = cutMiddle(harmless(tree.name(node)), Math.max(1, room), glyphs.ellipsis);
  line.push(span(`  ${name}${slash}`, isGone ? 'dim' : isDir ? 'dir' : 'plain', marked));
  return line;
}
