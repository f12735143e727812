import type {
  HomeCommand,
  HomeContents,
  HomeRemote,
  HomeWorks,
  ItemPlace,
} from '../../src/run/home-entry.ts';
import { isFresh } from '../../src/state/home.ts';
import type { Key } from '../../src/terminal/key.ts';
import { StateScreen, stepByKey } from '../../src/terminal/state-screen.ts';
import {
  type HomeEffect,
  type HomeRule,
  type HomeState,
  homeItems,
  isOpenItem,
  listAt,
  type PageState,
  placeOf,
  shownRuns,
} from './home-item.ts';
import { homeKeys, takeMatches } from './home-keys.ts';

/** How often mounts and running runs are looked at, in milliseconds. */
const LOOK_MS = 3_000;

/** The same while runs go on. */
const RUNNING_MS = 1_000;

/** How many remotes are asked at once in the background. */
const ASKED_AT_ONCE = 8;

/** The home screen. Its result is what to run next; `undefined`: the user leaves. Rejects with `interrupted` by Ctrl-C. */
export class HomeModel extends StateScreen<HomeState, HomeEffect, HomeCommand | undefined> {
  readonly works: HomeWorks;
  /** What is shown; it changes while remotes and mounts answer. */
  contents: HomeContents;
  #isOver = false;
  #isWatching = false;
  /** The remotes that were in sight, those of them to ask, and how many are asked now. */
  readonly #seen = new Set<string>();
  readonly #waiting: HomeRemote[] = [];
  #workers = 0;

  constructor(contents: HomeContents, works: HomeWorks) {
    super(firstState(contents));
    this.contents = contents;
    this.works = works;
    const end = () => {
      this.#isOver = true;
    };
    this.result.then(end, end);
  }

  /** Asks the remotes in sight whose state is old, and watches mounts and running runs, until the screen is left. */
  watch(): void {
    this.#isWatching = true;
    this.#askVisible();
    void this.#lookAround();
    void this.works.readUndo().then(
      (undo) => this.#learn({ undo }),
      () => {},
    );
  }

