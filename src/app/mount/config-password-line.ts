import { readFile } from 'node:fs/promises';
import { configPath } from '../../config/config-path.ts';
import type { Invocation } from '../command.ts';

/**
 * The password of an encrypted configuration, asked here for a process in the background that has no terminal to ask
 * at: a line for its standard input. `undefined` where none will be asked.
 */
export async function configPasswordLine(invocation: Invocation): Promise<string | undefined> {
  const { flags, env, ask } = invocation;
  const isTold =
    Boolean(flags['password-command']) ||
    env['SYNCER_CONFIG_PASS'] !== undefined ||
    env['RCLONE_CONFIG_PASS'] !== undefined;
  if (ask === undefined || isTold || !(await isEncrypted(configPath(flags.config, env)))) {
    return undefined;
  }
  const password = await ask('Enter configuration password:');
  return password === undefined ? undefined : `${password}\n`;
}

async function isEncrypted(path: string | undefined): Promise<boolean> {
  if (path === undefined) return false;
  try {
    return /^RCLONE_ENCRYPT_V/m.test(await readFile(path, 'latin1'));
  } catch {
    return false;
  }
}
