import type { SyncerError } from '../core/errors.ts';
import { harmless } from '../core/harmless.ts';
import type { Op } from '../core/remote.ts';
import { cleanPath } from '../core/remote-path.ts';
import { cutLeft, fitLine } from '../screen/cells.ts';
import type { Key } from '../screen/key.ts';
import type { Look } from '../screen/look.ts';
import type { FrameLine, ScreenFrame } from '../screen/screen-frame.ts';
import { contentRows, layoutOf } from '../screen/screen-layout.ts';
import type { LendTerminal, Size } from '../screen/screen-model.ts';
import { type Line, span } from '../screen/span.ts';
import { StateScreen, stepTo } from '../screen/state-screen.ts';
import type { Beside, BrowserScreen } from './browser.ts';
import type { BrowserModel } from './browser-model.ts';
import { joinTitle } from './entry-pages.ts';

/** Makes a browser, beside another one where that is given. */
export type MakeSide = (beside?: Beside) => BrowserModel;

/** Two browsers side by side, or one behind the other where that is too narrow; the state is the one with the keys. */
export class PairModel extends StateScreen<number, never> implements BrowserScreen {
  readonly #sides: readonly [BrowserModel, BrowserModel];

  constructor(left: MakeSide, right: MakeSide) {
    super(0);
    this.#sides = [left(this.#besideOf(0)), right(this.#besideOf(1))];
    for (const side of this.#sides) {
      side.subscribe(() => this.changed());
      side.result.then(this.ended.resolve, this.ended.reject);
    }
    this.result.catch(() => undefined);
  }

  get isBlank(): boolean {
    return this.#sides.some(({ isBlank }) => isBlank);
  }

  override takesText(): boolean {
    return this.#active.takesText();
  }

  takeTerminal(lend: LendTerminal): void {
    for (const side of this.#sides) side.takeTerminal(lend);
  }

  /** The keys that work now. */
  keys() {
    return this.#active.keys();
  }

  /** What is to be drawn. */
  frame(size: Size, look: Look): ScreenFrame {
    const top = this.#active.frame(size, look);
    const { isWide, inner, pane } = layoutOf(size, true, true);
    const isList = this.#active.depth === (top.box === undefined ? 1 : 2);
    if (!isWide || !isList) {
      return { ...top, aside: `${this.state === 0 ? 'left' : 'right'}  ${top.aside}` };
    }
    const rows = contentRows(inner, 1);
    const [left, right] = [inner.columns, pane].map((columns, at) =>
      this.#half(at, { columns, rows }, look),
    ) as [readonly FrameLine[], readonly FrameLine[]];
    return {
      ...top,
      subject: '',
      lines: left,
      pane: right.map(({ line }) => line),
      paneList: right,
    };
  }

  summary(): readonly string[] {
    return this.#sides.flatMap((side) => side.summary());
  }

  async close(): Promise<SyncerError | undefined> {
    const [left, right] = await Promise.all(this.#sides.map((side) => side.close()));
    return left ?? right;
  }

  protected override takeKey(key: Key) {
    this.#active.press(key);
    return stepTo(this.state);
  }

  protected override carryOut(): void {}

  get #active(): BrowserModel {
    return this.#sides[this.state] as BrowserModel;
  }

  /** The lines of one side: where it is, and its list. */
  #half(at: number, { columns, rows }: Size, look: Look): readonly FrameLine[] {
    const side = this.#sides[at] as BrowserModel;
    const isActive = at === this.state;
    const path = harmless(joinTitle(side.title, side.tree.path(side.rows.dir)));
    const { ellipsis } = look.glyphs;
    const head: Line = [span(cutLeft(path, columns, ellipsis), isActive ? 'title' : 'dim')];
    // A list leaves room for a title, a status and keys.
    const { lines } = side.listFrame({ columns, rows: rows + 2 }, look);
    const shown = lines.map(({ line, selected = false, ...place }) => ({
      ...{ line: fitLine(line, columns, ellipsis), ...place },
      selected: selected && isActive,
    }));
    return [{ line: head }, ...shown];
  }

  #besideOf(at: number): Beside {
    const other = () => this.#sides[1 - at] as BrowserModel;
    return {
      switchTo: () => this.show(1 - this.state),
      unfinished: () => other().tasks.unfinished,
      place() {
        const { title, tree, rows, scan, effects, marks } = other();
        const { dir } = rows;
        const path = tree.path(dir);
        if (cleanPath(path) !== path) return undefined;
        const arrived = async (names: readonly string[], op: Op) => {
          // A first scan that is under way may add them by itself.
          if (other().scan.state === 'running' || scan.state === 'running') return;
          for (const name of names) await effects.lookAgain(dir, name, op);
          marks.prune();
          rows.refresh(true);
          other().changed();
        };
        return { spec: joinTitle(title, path), arrived };
      },
    };
  }
}
