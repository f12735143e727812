import type { Emit } from '../core/events.ts';
import { type ConfigFile, openConfigFile } from './config-file.ts';
import type { ReadConfig } from './config-file-access.ts';
import { type AskPassword, passwordSource } from './config-password.ts';
import { configPath } from './config-path.ts';

/**
 * The configuration selected by flags and environment. Nothing is read before the first call.
 *
 * @param ask asks for the password of an encrypted configuration
 * @param signal ends the wait for the lock of another process, and for a pipe
 * @param readBefore what the first reading gives
 */
export function openUserConfig(
  flags: { readonly config: string | undefined; readonly 'password-command': string | undefined },
  env: NodeJS.ProcessEnv,
  emit: Emit,
  ask?: AskPassword,
  signal?: AbortSignal,
  readBefore?: ReadConfig,
): ConfigFile {
  const password = passwordSource(flags['password-command'], env, ask);
  const path = configPath(flags.config, env);
  const isAsked = (flags.config ?? env['SYNCER_CONFIG']) !== undefined;
  const first = readBefore?.path === path ? readBefore?.take() : undefined;
  return openConfigFile(path, emit, password, signal, { first, isHomeless: !isAsked });
}
