import { harmless } from '../../src/core/harmless.ts';
import { cellWidth, cut, cutMiddle, wrap } from '../../src/terminal/cells.ts';
import { cursorList } from '../../src/terminal/cursor-list.ts';
import { ENOUGH_LINES } from '../../src/terminal/drawn-question.ts';
import { helpPage } from '../../src/terminal/help-lines.ts';
import type { Key } from '../../src/terminal/key.ts';
import type { Glyphs, Look } from '../../src/terminal/look.ts';
import type { ScreenFrame } from '../../src/terminal/screen-frame.ts';
import { contentRows, layoutOf } from '../../src/terminal/screen-layout.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import { type Line, span, type Tone } from '../../src/terminal/span.ts';
import { StateScreen } from '../../src/terminal/state-screen.ts';
import {
  leaveMenu,
  MENU_ITEMS,
  type MenuDeed,
  type MenuEffect,
  type MenuEnd,
  type MenuPlan,
  type MenuStep,
  type MenuView,
  menuKeys,
  nothingDone,
  planLines,
  takeMenuKey,
} from './menu-keys.ts';

/** Something new about a deed that runs. */
export type MenuNews =
  | { readonly kind: 'plan'; readonly title: string; readonly steps: readonly string[] }
  | { readonly kind: 'step'; readonly index: number; readonly change: Partial<MenuStep> }
  | { readonly kind: 'undone'; readonly line: string };

/** Who does what is chosen. */
export interface MenuWork {
  /** What a deed would do, or why it does nothing; never rejects. */
  look(deed: MenuDeed): Promise<MenuPlan | MenuEnd>;
  /** Does it, and reports its progress; never rejects. */
  begin(deed: MenuDeed, tell: (news: MenuNews) => void): Promise<MenuEnd>;
  /** Asks what runs to end soon, and to undo what it did. */
  interrupt(): void;
}

/** The menu of the installer. Its result is how it ended. */
export class MenuModel extends StateScreen<MenuView, MenuEffect, MenuEnd> {
  readonly #work: MenuWork;
  #isLeaving = false;

  constructor(work: MenuWork) {
    super({ at: 'menu', cursor: 0 });
    this.#work = work;
  }

  /** The keys that work now. */
  keys() {
    return menuKeys(this.state);
  }

  /** What is to be drawn. */
  frame(size: Size, look: Look): ScreenFrame {
    return menuFrame(this.state, size, look);
  }

  /** The process is asked to end: immediately from the menu, else when all is undone. */
  leave(code: number): void {
    this.apply(leaveMenu(this.state, nothingDone(code)));
  }

  protected override takeKey(key: Key) {
    return takeMenuKey(this.state, key);
  }

  protected override carryOut(effect: MenuEffect): void {
    switch (effect.type) {
      case 'look':
        void this.#look(effect.deed);
        return;
      case 'begin':
        void this.#begin(effect.deed);
        return;
      case 'interrupt':
        this.#isLeaving = true;
        this.#work.interrupt();
        return;
      case 'end':
        this.ended.resolve(effect.end);
    }
  }

  async #look(deed: MenuDeed): Promise<void> {
    const plan = await this.#work.look(deed);
    if (this.state.at !== 'look') return;
    if ('steps' in plan) this.show({ at: 'ask', deed, plan, first: 0 });
    else this.show({ at: 'work', title: titleOf(deed), steps: [], undone: [], end: plan });
  }

  async #begin(deed: MenuDeed): Promise<void> {
    this.show({ at: 'work', title: titleOf(deed), steps: [], undone: [], end: undefined });
    const end = await this.#work.begin(deed, (news) => {
      if (this.state.at === 'work') this.show(withNews(this.state, news));
    });
    if (this.#isLeaving || this.state.at !== 'work') this.ended.resolve(end);
    else this.show({ ...this.state, end });
  }
}

const titleOf = (deed: MenuDeed) => `${deed === 'install' ? 'Install' : 'Uninstall'} webhook`;

function withNews(view: MenuView & { at: 'work' }, news: MenuNews): MenuView {
  switch (news.kind) {
    case 'plan': {
      const steps = news.steps.map((text): MenuStep => ({ text, state: 'waiting', note: '' }));
      return { ...view, title: news.title, steps };
    }
    case 'undone':
      return { ...view, undone: [...view.undone, news.line] };
    case 'step': {
      const step = view.steps[news.index];
      if (step === undefined) return view;
      return { ...view, steps: view.steps.with(news.index, { ...step, ...news.change }) };
    }
  }
}

