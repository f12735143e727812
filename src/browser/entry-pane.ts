import { harmless } from '../core/harmless.ts';
import { figure } from '../kit/counted.ts';
import { cutMiddle } from '../screen/cells.ts';
import type { Look } from '../screen/look.ts';
import type { Size } from '../screen/screen-model.ts';
import { type Line, span } from '../screen/span.ts';
import type { NodeId } from '../size-tree/node.ts';
import { LARGEST_FIRST, shownSize, sortedChildren } from '../size-tree/sort-order.ts';
import type { Browser } from './browser.ts';
import { sizeBar } from './entry-line.ts';
import { detailLines, isOld, previewLines, scannedDetails } from './entry-pages.ts';

import { sizeText } from './figures.ts';

/** Directories with more entries do not show the largest of them: finding them would take longer than a key may. */
const MOST_ENTRIES = 20_000;

/** How long the cursor rests on a file before its beginning is read, in milliseconds. */
const REST_MS = 150;

const BAR_COLUMNS = 10;

/** What stands beside the list: all that is known of the entry under the cursor, and what it begins with. */
export class EntryPane {
  readonly #browser: Browser;
  #sorted: { readonly key: string; readonly nodes: Int32Array } | undefined;
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
      ? this.#largest(node, columns, room - 1, look)
      : isOld(tree.keptKind(node))
        ? []
        : this.#preview(columns);
    return [...lines, ...below.slice(0, room)];
  }

  #largest(dir: NodeId, columns: number, count: number, look: Look): readonly Line[] {
    const { tree, settings } = this.#browser;
    const total = tree.childCount(dir);
    if (total === 0) return [];
    if (total > MOST_ENTRIES) {
      return [[span(`${figure(total)} entries; open it to see the largest`, 'dim')]];
    }
    const size = (node: NodeId) => shownSize(tree, node, settings.order);
    const found = Array.from(this.#sortedChildren(dir).subarray(0, count));
    const most = size(found[0] ?? dir);
    return [
      [span('Largest', 'heading')],
      ...found.map((node): Line => {
        const slash = tree.isDir(node) ? '/' : '';
        const room = columns - 10 - BAR_COLUMNS - 3;
        const name = cutMiddle(harmless(tree.name(node)), room, look.glyphs.ellipsis) + slash;
        return [
          span(sizeText(size(node)).padStart(10)),
          span(' '),
          ...sizeBar(tree, node, size(node), most, BAR_COLUMNS, look.glyphs),
          span(`  ${name}`, tree.isDir(node) ? 'dir' : 'plain'),
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
