import type { Key } from '../../src/terminal/key.ts';
import { StateScreen, stepByKey } from '../../src/terminal/state-screen.ts';
import {
  leaveMenu,
  type MenuDeed,
  type MenuEffect,
  type MenuEnd,
  type MenuPlan,
  type MenuStep,
  type MenuView,
  menuKeys,
  nothingDone,
} from './menu-keys.ts';

/** Something new about a deed that runs. */
export type MenuNews =
  | { readonly kind: 'plan'; readonly title: string; readonly steps: readonly string[] }
  | { readonly kind: 'step'; readonly index: number; readonly change: Partial<MenuStep> }
  | { readonly kind: 'undone'; readonly line: string };

export interface MenuWork {
  /** What a deed would do, or why it does nothing; never rejects. */
  look(deed: MenuDeed): Promise<MenuPlan | MenuEnd>;
  /** Carries out the plan that `look` gave last, and reports its progress; never rejects. */
  begin(deed: MenuDeed, tell: (news: MenuNews) => void): Promise<MenuEnd>;
  /** Asks what runs to end soon, and to undo what it did. */
  interrupt(): void;
}

/** The menu of the installer. Its result is how it ended. */
export class MenuModel extends StateScreen<MenuView, MenuEffect, MenuEnd> {
  readonly #work: MenuWork;
  #isLeaving = false;

  constructor(work: MenuWork) {
    super({ at: 'menu', cursor: 0, last: undefined });
    this.#work = work;
  }

  /** The keys that work now. */
  keys() {
    return menuKeys(this.state);
  }

  /** What is asked. */
  asked() {
    return this.state.at === 'ask' ? this.state.plan : undefined;
  }

  /** The process is asked to end: immediately from the menu, else when all is undone. */
  leave(code: number): void {
    this.apply(leaveMenu(this.state, nothingDone(code)));
  }

  protected override takeKey(key: Key) {
    return stepByKey(this.state, this.keys(), key);
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
    if ('steps' in plan) this.show({ ...this.state, at: 'ask', plan, first: 0 });
    else this.show({ ...worksOn(deed), end: plan });
  }

  async #begin(deed: MenuDeed): Promise<void> {
    this.show(worksOn(deed));
    const end = await this.#work.begin(deed, (news) => {
      if (this.state.at === 'work') this.show(withNews(this.state, news));
    });
    if (this.#isLeaving || this.state.at !== 'work') this.ended.resolve(end);
    else this.show({ ...this.state, end });
  }
}

function worksOn(deed: MenuDeed): MenuView & { at: 'work' } {
  const title = `${deed[0]?.toUpperCase()}${deed.slice(1)} webhook`;
  return { at: 'work', deed, title, steps: [], undone: [], end: undefined };
}

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
