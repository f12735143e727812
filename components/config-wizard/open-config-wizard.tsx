import { WizardModel } from '../../src/config-wizard/wizard-model.ts';
import type { WizardParts } from '../../src/config-wizard/wizard-parts.ts';
import type { ScreenTerminal } from '../../src/screen/screen-terminal.ts';
import { runScreen } from '../shared/run-screen.tsx';
import { WizardView } from './wizard-view.tsx';

/** Shows the wizard until the user leaves it; resolves to what one dialogue did, in a line, or to `''`. */
export async function showConfigWizard(
  parts: WizardParts,
  terminal: ScreenTerminal,
): Promise<string> {
  // Before the screen, so that a password can be asked for.
  const world = await parts.look();
  return runScreen<string, WizardModel>(new WizardModel(parts, world), WizardView, terminal);
}
