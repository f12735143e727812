import { runTextWizard } from '../../../config-wizard/text-dialogue.ts';
import type { WizardParts } from '../../../config-wizard/wizard-parts.ts';
import type { Invocation } from '../../command.ts';
import { lineAsker } from '../../interactive/input-lines.ts';
import { askLine, type PasswordInput } from '../../interactive/password-prompt.ts';

/** The wizard as lines of text: answers from standard input, questions to standard output; a terminal shows no secret. */
export async function runWizardAsText(
  parts: WizardParts,
  { context, out, input }: Invocation,
): Promise<void> {
  const stdin: PasswordInput = input();
  const print = (text: string) => out.write(text);
  const isScript = stdin.isTTY !== true;
  const readShown = isScript ? undefined : () => askLine(stdin, false, () => undefined);
  const ask = lineAsker(stdin, print, context.clock.monotonic, readShown);
  await runTextWizard({
    ...parts,
    print,
    async ask(prompt, isSecret, confirms) {
      if (isScript || confirms) return ask(prompt);
      try {
        return await askLine(stdin, isSecret, () => print(prompt));
      } finally {
        if (isSecret) await print('\n');
      }
    },
  });
}
