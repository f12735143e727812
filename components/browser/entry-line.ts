import { figure } from '../../src/core/counted.ts';
import type { KeptKind } from '../../src/core/entry-details.ts';
import { harmless } from '../../src/core/harmless.ts';
import { parentPath } from '../../src/core/remote-path.ts';
import type { Costs } from '../../src/size-tree/costs.ts';
import { type FileKind, fileKind } from '../../src/size-tree/file-kinds.ts';
import { type NodeId, nodesBelow } from '../../src/size-tree/node.ts';
import { pathScore } from '../../src/size-tree/path-score.ts';
import type { SizeTree } from '../../src/size-tree/size-tree.ts';
import { LARGEST_FIRST, shownSize, sortedChildren } from '../../src/size-tree/sort-order.ts';
import { block } from '../../src/terminal/bar.ts';
import { cut, cutLeft, cutMiddle, fill, fillLeft, lineWidth } from '../../src/terminal/cells.ts';
import { costText, shortCount, sizeText, timeText } from '../../src/terminal/figures.ts';
import type { Glyphs, Look } from '../../src/terminal/look.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import { type Line, type Span, span, type Tone } from '../../src/terminal/span.ts';
import { ago } from '../../src/terminal/time-texts.ts';
import type { Browser } from './browser.ts';
import type { BrowserSettings } from './browser-settings.ts';
import { detailLines, isOld, previewLines, scannedDetails } from './entry-pages.ts';
import type { Growth } from './growth.ts';
import { markSpans } from './row-list.tsx';

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
  const line: Span[] = [
    ...markSpans(selected, glyphs, marked),
    span(sign, sign === '!' ? 'bad' : 'warn'),
    span(sizeColumn(tree, node, settings)),
  ];
  let room = columns - lineWidth(line) - 2;
  for (const { width, spans } of entryFigures(settings, columns)) {
    room -= width + 1;
    line.push(span(' '), ...spans(tree, node, look));
  }
  const name = nameText(tree, node, room, glyphs.ellipsis);
  line.push(span(`  ${name}`, toneOf(tree, node), marked));
  return line;
}

