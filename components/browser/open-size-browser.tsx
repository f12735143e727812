import type { BrowserModel } from '../../src/browser/browser-model.ts';
import type { ScreenTerminal } from '../../src/screen/screen-terminal.ts';
import { runScreen } from '../shared/run-screen.tsx';
import { BrowserView } from './browser-view.tsx';

/** Shows the browser until the user leaves. Rejects where what is browsed cannot be listed, or the signal is aborted. */
export async function showSizeBrowser(
  model: BrowserModel,
  terminal: ScreenTerminal,
): Promise<void> {
  await runScreen<void, BrowserModel>(model, BrowserView, terminal);
}
