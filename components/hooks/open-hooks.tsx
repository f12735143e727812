import type { HooksModel } from '../../src/hooks/screen/hooks-model.ts';
import type { ScreenTerminal } from '../../src/screen/screen-terminal.ts';
import { runScreen } from '../shared/run-screen.tsx';
import { HooksView } from './hooks-view.tsx';

/** Shows the hooks of a server until the user leaves. Rejects where the signal is aborted. */
export async function showHooks(model: HooksModel, terminal: ScreenTerminal): Promise<void> {
  await runScreen<void, HooksModel>(model, HooksView, terminal);
}