/** What an entry is, as a tone: a directory, or a kind of file. */
function toneOf(tree: SizeTree, node: NodeId): Tone {
  if (tree.isExcluded(node)) return 'dim';
  return tree.isDir(node) ? 'dir' : (fileKind(tree.name(node)) ?? 'plain');
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

/** What an entry's line is made of besides the entry. */
interface EntryLook {
  readonly settings: BrowserSettings;
  readonly columns: number;
  readonly glyphs: Glyphs;
  readonly marked: boolean;
  readonly selected: boolean;
  /** Size of the largest entry of the directory, and of all together. */
  readonly largest: number;
  readonly whole: number;
}

/** Pointer, mark and sign. */
const SIGN_COLUMNS = 3;
/** A column between size and name. */
interface Figure {
  readonly heading: string;
  readonly width: number;
  readonly spans: (tree: SizeTree, node: NodeId, look: EntryLook) => Line;
}

const PERCENT: Figure = {
  heading: '',
  width: 4,
  spans: (tree, node, { settings, whole }) => {
    const share = (100 * shownSize(tree, node, settings.order)) / whole;
    const isShown = !tree.isExcluded(node) && whole > 0;
    const text = share > 0 && share < 0.5 ? '<1%' : `${Math.round(share)}%`;
    return [span(fillLeft(isShown ? text : '', 4), 'dim')];
  },
};

/** What an entry has grown by since a scan of before. */
function growthOf(growth: Growth): Figure {
  return {
    heading: growth.since,
    width: 10,
    spans: (tree, node, { settings }) => {
      const by = growth.of(tree, node, settings.order);
      if (by === undefined || by === 0) return [span(' '.repeat(10))];
      if (by === 'new') return [span(fillLeft('new', 10), 'warn')];
      const text = `${by < 0 ? '-' : '+'}${sizeText(Math.abs(by))}`;
      return [span(fillLeft(text, 10), by > 0 ? 'warn' : 'good')];
    },
  };
}

const COUNT: Figure = {
  heading: 'files',
  width: 6,
  spans: (tree, node) => {
    const count = tree.isDir(node) ? shortCount(tree.files(node)) : '';
    return [span(fillLeft(count, 6), 'dim')];
  },
};

const AVERAGE: Figure = {
  heading: 'average',
  width: 9,
  spans: (tree, node) => {
    const average = tree.isDir(node) ? sizeText(tree.average(node), false) : '';
    return [span(fillLeft(average, 9), 'dim')];
  },
};

const TIME: Figure = {
  heading: 'modified',
  width: 16,
  spans: (tree, node) => [span(timeText(tree.timeMs(node)), 'dim')],
};

const AGE: Figure = {
  heading: 'age',
  width: 6,
  spans: (tree, node) => {
    const time = tree.timeMs(node);
    const age = Number.isNaN(time) ? '' : ago(Date.now() - time).replace(' ago', '');
    return [span(fillLeft(age, 6), 'dim')];
  },
};

const CLASS: Figure = {
  heading: 'class       ',
  width: 12,
  spans: (tree, node, { glyphs }) => {
    const name = tree.isDir(node) ? '' : (tree.objects.classes[tree.objects.classOf(node)] ?? '');
    return [span(fill(harmless(name), 12, glyphs.ellipsis), 'dim')];
  },
};

function costOf(costs: Costs): Figure {
  const { currency } = costs;
  return {
    heading: cut(`${harmless(currency) || 'cost'}/month`, 11),
    width: 11,
    spans: (_, node) => [span(fillLeft(costText(costs.of(node)), 11), 'dim')],
  };
}

/** Whether the list has columns that need a heading. */
export function hasColumns(settings: BrowserSettings, columns: number): boolean {
  return entryFigures(settings, columns).some(({ heading }) => heading !== '');
}

function barOf(width: number): Figure {
  return {
    heading: '',
    width,
    spans: (tree, node, { settings, largest, glyphs }) =>
      sizeBar(tree, node, shownSize(tree, node, settings.order), largest, width, glyphs),
  };
}

/** The columns that fit beside the names, which have at least 12 columns, in narrow lists 14. */
function entryFigures(settings: BrowserSettings, columns: number): readonly Figure[] {
  const { graph, counts, average, times, classes, costs, human, growth } = settings;
  const [most = 0, least = 0] = columns >= 80 ? [16, 12] : columns >= 60 ? [10, 12] : [5, 14];
  let room = columns - SIGN_COLUMNS - (human ? 10 : 20) - 2;
  const all = [
    ...(graph.includes('percent') ? [PERCENT] : []),
    ...(graph.includes('bar') ? [barOf(most)] : []),
    ...(growth === undefined ? [] : [growthOf(growth)]),
    ...(counts ? [COUNT] : []),
    ...(average ? [AVERAGE] : []),
    ...(times === 'none' ? [] : [times === 'time' ? TIME : AGE]),
    ...(classes && costs !== undefined ? [costOf(costs)] : []),
    ...(classes ? [CLASS] : []),
  ];
  return all.filter(({ width }) => {
    const fits = room - width - 1 >= least;
    if (fits) room -= width + 1;
    return fits;
  });
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

/** What is known of the files below a directory. */
interface FilesBelow {
  /** The bytes of each kind, the most first. */
  readonly sums: readonly (readonly [FileKind | 'other', number])[];
  /** The largest files, if not all of them lie in the directory itself. */
  readonly largest: readonly NodeId[];
}

/** The pane has no room for more. */
const MOST_LARGEST = 40;

/** What stands beside the list: all that is known of the entry under the cursor, and what it begins with. */
export class EntryPane {
  readonly #browser: Browser;
  #sorted: { readonly key: string; readonly nodes: Int32Array } | undefined;
  #summed: (FilesBelow & { readonly key: string }) | undefined;
  #previewed: NodeId | undefined;
  #head: Buffer | undefined;
  #ending = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** The lines for the entry under the cursor; `undefined`: there is none. */
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
    const below = tree.isDir(node)
      ? this.#inside(node, { columns, rows: room }, look)
      : isOld(tree.keptKind(node))
        ? []
        : this.#preview(columns);
    return [...lines, ...below.slice(0, room)];
  }

  /** The kinds of files in a directory, if there are several, its largest entries, and the largest files below it. */
  #inside(dir: NodeId, { columns, rows }: Size, look: Look): readonly Line[] {
    const kinds = rows < LEAST_FOR_KINDS ? [] : this.#kinds(dir, columns, look);
    const largest = this.#largest(dir, columns, rows - kinds.length - 1, look);
    const room = rows - kinds.length - largest.length - 2;
    const files = room < 1 ? [] : this.#filesBelow(dir).largest.slice(0, room);
    if (files.length === 0) return [...kinds, ...largest];
    const { tree } = this.#browser;
    const start = tree.path(dir).length + 1;
    const nameOf = (node: NodeId) => tree.path(node).slice(start);
    return [
      ...kinds,
      ...largest,
      [],
      ...this.#sized('Largest files', files, nameOf, columns, look),
    ];
  }

  #kinds(dir: NodeId, columns: number, look: Look): readonly Line[] {
    const { sums } = this.#filesBelow(dir);
    if (sums.length < 2) return [];
    const most = sums[0]?.[1] ?? 1;
    const lines = sums.map(([kind, bytes]): Line => {
      const tone = kind === 'other' ? 'bar' : kind;
      return [
        span(sizeText(bytes).padStart(10)),
        span(' '),
        ...block(bytes / Math.max(1, most), BAR_COLUMNS, look.glyphs, tone),
        span(
          `  ${cut(kind, Math.max(1, columns - 10 - BAR_COLUMNS - 3))}`,
          kind === 'other' ? 'plain' : kind,
        ),
      ];
    });
    return [[span('Kinds of files', 'section')], ...lines, []];
  }

  /** Nothing of a directory with very many files. */
  #filesBelow(dir: NodeId): FilesBelow {
    const { tree, settings } = this.#browser;
    const key = `${dir} ${tree.version} ${settings.order.isApparent}`;
    if (this.#summed?.key === key) return this.#summed;
    const bytes = new Map<FileKind | 'other', number>();
    const files: NodeId[] = [];
    if (tree.files(dir) <= MOST_FILES) {
      for (const node of nodesBelow(tree, dir)) {
        if (tree.isDir(node)) continue;
        files.push(node);
        const kind = fileKind(tree.name(node)) ?? 'other';
        bytes.set(kind, (bytes.get(kind) ?? 0) + shownSize(tree, node, settings.order));
      }
    }
    const sums = [...bytes].sort(([, a], [, b]) => b - a);
    const size = (node: NodeId) => shownSize(tree, node, settings.order);
    const isDeeper = files.some((node) => tree.parent(node) !== dir);
    const largest = isDeeper ? files.sort((a, b) => size(b) - size(a)).slice(0, MOST_LARGEST) : [];
    this.#summed = { key, sums, largest };
    return this.#summed;
  }

  #largest(dir: NodeId, columns: number, count: number, look: Look): readonly Line[] {
    const { tree } = this.#browser;
    const total = tree.childCount(dir);
    if (total === 0) return [];
    if (total > MOST_ENTRIES) {
      return [[span(`${figure(total)} entries; open it to see the largest`, 'dim')]];
    }
    const found = Array.from(this.#sortedChildren(dir).subarray(0, count));
    return this.#sized('Largest', found, (node) => tree.name(node), columns, look);
  }

  /** Entries with their sizes below a heading. */
  #sized(
    heading: string,
    nodes: readonly NodeId[],
    nameOf: (node: NodeId) => string,
    columns: number,
    look: Look,
  ): readonly Line[] {
    const { tree, settings } = this.#browser;
    const size = (node: NodeId) => shownSize(tree, node, settings.order);
    const most = nodes[0] === undefined ? 0 : size(nodes[0]);
    return [
      [span(heading, 'heading')],
      ...nodes.map((node): Line => {
        const slash = tree.isDir(node) ? '/' : '';
        const room = columns - 10 - BAR_COLUMNS - 3;
        const name = cutMiddle(harmless(nameOf(node)), room, look.glyphs.ellipsis) + slash;
        return [
          span(sizeText(size(node)).padStart(10)),
          span(' '),
          ...sizeBar(tree, node, size(node), most, BAR_COLUMNS, look.glyphs),
          span(`  ${name}`, toneOf(tree, node)),
        ];
      }),
    ];
  }

  /** Sorted once as long as nothing changes: a frame is drawn for each key. */
  #sortedChildren(dir: NodeId): Int32Array {
    const { tree, settings } = this.#browser;
    const { isApparent } = settings.order;
    const key = `${dir} ${tree.version} ${isApparent}`;
    if (this.#sorted?.key === key) return this.#sorted.nodes;
    const nodes = sortedChildren(tree, dir, { ...LARGEST_FIRST, isApparent });
    this.#sorted = { key, nodes };
    return nodes;
  }

  #preview(columns: number): readonly Line[] {
    if (this.#head !== undefined) return previewLines(this.#head, columns);
    return this.#isReadable() ? [] : [[span('o previews the file', 'dim')]];
  }

  /** Files of a local disk are previewed by themselves; elsewhere that would be a request for each key. */
  #isReadable(): boolean {
    const { tree, restraint } = this.#browser;
    return tree.hasDisk && restraint !== 'imported';
  }

  #follow(node: NodeId | undefined): void {
    if (node === this.#previewed) return;
    this.#previewed = node;
    this.#head = undefined;
    this.#ending.abort(new Error('the cursor moved on'));
    clearTimeout(this.#timer);
    const { tree } = this.#browser;
    if (node === undefined || tree.isDir(node) || tree.isSpecial(node)) return;
    if (this.#isReadable()) this.#timer = setTimeout(() => this.#read(node), REST_MS).unref();
  }

  #read(node: NodeId): void {
    const { tree, effects } = this.#browser;
    const ending = new AbortController();
    this.#ending = ending;
    effects.head(tree.path(node), { signal: ending.signal }).then(
      (head) => {
        if (ending.signal.aborted) return;
        this.#head = head;
        this.#browser.changed();
      },
      () => {},
    );
  }
}
