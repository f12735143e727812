import { BACKENDS } from '../../../backends/index.ts';
import { ALIAS_KIND } from '../../../config/alias-kind.ts';
import { openConfigFile } from '../../../config/config-file.ts';
import { passwordSource } from '../../../config/config-password.ts';
import { configPath } from '../../../config/config-path.ts';
import { iniSections } from '../../../config/ini-lines.ts';
import { rcloneConfigPath } from '../../../config/rclone-config-path.ts';
import type { WizardKind } from '../../../config-wizard/draft.ts';
import { menuScript } from '../../../config-wizard/menu-script.ts';
import type { DoOutcome } from '../../../config-wizard/outcome.ts';
import { summarise } from '../../../config-wizard/remote-summary.ts';
import type { Script } from '../../../config-wizard/step.ts';
import type { WizardWorld } from '../../../config-wizard/wizard-world.ts';
import type { WizardWorks } from '../../../config-wizard/work.ts';
import type { Invocation } from '../../command.ts';
import { guardedFile } from '../guarded-file.ts';
import { carryOut, type WizardFile } from './carry-out.ts';
import { wizardWorks } from './wizard-works.ts';

/** The kinds of storage in the order in which the wizard numbers them. */
const WIZARD_KINDS: readonly WizardKind[] = [...BACKENDS, ALIAS_KIND];

/** What a wizard is made of, on a terminal and as lines of text. */
export interface WizardParts {
  readonly look: () => Promise<WizardWorld>;
  readonly script: (world: WizardWorld) => Script;
  /** It begins again after each turn, until `quit`. */
  readonly repeats: boolean;
  readonly works: WizardWorks;
  readonly carryOut: DoOutcome;
  readonly signal: AbortSignal;
}

/**
 * The wizard on the configuration of this run: its menu, or one dialogue.
 *
 * @param script one dialogue in place of the menu
 */
export function openWizard(
  invocation: Invocation,
  script?: (world: WizardWorld) => Script,
): WizardParts {
  const { context } = invocation;
  const opened = openFile(invocation);
  const { file } = opened;
  return {
    async look() {
      const nowMs = context.clock.now();
      const sections = iniSections(await file.read());
      return {
        remotes: [...sections].map(([name, values]) =>
          summarise(name, values, WIZARD_KINDS, nowMs),
        ),
        kinds: WIZARD_KINDS,
        configPath: file.path,
        isEncrypted: (await file.key()) !== undefined,
        rclonePath: await rcloneConfigPath(invocation.env),
        nowMs,
      };
    },
    script: script ?? menuScript,
    repeats: script === undefined,
    works: wizardWorks(invocation, file),
    carryOut: (outcome) => carryOut(outcome, opened, invocation),
    signal: context.signal,
  };
}

function openFile(invocation: Invocation): WizardFile {
  const { flags, env, ask } = invocation;
  let own: string | undefined;
  const first = passwordSource(flags['password-command'], env, ask);
  const path = configPath(flags.config, env);
  // A configuration that is not there yet is no news for who makes one.
  const emit = () => {};
  const file = openConfigFile(path, emit, async (rejected) =>
    own === undefined || own === rejected ? first(rejected) : own,
  );
  return {
    file: guardedFile(file, invocation),
    adoptPassword: (password) => {
      own = password;
    },
  };
}
