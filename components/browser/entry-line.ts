import { parentPath } from '../../src/core/remote-path.ts';
import { figure, harmless } from '../../src/core/shown-text.ts';
import { type FileKind, fileKind } from '../../src/size-tree/file-kinds.ts';
import { type NodeId, nodesBelow } from '../../src/size-tree/node.ts';
import { pathScore } from '../../src/size-tree/path-search.ts';
import type { SizeTree } from '../../src/size-tree/size-tree.ts';
import { LARGEST_FIRST, shownSize, sortedChildren } from '../../src/size-tree/sort-order.ts';
import { block } from '../../src/terminal/bar.ts';
import { cut, cutLeft, cutMiddle, fill, fillLeft, lineWidth } from '../../src/terminal/cells.ts';
import { costText, shortCount, sizeText, timeText } from '../../src/terminal/figures.ts';
import type { Glyphs, Look } from '../../src/terminal/look.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import { type Line, type Span, span, type Tone } from '../../src/terminal/span.ts';
import { ago } from '../../src/terminal/time-texts.ts';
import type { Browser, BrowserSettings } from './browser.ts';
import { detailLines, Fetched, isOld, KEPT, previewLines, scannedDetails } from './entry-pages.ts';
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
function toneOf(tree: SizeTree, node: NodeId): Tone {
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
function sizeBar(
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

/** Directories with more entries do not show the largest of them: finding them would take longer than a key may. */
const MOST_ENTRIES = 20_000;

/** Of directories with more files, the kinds are not summed up: as for `MOST_ENTRIES`. */
const MOST_FILES = 5000;

/** Rows in which the kinds of files have room beside the largest entries. */
const LEAST_FOR_KINDS = 12;

/** How long the cursor rests on a file before its beginning is read, in milliseconds. */
const REST_MS = 150;

const BAR_COLUMNS = 10;

interface EntriesBelow {
  /** For which directory and version of the tree: a frame is drawn for each key. */
  readonly key: string;
  /** The entries of the directory itself, the largest first. */
  readonly entries: Int32Array;
  /** The bytes of each kind of files, the most first. */
  readonly sums: readonly (readonly [FileKind | 'other', number])[];
  /** The largest files, if not all of them lie in the directory itself. */
  readonly files: readonly NodeId[];
}

/** The pane has no room for more. */
const MOST_LARGEST = 40;

/** What stands beside the list: all that is known of the entry under the cursor, and what it begins with. */
export class EntryPane {
  readonly #browser: Browser;
  #known: EntriesBelow | undefined;
  #previewed: NodeId | undefined;
  #head: Fetched<Buffer> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  lines(node: NodeId | undefined, { columns, rows }: Size, look: Look): readonly Line[] {
    this.#follow(node);
    if (node === undefined) return [];
    const { tree } = this.#browser;
    const slash = tree.isDir(node) ? '/' : '';
    const name = cutMiddle(harmless(tree.name(node)) + slash, columns, look.glyphs.ellipsis);
    const details = scannedDetails(this.#browser, node).filter(([about]) => about !== 'name');
    const lines: Line[] = [[span(name, 'section')], [], ...detailLines(details, columns), []];
    const room = rows - lines.length;
    if (room < 2) return lines;
    const head = this.#head?.value;
    const none = this.#isReadable() ? [] : [[span('o previews the file', 'dim')]];
    const preview = head === undefined ? none : previewLines(head, columns);
    const below = tree.isDir(node)
      ? this.#inside(node, { columns, rows: room }, look)
      : isOld(tree.keptKind(node))
        ? []
        : preview;
    return [...lines, ...below.slice(0, room)];
  }

  /** The kinds of files in a directory, if there are several, its largest entries, and the largest files below it. */
  #inside(dir: NodeId, { columns, rows }: Size, look: Look): readonly Line[] {
    const { tree } = this.#browser;
    const { entries, sums, files } = this.#below(dir);
    const kinds = rows < LEAST_FOR_KINDS || sums.length < 2 ? [] : kindLines(sums, look);
    const total = tree.childCount(dir);
    const left = Math.max(0, rows - kinds.length - 1);
    const nameOf = (node: NodeId) => tree.name(node);
    const largest =
      total > MOST_ENTRIES
        ? [[span(`${figure(total)} entries; open it to see the largest`, 'dim')]]
        : this.#sized('Largest', [...entries.subarray(0, left)], nameOf, columns, look);
    const room = Math.max(0, left - largest.length - 1);
    const start = tree.path(dir).length + 1;
    const pathOf = (node: NodeId) => tree.path(node).slice(start);
    const deep = this.#sized('Largest files', files.slice(0, room), pathOf, columns, look);
    return [...kinds, ...largest, ...(deep.length === 0 ? [] : [[], ...deep])];
  }

  /** Nothing of what would take too long. */
  #below(dir: NodeId): EntriesBelow {
    const { tree, settings } = this.#browser;
    const { isApparent } = settings.order;
    const key = `${dir} ${tree.version} ${isApparent}`;
    if (this.#known?.key === key) return this.#known;
    const size = (node: NodeId) => shownSize(tree, node, settings.order);
    const bytes = new Map<FileKind | 'other', number>();
    const all: NodeId[] = [];
    for (const node of tree.files(dir) <= MOST_FILES ? nodesBelow(tree, dir) : []) {
      if (tree.isDir(node)) continue;
      all.push(node);
      const kind = fileKind(tree.name(node)) ?? 'other';
      bytes.set(kind, (bytes.get(kind) ?? 0) + size(node));
    }
    const sums = [...bytes].sort(([, a], [, b]) => b - a);
    const isDeeper = all.some((node) => tree.parent(node) !== dir);
    const files = isDeeper ? all.sort((a, b) => size(b) - size(a)).slice(0, MOST_LARGEST) : [];
    const isFew = tree.childCount(dir) <= MOST_ENTRIES;
    const order = { ...LARGEST_FIRST, isApparent };
    const entries = isFew ? sortedChildren(tree, dir, order) : new Int32Array();
    this.#known = { key, entries, sums, files };
    return this.#known;
  }

  /** Entries with their sizes below a heading; nothing for none. */
  #sized(
    heading: string,
    nodes: readonly NodeId[],
    nameOf: (node: NodeId) => string,
    columns: number,
    { glyphs }: Look,
  ): readonly Line[] {
    const { tree, settings } = this.#browser;
    const sizes = nodes.map((node) => shownSize(tree, node, settings.order));
    const lines = nodes.map((node, at): Line => {
      const slash = tree.isDir(node) ? '/' : '';
      const room = columns - 10 - BAR_COLUMNS - 3;
      const name = cutMiddle(harmless(nameOf(node)), room, glyphs.ellipsis) + slash;
      const size = sizes[at] ?? 0;
      const share = sizeBar(tree, node, size, sizes[0] ?? 0, BAR_COLUMNS, glyphs);
      return sizedLine(size, share, span(`  ${name}`, toneOf(tree, node)));
    });
    return lines.length === 0 ? [] : [[span(heading, 'heading')], ...lines];
  }

  /** Files of a local disk are previewed by themselves; elsewhere that would be a request for each key. */
  #isReadable(): boolean {
    const { tree, restraint } = this.#browser;
    return tree.hasDisk && restraint !== 'imported';
  }

  #follow(node: NodeId | undefined): void {
    if (node === this.#previewed) return;
    this.#previewed = node;
    this.#head?.stop();
    this.#head = undefined;
    clearTimeout(this.#timer);
    const { tree, effects } = this.#browser;
    if (node === undefined || tree.isDir(node) || tree.isSpecial(node) || !this.#isReadable())
      return;
    this.#timer = setTimeout(() => {
      this.#head = new Fetched(this.#browser, (op) => effects.head(tree.path(node), op));
    }, REST_MS).unref();
  }
}

function kindLines(sums: EntriesBelow['sums'], { glyphs }: Look): readonly Line[] {
  const most = Math.max(1, sums[0]?.[1] ?? 1);
  const lines = sums.map(([kind, bytes]): Line => {
    const [bar, tone] = kind === 'other' ? (['bar', 'plain'] as const) : [kind, kind];
    const share = block(bytes / most, BAR_COLUMNS, glyphs, bar);
    return sizedLine(bytes, share, span(`  ${kind}`, tone));
  });
  return [[span('Kinds of files', 'section')], ...lines, []];
}

function sizedLine(bytes: number, share: Line, name: Span): Line {
  return [span(sizeText(bytes).padStart(10)), span(' '), ...share, name];
}
