/**
 * The only way to the screens. Nothing of Ink or React is loaded before one is shown; everything outside this folder
 * imports this file and no other.
 */

import type { BrowserModel } from '../src/browser/browser-model.ts';
import type { WizardParts } from '../src/config-wizard/wizard-parts.ts';
import type { HomeContents } from '../src/home/home-entry.ts';
import type { MenuModel } from '../src/installer-menu/menu-model.ts';
import type { ReviewContents } from '../src/review/review-keys.ts';
import type { ScreenTerminal } from '../src/screen/screen-terminal.ts';
import type { HooksModel } from '../src/webhook/screen/hooks-model.ts';

/** The home screen; resolves to what to run next, `undefined` when the user leaves. */
export async function openHomeScreen(contents: HomeContents, terminal: ScreenTerminal) {
  const { openHome } = await import('./home/open-home.tsx');
  return openHome(contents, terminal);
}

/** The wizard of the configuration; resolves to what one dialogue did, in a line, or to `''`. */
export async function openConfigWizard(parts: WizardParts, terminal: ScreenTerminal) {
  const { showConfigWizard } = await import('./config-wizard/open-config-wizard.tsx');
  return showConfigWizard(parts, terminal);
}

/** The browser of sizes, until the user leaves. */
export async function openSizeBrowser(model: BrowserModel, terminal: ScreenTerminal) {
  const { showSizeBrowser } = await import('./browser/open-size-browser.tsx');
  return showSizeBrowser(model, terminal);
}

/** The menu of the installer; resolves to how what was chosen in it ended. */
export async function openInstallerMenu(model: MenuModel, terminal: ScreenTerminal) {
  const { showInstallerMenu } = await import('./installer/open-installer-menu.tsx');
  return showInstallerMenu(model, terminal);
}

/** The plan of a run; resolves to the changes to make, `undefined` when the user leaves. */
export async function openReviewScreen(contents: ReviewContents, terminal: ScreenTerminal) {
  const { openReview } = await import('./review/open-review.tsx');
  return openReview(contents, terminal);
}

/** The hooks of a server and their runs, until the user leaves. */
export async function openHooksScreen(model: HooksModel, terminal: ScreenTerminal) {
  const { showHooks } = await import('./hooks/open-hooks.tsx');
  return showHooks(model, terminal);
}
