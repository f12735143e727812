import { stat } from 'node:fs/promises';
import { type ConfigFile, formerPath, openConfigFile } from '../../../src/config/config-file.ts';
import { passwordSource } from '../../../src/config/config-password.ts';
import { configPath } from '../../../src/config/config-path.ts';
import type { PasswordSource } from '../../../src/config/encrypted-config.ts';
import type { IniLine } from '../../../src/config/ini-lines.ts';
import { SyncerError } from '../../../src/core/errors.ts';
import type { Invocation } from '../../../src/shell/command-line/command.ts';
import { followLinks } from '../../../src/state/replace-file.ts';
import { approvedFile } from '../config-job.ts';

/** The configuration that the wizard writes. */
export interface WizardFile {
  readonly file: ConfigFile;
  /** What the file held before its last change; `undefined`: that is not kept. */
  former(): Promise<readonly IniLine[] | undefined>;
  /** The password that decrypts it from now on. */
  adoptPassword(password: string): void;
}

/** Opens the configuration of this run for the wizard. */
export function openWizardFile(invocation: Invocation): WizardFile {
  const { flags, env, ask, approval, context } = invocation;
  let own: string | undefined;
  const first = passwordSource(flags['password-command'], env, ask);
  const path = configPath(flags.config, env);
  // A missing configuration is normal when one is created.
  const emit = () => {};
  const password: PasswordSource = async (rejected) =>
    own === undefined || own === rejected ? first(rejected) : own;
  const file = openConfigFile(path, emit, password, context.signal, { keepsFormer: true });
  return {
    // The wizard's confirmation replaces the question of `--interactive`.
    file: approval?.flag === '--dry-run' ? approvedFile(file, invocation) : file,
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
