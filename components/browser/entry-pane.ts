import { figure, harmless } from '../../src/core/shown-text.ts';
import { type FileKind, fileKind } from '../../src/size-tree/file-kinds.ts';
import { type NodeId, nodesBelow } from '../../src/size-tree/node.ts';
import { LARGEST_FIRST, shownSize, sortedChildren } from '../../src/size-tree/sort-order.ts';
import { block } from '../../src/terminal/bar.ts';
import { cutMiddle } from '../../src/terminal/cells.ts';
import { sizeText } from '../../src/terminal/figures.ts';
import type { Look } from '../../src/terminal/look.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import { type Line, type Span, span } from '../../src/terminal/span.ts';
import type { Browser } from './browser.ts';
import { sizeBar, toneOf } from './entry-line.ts';
import { detailLines, Fetched, isOld, previewLines, scannedDetails } from './entry-pages.ts';

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
