import { rcloneConfigPath } from '../../../src/config/config-path.ts';
import { menuScript } from '../../../src/config/dialogue/menu-script.ts';
import { summarise } from '../../../src/config/dialogue/remote-summary.ts';
import type { Script, WizardParts, WizardWorld } from '../../../src/config/dialogue/step.ts';
import { runTextWizard } from '../../../src/config/dialogue/text-dialogue.ts';
import { iniSections } from '../../../src/config/ini-lines.ts';
import { jobsUsing } from '../../../src/config/job.ts';
import { once } from '../../../src/core/once.ts';
import type {
  Asking,
  CommandCall,
  Environment,
  Program,
  Remotes,
  StandardInput,
  StandardOutput,
  UnderConsent,
} from '../../../src/shell/command-line/command.ts';
import { lineAsker } from '../../../src/shell/interactive/input-lines.ts';
import { askLine, type PasswordInput } from '../../../src/shell/interactive/password-prompt.ts';
import { readJobs } from '../../../src/shell/job-file.ts';
import { expandPath } from '../../../src/system/shell-words.ts';
import { askedKinds } from '../config-job.ts';
import { carryOut, openWizardFile } from './carry-out.ts';
import { wizardWorks } from './wizard-works.ts';

/** The wizard for the configuration of this run: its menu, or one dialogue. `atEnd` gets what is said at its end. */
export function openWizard(
  invocation: CommandCall & Program & Environment & Remotes & Asking & UnderConsent,
  script?: (world: WizardWorld) => Script,
  atEnd?: (text: string) => void,
): WizardParts {
  const { context } = invocation;
  const opened = openWizardFile(invocation);
  const { file, former } = opened;
  const kindsNow = once(() => askedKinds(invocation));
  return {
    async look() {
      const nowMs = context.clock.now();
      const sections = iniSections(await file.read());
      const kinds = await kindsNow();
      const jobs = await readJobs(invocation.flags, invocation.env).catch(() => []);
      return {
        remotes: [...sections].map(([name, values]) => summarise(name, values, kinds, nowMs)),
        kinds,
        former: await former().then((lines) => lines && iniSections(lines)),
        configPath: file.path,
        isEncrypted: (await file.key()) !== undefined,
        rclonePath: await rcloneConfigPath(invocation.env),
        usedBy: (name) => jobsUsing(jobs, name),
        expand: (typed) => expandPath(typed, invocation.env),
        nowMs,
      };
    },
    script: script ?? menuScript,
    repeats: script === undefined,
    works: wizardWorks(invocation, file),
    carryOut: (outcome) => carryOut(outcome, opened, invocation, atEnd),
    signal: context.signal,
  };
}

/** The wizard as lines of text: answers from standard input, questions to standard output; a terminal shows no secret. */
export async function runWizardAsText(
  parts: WizardParts,
  { context, out, input }: CommandCall & StandardOutput & StandardInput,
) {
  const stdin: PasswordInput = input();
  const print = (text: string) => out.write(text);
  const isScript = stdin.isTTY !== true;
  const ask = lineAsker(stdin, print, context.clock.monotonic);
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