  /** Asks the remotes in sight whose state is old, each once. */
  #askVisible(): void {
    const { state } = this;
    if (!this.#isWatching || state.at !== 'remotes') return;
    const { remotes, health, changedMs } = this.contents;
    const nowMs = this.works.nowMs();
    const withLogin = new Set(
      remotes.flatMap(({ name, login, via }) => (login === '' && via === undefined ? [] : [name])),
    );
    const [from, to] = [state.cursor - this.size.rows, state.cursor + this.size.rows];
    const inSight = homeItems(this.contents, state).slice(Math.max(0, from), to);
    for (const item of inSight) {
      if (item.kind !== 'remote' || this.#seen.has(item.remote.name)) continue;
      const { name, place, isKnown } = item.remote;
      this.#seen.add(name);
      // A login may be renewed by a question, and rclone be started by one: that is done for a key only.
      const behind = place.slice(0, Math.max(0, place.indexOf(':')));
      const isQuiet = isKnown && !withLogin.has(name) && !withLogin.has(behind);
      if (isQuiet && !isFresh(health.get(name), nowMs, changedMs)) this.#waiting.push(item.remote);
    }
    while (this.#workers < ASKED_AT_ONCE && this.#waiting.length > 0) void this.#askAll();
  }

  async #askAll(): Promise<void> {
    this.#workers++;
    const next = () => (this.#isOver ? undefined : this.#waiting.shift());
    for (let remote = next(); remote !== undefined; remote = next()) await this.#ask(remote);
    this.#workers--;
  }

  protected override changed(): void {
    super.changed();
    this.#askVisible();
  }

  keys(): readonly HomeRule[] {
    return homeKeys(this.contents, this.state, this.size);
  }

  /** The command that a key would run. */
  asked() {
    return this.state.at === 'sure' ? this.state.command : undefined;
  }

  /** Remotes are being asked or tested. */
  isWaiting(): boolean {
    const { state } = this;
    return this.contents.asking.size > 0 || (state.at === 'actions' && state.test === 'running');
  }

  protected override takeKey(key: Key) {
    return stepByKey(this.state, this.keys(), key);
  }

  protected override carryOut(effect: HomeEffect): void {
    if (effect.type === 'end') {
      const from = placeIn(this.contents, this.state);
      this.ended.resolve(effect.command && { ...effect.command, ...(from && { from }) });
    } else if (effect.type === 'test') {
      void this.works.test(effect.remote).then((test) => {
        const { state } = this;
        if (state.at !== 'actions' || state.test !== 'running') return;
        if (state.item.name === effect.remote) this.show({ ...state, test });
      });
    } else if (effect.type === 'ask') void this.#ask(effect.remote);
    else if (effect.type === 'pin') {
      const { path, isPinned } = effect;
      const others = this.contents.pins.filter((one) => one !== path);
      this.#learn({ pins: isPinned ? [...others, path] : others });
      this.works.pin(path, isPinned);
    } else if (effect.type === 'changes') void this.#readChanges(effect.id);
    else {
      const { words, typed } = effect;
      const matches = this.works.complete(words, typed).catch(() => []);
      void matches.then((found) => this.show(takeMatches(this.state, typed, found)));
    }
  }

  async #readChanges(id: string): Promise<void> {
    const changes = await this.works.readChanges(id).catch((thrown: Error) => [thrown.message]);
    const { state } = this;
    const add = (page: PageState) =>
      page.at === 'run' && page.run.id === id ? { ...page, changes } : page;
    this.show('back' in state ? { ...state, back: add(state.back) } : add(state));
  }

  async #ask(remote: HomeRemote): Promise<void> {
    const { name } = remote;
    if (this.contents.asking.has(name)) return;
    this.#learn({ asking: new Set([...this.contents.asking, name]) });
    const answer = await this.works.askRemote(remote);
    const { asking, health } = this.contents;
    this.#learn({
      asking: new Set([...asking].filter((one) => one !== name)),
      health: new Map([...health, [name, answer]]),
    });
  }

  async #lookAround(): Promise<void> {
    const { listMounts, listRunning } = this.works;
    const [mounts, running] = await Promise.all([
      listMounts().catch(() => []),
      listRunning().catch(() => []),
    ]);
    if (this.#isOver) return;
    const before = { mounts: this.contents.mounts, running: this.contents.running };
    const now = { mounts, running };
    if (JSON.stringify(now) !== JSON.stringify(before)) this.#learn(now);
    setTimeout(() => void this.#lookAround(), running.length > 0 ? RUNNING_MS : LOOK_MS).unref();
  }

  /** Takes news; the cursor stays on its item. */
  #learn(news: Partial<HomeContents>): void {
    const { state } = this;
    const page = 'back' in state ? state.back : state;
    const list = page.at === 'run' ? page.list : page;
    const filter = list.at === 'remotes' ? list : {};
    const before = homeItems(this.contents, filter);
    this.contents = { ...this.contents, ...news };
    const now = homeItems(this.contents, filter);
    const kept = <Page extends PageState>(shown: Page): Page =>
      shown.at === 'remotes'
        ? { ...shown, cursor: placeOf(before[shown.cursor], now, shown.cursor) }
        : shown.at === 'run'
          ? { ...shown, list: kept(shown.list) }
          : shown;
    this.show(state.at === 'sure' ? { ...state, back: kept(state.back) } : kept(state));
  }
}

function firstState(contents: HomeContents): HomeState {
  const { from, runs } = contents;
  const list = listAt(from, contents, from?.at);
  const item = homeItems(contents)[list.cursor];
  if (from?.isOpen !== true || item?.name !== from.name) return list;
  if (item.kind === 'page') {
    const cursor = Math.max(
      0,
      runs.findIndex(({ id }) => id === from.run),
    );
    return { at: 'runs', cursor };
  }
  return isOpenItem(item) ? { at: 'actions', item, cursor: 0 } : list;
}

/** The item that is shown. */
function placeIn(contents: HomeContents, state: HomeState): ItemPlace | undefined {
  switch (state.at) {
    case 'sure':
      return placeIn(contents, state.back);
    case 'ask':
    case 'actions':
      return { kind: state.item.kind, name: state.item.name, isOpen: true };
    case 'remotes': {
      const item = homeItems(contents, state)[state.cursor];
      return item && { kind: item.kind, name: item.name, isOpen: false, at: state.cursor };
    }
    case 'runs': {
      const run = shownRuns(contents, state)[state.cursor]?.id;
      return { kind: 'page', name: 'History', isOpen: true, run };
    }
    case 'run':
      return placeIn(contents, state.list);
  }
}
