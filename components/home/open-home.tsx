import type { HomeCommand, HomeContents } from '../../src/home/home-entry.ts';
import { HomeModel } from '../../src/home/home-model.ts';
import type { ScreenTerminal } from '../../src/screen/screen-terminal.ts';
import { runScreen } from '../shared/run-screen.tsx';
import { HomeScreen } from './home-screen.tsx';

/** Shows the home screen until the user chooses what to run; `undefined` when he leaves. */
export function openHome(
  contents: HomeContents,
  terminal: ScreenTerminal,
): Promise<HomeCommand | undefined> {
  return runScreen(new HomeModel(contents), HomeScreen, terminal);
}
