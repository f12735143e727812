/**
 * The only way to the screens. Nothing of Ink or React is loaded before one is shown; everything outside this folder
 * imports this file and no other. Each resolves when the user leaves, and rejects if the signal of its terminal is aborted.
 */

import type { WizardParts } from '../src/config/dialogue/wizard-parts.ts';
import type { HomeCommand, HomeContents, HomeWorks } from '../src/run/home-entry.ts';
import type { ReviewContents, ReviewResult } from '../src/run/review/review-state.ts';
import type { KeyedScreen, ScreenTerminal } from '../src/terminal/screen-model.ts';
import type { BrowserScreen } from './browser/browser.ts';
import type { HooksModel } from './hooks/hooks-model.ts';
import type { MenuEnd } from './installer/menu-keys.ts';
import type { MenuModel } from './installer/menu-model.ts';

/** The home screen; resolves to what to run next, `undefined` when the user leaves. */
export async function openHomeScreen(
  contents: HomeContents,
  works: HomeWorks,
  terminal: ScreenTerminal,
) {
  const { HomeModel } = await import('./home/home-model.ts');
  const model = new HomeModel(contents, works);
  model.watch();
  return show<HomeCommand | undefined>(model, '', terminal);
}

/** The wizard of the configuration; resolves to what one dialogue did, in a line, or to `''`. */
export async function openConfigWizard(parts: WizardParts, terminal: ScreenTerminal) {
  // Before the screen, so that a password can be asked for.
  const world = await parts.look();
  const { WizardModel } = await import('./config/wizard-model.ts');
  const model = new WizardModel(parts, world);
  return show<string>(model, 'config', terminal);
}

/** The browser of sizes. Rejects where what is browsed cannot be listed. */
export async function openSizeBrowser(model: BrowserScreen, terminal: ScreenTerminal) {
  return show<void>(model, 'ncdu', terminal);
}

/** The menu of the installer; resolves to how what was chosen in it ended. */
export async function openInstallerMenu(model: MenuModel, terminal: ScreenTerminal) {
  return show<MenuEnd>(model, 'webhook', terminal);
}

/** The plan of a run; resolves to the changes to make, `undefined` when the user leaves. */
export async function openReviewScreen(contents: ReviewContents, terminal: ScreenTerminal) {
  const { ReviewModel } = await import('./review/review-model.ts');
  const model = new ReviewModel(contents);
  return show<ReviewResult>(model, contents.title, terminal);
}

/** The hooks of a server and their runs. */
export async function openHooksScreen(model: HooksModel, terminal: ScreenTerminal) {
  return show<void>(model, 'hooks', terminal);
}

async function show<Result>(
  model: KeyedScreen<Result>,
  title: string,
  terminal: ScreenTerminal,
): Promise<Result> {
  const { runScreen } = await import('./shared/run-screen.tsx');
  const { frameView } = await import('./shared/frame-view.tsx');
  const { ActionScreen } = await import('../src/terminal/action-screen.ts');
  const isScript = terminal.look.plain && !terminal.stdin.isTTY;
  const nowMs = isScript ? undefined : () => performance.now();
  return runScreen(new ActionScreen(model, nowMs), frameView(title), terminal);
}
