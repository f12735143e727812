import { stat } from 'node:fs/promises';
import { BACKENDS } from '../../../backends/index.ts';
import { ALIAS_KIND } from '../../../config/alias-target.ts';
import { openConfigFile } from '../../../config/config-file.ts';
import { passwordSource } from '../../../config/config-password.ts';
import { configPath } from '../../../config/config-path.ts';
import type { PasswordSource } from '../../../config/encrypted-config.ts';
import { iniSections } from '../../../config/ini-lines.ts';
import { rcloneConfigPath } from '../../../config/rclone-config-path.ts';
import { followLinks, formerPath } from '../../../config/replace-file.ts';
import type { WizardKind } from '../../../config-wizard/draft.ts';
import { menuScript } from '../../../config-wizard/menu-script.ts';
import { summarise } from '../../../config-wizard/remote-summary.ts';
import type { Script } from '../../../config-wizard/step.ts';
import type { WizardParts, WizardWorld } from '../../../config-wizard/wizard-parts.ts';
import { SyncerError } from '../../../core/errors.ts';
import { expandPath } from '../../../kit/shell-words.ts';
import type { Invocation } from '../../command.ts';
import { guardedFile } from '../guarded-file.ts';
import { carryOut, type WizardFile } from './carry-out.ts';
import { wizardWorks } from './wizard-works.ts';

/** The backends in the order of the wizard's numbers. */
const WIZARD_KINDS: readonly WizardKind[] = [...BACKENDS, ALIAS_KIND];

/**
 * The wizard for the configuration of this run: its menu, or one dialogue.
 *
 * @param script one dialogue instead of the menu
 */
export function openWizard(
  invocation: Invocation,
  script?: (world: WizardWorld) => Script,
): WizardParts {
  const { context } = invocation;
  const opened = openFile(invocation);
  const { file, former } = opened;
  return {
    async look() {
      const nowMs = context.clock.now();
      const sections = iniSections(await file.read());
      return {
        remotes: [...sections].map(([name, values]) =>
          summarise(name, values, WIZARD_KINDS, nowMs),
        ),
        kinds: WIZARD_KINDS,
        former: await former().then((lines) => lines && iniSections(lines)),
        configPath: file.path,
        isEncrypted: (await file.key()) !== undefined,
        rclonePath: await rcloneConfigPath(invocation.env),
        expand: (typed) => expandPath(typed, invocation.env),
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
  const { flags, env, ask, guard, context } = invocation;
  let own: string | undefined;
  const first = passwordSource(flags['password-command'], env, ask);
  const path = configPath(flags.config, env);
  // A missing configuration is normal when one is created.
  const emit = () => {};
  const password: PasswordSource = async (rejected) =>
    own === undefined || own === rejected ? first(rejected) : own;
  const file = openConfigFile(path, emit, password, context.signal, true);
  return {
    // The wizard's confirmation replaces the question of `--interactive`.
    file: guard?.flag === '--dry-run' ? guardedFile(file, invocation) : file,
    async former() {
      const kept = path && formerPath(await followLinks(path));
      const found = kept && (await stat(kept).catch(() => undefined));
      if (!found) return undefined;
      const isEncrypted = (await file.key()) !== undefined;
      // Only with the password of the file: nothing is asked for on a screen.
      const same: PasswordSource = async (rejected) => {
        if (rejected === undefined && isEncrypted) return password(undefined);
        throw new SyncerError('config-password', `"${kept}" has another password`);
      };
      return openConfigFile(kept, emit, same, context.signal)
        .read()
        .catch(() => undefined);
    },
    adoptPassword: (password) => {
      own = password;
    },
  };
}
