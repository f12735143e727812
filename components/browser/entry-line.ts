import { parentPath } from '../../src/core/remote-path.ts';
import { harmless } from '../../src/core/shown-text.ts';
import { fileKind } from '../../src/size-tree/file-kinds.ts';
import type { NodeId } from '../../src/size-tree/node.ts';
import { pathScore } from '../../src/size-tree/path-search.ts';
import type { SizeTree } from '../../src/size-tree/size-tree.ts';
import { shownSize } from '../../src/size-tree/sort-order.ts';
import { block } from '../../src/terminal/bar.ts';
import { cut, cutLeft, cutMiddle, fill, fillLeft, lineWidth } from '../../src/terminal/cells.ts';
import { costText, shortCount, sizeText, timeText } from '../../src/terminal/figures.ts';
import type { Glyphs } from '../../src/terminal/look.ts';
import { type Line, type Span, span, type Tone } from '../../src/terminal/span.ts';
import { ago } from '../../src/terminal/time-texts.ts';
import type { BrowserSettings } from './browser.ts';
import { KEPT } from './entry-pages.ts';
import type { Growth } from './growth.ts';

/** A sign for what is to be known of an entry; `' '` for nothing. */
function entrySign(tree: SizeTree, node: NodeId): string {
  if (tree.isExcluded(node)) return '<';
  const kind = tree.keptKind(node);
  if (kind !== undefined && kind !== 'current') return KEPT[kind].sign;
  const mark = tree.marks.get(node);
  if (mark !== undefined) return mark === 'read_error' ? '!' : /^oth/.test(mark) ? '>' : '<';
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

/** What the lines of a list have in common. */
export interface ListLook {
  readonly tree: SizeTree;
  readonly settings: BrowserSettings;
  readonly columns: number;
  readonly glyphs: Glyphs;
  /** Size of the largest entry of the directory, and of all together. */
  readonly largest: number;
  readonly whole: number;
  readonly figures: readonly Figure[];
}

/** The line of an entry behind its mark: sign, size, graph, figures, name. */
export function entryLine(node: NodeId, look: ListLook, marked: boolean): Line {
  const { tree, settings, columns, glyphs, figures } = look;
  const { human, order } = settings;
  const sign = entrySign(tree, node);
  const size = tree.isSizeUnknown(node) ? '?' : sizeText(shownSize(tree, node, order), !human);
  const line: Span[] = [
    span(sign, sign === '!' ? 'bad' : 'warn'),
    span(fillLeft(size, sizeColumns(settings))),
  ];
  let room = columns - lineWidth(line) - SIGN_COLUMNS - 1;
  for (const { width, spans } of figures) {
    room -= width + 1;
    line.push(span(' '), ...spans(node, look));
  }
  const slash = tree.isDir(node) ? '/' : '';
  const name = cutMiddle(harmless(tree.name(node)), room - slash.length, glyphs.ellipsis);
  line.push(span(`  ${name}${slash}`, toneOf(tree, node), marked));
  return line;
}

const sizeColumns = ({ human }: BrowserSettings): number => (human ? 10 : 20);

/** What an entry is, as a tone: a directory, or a kind of file. */
export function toneOf(tree: SizeTree, node: NodeId): Tone {
  if (tree.isExcluded(node)) return 'dim';
  return tree.isDir(node) ? 'dir' : (fileKind(tree.name(node)) ?? 'plain');
}

/** What the columns of the list are, where it has more than sizes and names. @param always also where it has not */
export function headingLine(look: ListLook, always = false): Line | undefined {
  const { settings, tree, figures } = look;
  if (!always && figures.every(({ heading }) => heading === '')) return undefined;
  const size = tree.hasDisk ? (settings.order.isApparent ? 'apparent' : 'disk usage') : 'size';
  const parts = figures.map(({ heading, width }) => ` ${heading.padStart(width)}`).join('');
  const head = ' '.repeat(SIGN_COLUMNS) + size.padStart(sizeColumns(settings));
  return [span(`${head}${parts}  name`, 'heading')];
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

/** Pointer, mark and sign. */
const SIGN_COLUMNS = 3;

interface Figure {
  readonly heading: string;
  readonly width: number;
  readonly spans: (node: NodeId, look: ListLook) => Line;
}

/** A column of texts that stand back, at its right end. */
function figureOf(
  heading: string,
  width: number,
  text: (node: NodeId, look: ListLook) => string,
): Figure {
  return {
    heading,
    width,
    spans: (node, look) => [span(fillLeft(text(node, look), width), 'dim')],
  };
}

const PERCENT = figureOf('', 4, (node, { tree, settings, whole }) => {
  if (tree.isExcluded(node) || whole <= 0) return '';
  const share = (100 * shownSize(tree, node, settings.order)) / whole;
  return share > 0 && share < 0.5 ? '<1%' : `${Math.round(share)}%`;
});

const COUNT = figureOf('files', 6, (node, { tree }) =>
  tree.isDir(node) ? shortCount(tree.files(node)) : '',
);

const AVERAGE = figureOf('average', 9, (node, { tree }) =>
  tree.isDir(node) ? sizeText(tree.average(node)) : '',
);

const TIME = figureOf('modified', 16, (node, { tree }) => timeText(tree.timeMs(node)));

const AGE = figureOf('age', 6, (node, { tree }) => {
  const time = tree.timeMs(node);
  return Number.isNaN(time) ? '' : ago(Date.now() - time).replace(' ago', '');
});

const CLASS = figureOf('class       ', 12, (node, { tree, glyphs }) => {
  const { classes } = tree.objects;
  const name = tree.isDir(node) ? '' : (classes[tree.objects.classOf(node)] ?? '');
  return fill(harmless(name), 12, glyphs.ellipsis);
});

/** What an entry has grown by since a scan of before. */
function growthOf(growth: Growth): Figure {
  return {
    heading: growth.since,
    width: 10,
    spans: (node, { tree, settings }) => {
      const by = growth.of(tree, node, settings.order);
      if (by === undefined || by === 0) return [span(' '.repeat(10))];
      if (by === 'new') return [span(fillLeft('new', 10), 'warn')];
      const text = `${by < 0 ? '-' : '+'}${sizeText(Math.abs(by))}`;
      return [span(fillLeft(text, 10), by > 0 ? 'warn' : 'good')];
    },
  };
}

/** The columns that fit beside the names, which have at least 12 columns, in narrow lists 14. */
export function figuresIn(
  settings: BrowserSettings,
  tree: SizeTree,
  columns: number,
): readonly Figure[] {
  const { graph, counts, average, times, classes, costs, growth, order } = settings;
  const [most = 0, least = 0] = columns >= 80 ? [16, 12] : columns >= 60 ? [10, 12] : [5, 14];
  let room = columns - SIGN_COLUMNS - sizeColumns(settings) - 2;
  const money = cut(`${harmless(costs?.currency ?? '') || 'cost'}/month`, 11);
  const bar: Figure = {
    heading: '',
    width: most,
    spans: (node, { largest, glyphs }) =>
      sizeBar(tree, node, shownSize(tree, node, order), largest, most, glyphs),
  };
  const all = [
    graph.includes('percent') && PERCENT,
    graph.includes('bar') && bar,
    growth && !growth.isNone(tree, order) && growthOf(growth),
    counts && COUNT,
    average && AVERAGE,
    times !== 'none' && (times === 'time' ? TIME : AGE),
    classes && costs && figureOf(money, 11, (node) => costText(costs.of(node))),
    classes && CLASS,
  ];
  return all.filter((figure) => {
    if (!figure || room - figure.width - 1 < least) return false;
    room -= figure.width + 1;
    return true;
  }) as Figure[];
}

/** The bar of an entry beside the largest one, empty if it is excluded: what is current, then old versions, then uploads, in three tones. */
export function sizeBar(
  tree: SizeTree,
  node: NodeId,
  size: number,
  largest: number,
  width: number,
  glyphs: Pick<Glyphs, 'bar' | 'kept'>,
): Line {
  if (tree.isExcluded(node)) return block(0, width, glyphs);
  const share = size / Math.max(1, largest);
  const { old, uploads } = tree.keptSums(node);
  const kind = tree.isDir(node) ? undefined : fileKind(tree.name(node));
  if (old + uploads === 0) return block(share, width, glyphs, kind);
  const columns = (bytes: number) => Math.round((bytes / Math.max(1, largest)) * width);
  const all = columns(size);
  const current = columns(size - old - uploads);
  const older = columns(size - uploads) - current;
  const [oldGlyph, uploadGlyph] = glyphs.kept;
  const full = glyphs.bar.at(-1) ?? '';
  return [
    span(full.repeat(current), 'bar'),
    span(oldGlyph.repeat(older), 'bar-old'),
    span(uploadGlyph.repeat(all - current - older), 'bar-upload'),
    span(' '.repeat(width - all), 'track'),
  ];
}
