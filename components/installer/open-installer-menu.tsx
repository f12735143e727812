import type { MenuEnd } from '../../src/installer-menu/menu-keys.ts';
import type { MenuModel } from '../../src/installer-menu/menu-model.ts';
import type { ScreenTerminal } from '../../src/screen/screen-terminal.ts';
import { runScreen } from '../shared/run-screen.tsx';
import { InstallerMenu } from './installer-menu.tsx';

/** Shows the installer's menu until it is left. */
export function showInstallerMenu(model: MenuModel, terminal: ScreenTerminal): Promise<MenuEnd> {
  return runScreen<MenuEnd, MenuModel>(model, InstallerMenu, terminal);
}
