import { type SyncerError, toSyncerError } from '../../src/core/errors.ts';
import type { Op } from '../../src/core/remote.ts';
import { cleanPath } from '../../src/core/remote-path.ts';
import { harmless } from '../../src/core/shown-text.ts';
import type { Key } from '../../src/terminal/key.ts';
import type { LendTerminal } from '../../src/terminal/screen-model.ts';
import { StateScreen, stepTo } from '../../src/terminal/state-screen.ts';
import type { BrowserSides, OtherPlace } from './browser.ts';
import type { BrowserModel } from './browser-model.ts';
import { joinTitle } from './entry-pages.ts';
import { TaskQueue } from './task-queue.ts';

/** Makes a browser that may have another one beside it. */
export type MakeSide = (sides: BrowserSides) => BrowserModel;

/**
 * One browser, or two side by side, or one behind the other where that is too narrow; the state is the one with the
 * keys.
 */
export class PairModel extends StateScreen<number, never> {
  readonly #open: (spec: string) => MakeSide;
  /** The one on the left first. */
  sides: readonly BrowserModel[] = [];
  /** Those that were closed, and the end of their scans. */
  readonly #closed: { side: BrowserModel; ended: Promise<void> }[] = [];
  /** Of all sides: what is asked for on one goes on while the other one is shown. */
  readonly #tasks: TaskQueue;
  #lend: LendTerminal | undefined;

  /** @param open makes a side for a path that the user typed @param nowMs milliseconds from any start */
  constructor(
    sides: readonly MakeSide[],
    open: (spec: string) => MakeSide,
    nowMs: () => number = () => performance.now(),
  ) {
    super(0);
    this.#open = open;
    const changed = () => {
      for (const side of this.sides) side.changed();
    };
    this.#tasks = new TaskQueue(changed, nowMs);
    this.result.catch(() => undefined);
    for (const make of sides) this.#add(make).result.then(this.ended.resolve, this.ended.reject);
  }

  isWaiting(): boolean {
    return this.sides.some((side) => side.isWaiting());
  }

  takeTerminal(lend: LendTerminal): void {
    this.#lend = lend;
    for (const side of this.sides) side.takeTerminal(lend);
  }

  keys() {
    return this.#active.keys();
  }

  /** What is asked on the side with the keys. */
  asked(): unknown {
    return this.#active.asked();
  }

  summary(): readonly string[] {
    const closed = this.#closed.flatMap(({ side }) => [...side.afterwards]);
    const [first, ...others] = this.sides;
    const more = others.flatMap((side) => [...side.afterwards]);
    return [...(first?.summary() ?? []), ...closed, ...more];
  }

  /** Stops all that runs; resolves to what was not done. */
  async close(): Promise<SyncerError | undefined> {
    const [first, ...others] = this.sides;
    const undone = first?.close();
    await Promise.all(this.#closed.map(({ ended }) => ended));
    await Promise.all(others.map((side) => side.closeScans()));
    return undone;
  }

  protected override takeKey(key: Key) {
    this.#active.press(key);
    return stepTo(this.state);
  }

  get #active(): BrowserModel {
    return this.sides[this.state] as BrowserModel;
  }

  /** Makes a side and puts it beside those that are there. */
  #add(make: MakeSide): BrowserModel {
    const other = () => this.sides.find((side) => side !== own);
    const own: BrowserModel = make({
      tasks: this.#tasks,
      isPair: () => other() !== undefined,
      switchTo: () => this.show(1 - this.state),
      place: () => {
        const there = other();
        return there && this.#placeOf(there);
      },
      open: (spec) => this.#openBeside(own, spec),
      closeOther: () => {
        const there = other();
        if (there === undefined) return;
        if (this.#tasks.unfinished === 0) this.#close(there);
        else own.tell('tasks are running: T shows them', 'warn');
      },
    });
    this.sides = [...this.sides, own];
    own.subscribe(() => this.changed());
    if (this.#lend !== undefined) own.takeTerminal(this.#lend);
    return own;
  }

  /** Opens a path beside a side. If it cannot be listed, the side says why and stays alone; closed by then, all ends. */
  #openBeside(own: BrowserModel, spec: string): void {
    const side = this.#add(this.#open(spec));
    this.show(this.sides.indexOf(side));
    side.result.then(this.ended.resolve, (thrown) => {
      if (!this.sides.includes(side)) return;
      const { code, message } = toSyncerError(thrown);
      if (code === 'interrupted' || !this.sides.includes(own)) return this.ended.reject(thrown);
      this.#close(side);
      own.tell(harmless(message), 'bad');
    });
  }

  #close(side: BrowserModel): void {
    this.sides = this.sides.filter((one) => one !== side);
    this.#closed.push({ side, ended: side.closeScans() });
    this.show(0);
  }

  #placeOf(other: BrowserModel): OtherPlace | undefined {
    const { spec, tree, rows, effects, marks } = other;
    const { dir } = rows;
    const path = tree.path(dir);
    if (cleanPath(path) !== path) return undefined;
    // A first scan that is under way may add them by itself.
    const isScanning = other.scan.state === 'running';
    const arrived = async (names: readonly string[], op: Op) => {
      if (other.scan.state === 'running' || isScanning || !this.sides.includes(other)) return;
      for (const name of names) await effects.lookAgain(dir, name, op);
      marks.prune();
      rows.refresh(true);
      other.changed();
    };
    return { spec: joinTitle(spec, path), arrived };
  }
}
