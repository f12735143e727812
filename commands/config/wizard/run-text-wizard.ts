import { runTextWizard } from '../../../src/config/dialogue/text-dialogue.ts';
import type { WizardParts } from '../../../src/config/dialogue/wizard-parts.ts';
import type { Invocation } from '../../../src/shell/command-line/command.ts';
import { lineAsker } from '../../../src/shell/interactive/input-lines.ts';
import { askLine, type PasswordInput } from '../../../src/shell/interactive/password-prompt.ts';

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