/** The installer: its menu, what would be done, then the steps of what was chosen. */
function menuFrame(view: MenuView, size: Size, look: Look): ScreenFrame {
  const { glyphs } = look;
  const { inner, pane } = layoutOf(size, view.at !== 'work');
  const room = { columns: inner.columns, rows: contentRows(inner) };
  const common = { aside: '', hints: menuKeys(view) };
  const plain = (lines: readonly Line[]) => lines.map((line) => ({ line }));
  if (view.at === 'keys') {
    const lines = helpPage(menuKeys({ ...view, at: 'menu' }), 0, room, look);
    return { ...common, subject: 'keys', lines };
  }
  if (view.at === 'work') {
    const lines = workLines(view, room.columns, glyphs).slice(-room.rows);
    return { ...common, subject: view.title, lines: plain(lines) };
  }
  const isAsked = view.at === 'ask';
  const columns = pane === 0 ? room.columns : room.columns - 6;
  const rows = pane === 0 ? room.rows : Math.floor(room.rows * 0.8) - 2;
  const question = isAsked ? questionLines(view, columns) : [];
  const shown = question.slice(0, rows);
  const asked = question.slice(0, ENOUGH_LINES);
  const subject = 'installer';
  if (isAsked && pane === 0) return { ...common, subject, lines: plain(shown), asked };
  const cursor =
    view.at === 'menu' ? view.cursor : MENU_ITEMS.findIndex(({ deed }) => deed === view.deed);
  const item = MENU_ITEMS[cursor];
  return {
    ...common,
    subject,
    opens: view.at === 'menu',
    lines: [{ line: [span(' ')] }, ...itemLines(cursor, room, glyphs)],
    ...(isAsked ? { box: shown, asked } : {}),
    ...(view.at === 'look' ? { status: [span('Reading the current state', 'dim')] } : {}),
    ...(pane === 0 || item === undefined ? {} : { pane: aboutLines(item, pane) }),
  };
}

function itemLines(cursor: number, { columns, rows }: Size, glyphs: Glyphs) {
  const width = Math.max(...MENU_ITEMS.map(({ label }) => label.length));
  const size = { columns, rows: Math.max(1, rows - 1) };
  return cursorList(MENU_ITEMS, cursor, size, glyphs, ({ key, label, note }, selected) => [
    span(`${key}  `, 'accent'),
    span(label.padEnd(width), 'plain', selected),
    span(`  ${note}`, 'dim'),
  ]);
}

function aboutLines({ label, about }: (typeof MENU_ITEMS)[number], columns: number): Line[] {
  const text = (words: string): Line[] => wrap(words, columns).map((line) => [span(line)]);
  return [[span(label, 'section')], ...text(about)];
}

/** What would be done, and whether to do it. */
function questionLines(
  { plan, first }: MenuView & { readonly at: 'ask' },
  columns: number,
): readonly Line[] {
  const lines = planLines(plan).flatMap((text, at): Line[] =>
    wrap(harmless(text), columns).map((line) => [
      span(line, at < plan.notes.length ? 'warn' : 'plain'),
    ]),
  );
  return [[span(`${plan.title}? y/n`, 'section')], [span(' ')], ...lines.slice(first)];
}

/** The steps with how far they are, what was undone, and how it ended. */
function workLines(
  { steps, undone, end }: MenuView & { readonly at: 'work' },
  columns: number,
  glyphs: Glyphs,
): readonly Line[] {
  const lines: Line[] = [
    ...steps.flatMap((step) => stepLines(step, columns, glyphs)),
    ...undone.map((text) => [span(cut(`  ${harmless(text)}`, columns, glyphs.ellipsis), 'warn')]),
  ];
  if (end === undefined) return lines;
  const tone: Tone = end.code === 0 ? 'good' : 'bad';
  const text = end.lines.flatMap((line) => wrap(harmless(line), columns));
  const gap: Line[] = lines.length > 0 ? [[span(' ')]] : [];
  return [...lines, ...gap, ...text.map((line) => [span(line, tone)])];
}

function stepLines({ text, state, note }: MenuStep, columns: number, glyphs: Glyphs): Line[] {
  const [mark, tone] = markOf(state, glyphs);
  const room = columns - 3;
  const behind = note === '' ? '' : `: ${harmless(note)}`;
  if (state === 'warned') {
    const wrapped = wrap(`${harmless(text)}${behind}`, room);
    return wrapped.map((line, at) => [span((at === 0 ? mark : '').padEnd(3), tone), span(line)]);
  }
  // How far it is matters more than the middle of an address.
  const kept = Math.max(Math.min(20, room), room - cellWidth(behind));
  const words = `${cutMiddle(harmless(text), kept, glyphs.ellipsis)}${behind}`;
  const shown = span(cut(words, room, glyphs.ellipsis), state === 'waiting' ? 'dim' : 'plain');
  return [[span(mark.padEnd(3), tone), shown]];
}

function markOf(state: MenuStep['state'], glyphs: Glyphs): readonly [string, Tone] {
  if (state === 'done') return [glyphs.tick, 'good'];
  if (state === 'failed') return [glyphs.cross, 'bad'];
  if (state === 'warned') return ['!', 'warn'];
  return state === 'running' ? [glyphs.arrow, 'accent'] : [' ', 'dim'];
}
