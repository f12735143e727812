import type { Emit } from '../core/events.ts';
import { type ConfigFile, openConfigFile } from './config-file.ts';
import { type AskPassword, passwordSource } from './config-password.ts';
import { configPath } from './config-path.ts';

/** The flags that say where the configuration is and how it is decrypted. */
export interface ConfigFlags {
  readonly config: string | undefined;
  readonly 'password-command': string | undefined;
}

/**
 * The configuration that flags and environment point to. Nothing is read before it is asked.
 *
 * @param ask asks for the password of an encrypted one; nobody is asked where it is absent
 * @param signal ends the wait for the lock of another process, and for what a pipe gives
 */
export function openUserConfig(
  flags: ConfigFlags,
  env: NodeJS.ProcessEnv,
  emit: Emit,
  ask?: AskPassword,
  signal?: AbortSignal,
): ConfigFile {
  const password = passwordSource(flags['password-command'], env, ask);
  return openConfigFile(configPath(flags.config, env), emit, password, signal);
}
