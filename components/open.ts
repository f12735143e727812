/**
 * The only way to the screens. Nothing of Ink or React is loaded before one is shown; everything outside this folder
 * imports this file and no other. Each resolves when the user leaves, and rejects if the signal of its terminal is aborted.
 */

import type { ComponentType } from 'react';
import type { WizardParts } from '../src/config/dialogue/step.ts';
import type { HomeCommand, HomeContents, HomeWorks } from '../src/run/home-entry.ts';
import type { RunningSummary } from '../src/run/presence/running-text.ts';
import type { ReviewContents, ReviewResult } from '../src/run/review/review-state.ts';
import type { KeyedScreen, ScreenTerminal } from '../src/terminal/screen-model.ts';
import type { PairModel } from './browser/pair-model.ts';
import type { WizardModel } from './config/wizard-model.ts';
import type { HomeModel } from './home/home-model.ts';
import type { HookServer, HooksModel } from './hooks/hooks-model.ts';
import type { MenuEnd } from './installer/menu-keys.ts';
import type { MenuModel } from './installer/menu-model.ts';
import type { ReviewModel } from './review/review-model.ts';
import type { ScreenViewProps } from './ui/screen.tsx';

export type { MakeSide, PairModel } from './browser/pair-model.ts';
export type { MenuDeed, MenuEnd, MenuPlan } from './installer/menu-keys.ts';
export type { MenuNews, MenuWork } from './installer/menu-model.ts';

/** The home screen; resolves to what to run next, `undefined` when the user leaves. */
export async function openHomeScreen(
  contents: HomeContents,
  works: HomeWorks,
  terminal: ScreenTerminal,
) {
  const { HomeModel } = await import('./home/home-model.ts');
  const { HomeView } = await import('./home/home-view.tsx');
  const model = new HomeModel(contents, works);
  model.watch();
  return showView<HomeCommand | undefined, HomeModel>(model, HomeView, '', terminal);
}

/** The wizard of the configuration; resolves to what one dialogue did, in a line, or to `''`. */
export async function openConfigWizard(parts: WizardParts, terminal: ScreenTerminal) {
  // Before the screen, so that a password can be asked for.
  const world = await parts.look();
  const { WizardModel } = await import('./config/wizard-model.ts');
  const { WizardView } = await import('./config/wizard-view.tsx');
  const model = new WizardModel(parts, world);
  return showView<string, WizardModel>(model, WizardView, 'config', terminal);
}

/** The models of the browser: of one side, and of one or two of them. */
export async function loadBrowser() {
  const { BrowserModel } = await import('./browser/browser-model.ts');
  const { PairModel } = await import('./browser/pair-model.ts');
  return { BrowserModel, PairModel };
}

/** The browser of sizes. Rejects where what is browsed cannot be listed. */
export async function openSizeBrowser(model: PairModel, terminal: ScreenTerminal) {
  const { BrowserView } = await import('./browser/browser-view.tsx');
  return showView<void, PairModel>(model, BrowserView, 'ncdu', terminal);
}

/** The menu of the installer as text, and what a line that is typed there means. */
export async function loadMenuText() {
  const { MENU_TEXT, menuChoice } = await import('./installer/menu-keys.ts');
  return { MENU_TEXT, menuChoice };
}

/** The model of the menu of the installer. */
export async function loadInstallerMenu() {
  const { MenuModel } = await import('./installer/menu-model.ts');
  return MenuModel;
}

/** The menu of the installer; resolves to how what was chosen in it ended. */
export async function openInstallerMenu(model: MenuModel, terminal: ScreenTerminal) {
  const { InstallerView } = await import('./installer/installer-view.tsx');
  return showView<MenuEnd, MenuModel>(model, InstallerView, 'webhook', terminal);
}

/** Which of several running runs to show; resolves to its id, `undefined` when the user leaves. */
export async function openRunList(
  runs: readonly RunningSummary[],
  nowMs: number,
  terminal: ScreenTerminal,
) {
  const { RunListModel, RunListView } = await import('./home/run-list.tsx');
  const model = new RunListModel(runs, nowMs);
  return showView<string | undefined, typeof model>(model, RunListView, 'attach', terminal);
}

/** The plan of a run; resolves to the changes to make, `undefined` when the user leaves. */
export async function openReviewScreen(contents: ReviewContents, terminal: ScreenTerminal) {
  const { ReviewModel } = await import('./review/review-model.ts');
  const model = new ReviewModel(contents);
  const { ReviewView } = await import('./review/review-view.tsx');
  return showView<ReviewResult, ReviewModel>(model, ReviewView, contents.title, terminal);
}

/** The hooks of a server and their runs. */
export async function openHooksScreen(
  server: HookServer,
  nowMs: () => number,
  terminal: ScreenTerminal,
) {
  const { HooksModel } = await import('./hooks/hooks-model.ts');
  const { HooksView } = await import('./hooks/hooks-view.tsx');
  const model = new HooksModel(server, nowMs);
  return showView<void, HooksModel>(model, HooksView, 'hooks', terminal);
}

/** Shows a screen with its view. */
async function showView<Result, Model extends KeyedScreen<Result>>(
  model: Model,
  View: ComponentType<ScreenViewProps<Model>>,
  title: string,
  terminal: ScreenTerminal,
): Promise<Result> {
  const { screenView } = await import('./ui/screen.tsx');
  const { runScreen } = await import('./shared/run-screen.tsx');
  const { ActionScreen } = await import('../src/terminal/action-screen.ts');
  const isScript = terminal.look.plain && !terminal.stdin.isTTY;
  const nowMs = isScript ? undefined : () => performance.now();
  const screen = new ActionScreen<Result>(model, nowMs);
  return runScreen(screen, screenView(model, View, title), terminal);
}
