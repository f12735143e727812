import type { KeptKind } from '../core/entry-details.ts';
import { harmless } from '../core/harmless.ts';
import { parentPath } from '../core/remote-path.ts';
import { cutLeft, cutMiddle, fillLeft, lineWidth } from '../screen/cells.ts';
import { type Line, type Span, span } from '../screen/span.ts';
import type { NodeId } from '../size-tree/node.ts';
import { pathScore } from '../size-tree/path-score.ts';
import type { SizeTree } from '../size-tree/size-tree.ts';
import { shownSize } from '../size-tree/sort-order.ts';
import type { BrowserSettings } from './browser-settings.ts';
import { type EntryLook, entryFigures, SIGN_COLUMNS } from './entry-figures.ts';
import { sizeText } from './figures.ts';

const KEPT_SIGNS: Readonly<Record<Exclude<KeptKind, 'current'>, string>> = {
  old: 'v',
  upload: 'u',
  marker: 'x',
  'old-marker': 'x',
};

/** A sign for what is to be known of an entry; `' '` for nothing. */
function entrySign(tree: SizeTree, node: NodeId): string {
  if (tree.isExcluded(node)) return '<';
  const kind = tree.keptKind(node);
  if (kind !== undefined && kind !== 'current') return KEPT_SIGNS[kind];
  if (tree.isSpecial(node)) return '@';
  if (tree.isLinked(node)) return 'H';
  if (!tree.isDir(node)) return tree.isSizeUnknown(node) ? '~' : ' ';
  if (tree.errorOf(node) !== undefined) return '!';
  if (tree.failed(node) > 0) return '.';
  if (!tree.isWhole(node)) return '?';
  if (tree.beginsDisk(node)) return '>';
  if (tree.files(node) === 0) return 'e';
  return tree.unknown(node) > 0 ? '~' : ' ';
}

/** The line of an entry: sign, mark, size, graph, figures, name. */
export function entryLine(tree: SizeTree, node: NodeId, look: EntryLook): Line {
  const { settings, columns, glyphs, marked, selected } = look;
  const sign = entrySign(tree, node);
  const isDir = tree.isDir(node);
  const line: Span[] = [
    span(selected ? glyphs.pointer : ' ', 'accent'),
    span(marked ? glyphs.mark : ' ', 'marked', true),
    span(sign, sign === '!' ? 'bad' : 'warn'),
    span(sizeColumn(tree, node, settings)),
  ];
  let room = columns - lineWidth(line) - 2;
  for (const { width, spans } of entryFigures(settings, columns)) {
    room -= width + 1;
    line.push(span(' '), ...spans(tree, node, look));
  }
  const name = nameText(tree, node, room, glyphs.ellipsis);
  line.push(span(`  ${name}`, tree.isExcluded(node) ? 'dim' : isDir ? 'dir' : 'plain', marked));
  return line;
}

/** The name of an entry as it can be shown, cut in its middle; directories end in a slash. */
function nameText(tree: SizeTree, node: NodeId, room: number, ellipsis: string): string {
  const slash = tree.isDir(node) ? '/' : '';
  return cutMiddle(harmless(tree.name(node)), room - slash.length, ellipsis) + slash;
}

function sizeColumn(tree: SizeTree, node: NodeId, settings: BrowserSettings): string {
  const { human } = settings;
  const text = tree.isSizeUnknown(node)
    ? '?'
    : sizeText(shownSize(tree, node, settings.order), !human);
  return fillLeft(text, human ? 10 : 20);
}

/** What the columns of the list are, where it has more than sizes and names. */
export function headingLine({ settings, columns, hasDisk }: HeadingLook): Line {
  const { human, order } = settings;
  const size = hasDisk ? (order.isApparent ? 'apparent' : 'disk usage') : 'size';
  const parts = entryFigures(settings, columns).map(
    ({ heading, width }) => ` ${heading.padStart(width)}`,
  );
  const head = ' '.repeat(SIGN_COLUMNS) + size.padStart(human ? 10 : 20);
  return [span(`${head}${parts.join('')}  name`, 'heading')];
}

interface HeadingLook {
  readonly settings: BrowserSettings;
  readonly columns: number;
  readonly hasDisk: boolean;
}

/** A path in at most `room` columns: its directories stand back behind its name, letters of the words are highlighted. */
export function pathSpans(
  path: string,
  isDir: boolean,
  words: readonly string[],
  room: number,
  ellipsis: string,
): readonly Span[] {
  const { places } = pathScore(path, words);
  const name = parentPath(path).length;
  const units = harmless(path).length === path.length ? path : undefined;
  const spans: Span[] = [];
  const shown = cutLeft(harmless(path) + (isDir ? '/' : ''), Math.max(4, room), ellipsis);
  if (units === undefined) return [span(shown, isDir ? 'dir' : 'plain')];
  const from = path.length + (isDir ? 1 : 0) - shown.length;
  const toneAt = (at: number) =>
    places.has(at) ? 'accent' : at < name ? 'dim' : isDir ? 'dir' : 'plain';
  for (let at = 0, next = 1; at < shown.length; at = next) {
    next = at + 1;
    const tone = toneAt(from + at);
    while (next < shown.length && toneAt(from + next) === tone) next++;
    spans.push(span(shown.slice(at, next), tone, tone === 'accent'));
  }
  return spans;
}
