import { runTextWizard } from '../../../config-wizard/text-dialogue.ts';
import type { WizardParts } from '../../../config-wizard/wizard-parts.ts';
import type { Invocation } from '../../command.ts';
import { inputLines } from '../../interactive/input-lines.ts';

/** The wizard as lines of text: answers from standard input, questions to standard output. */
export async function runWizardAsText(
  parts: WizardParts,
  { out, input }: Invocation,
): Promise<void> {
  await runTextWizard({
    ...parts,
    print: (text) => out.write(text),
    readLine: inputLines(input()),
  });
}
