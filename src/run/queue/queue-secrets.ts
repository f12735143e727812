import { SyncerError } from '../../core/errors.ts';
import { readRegularFileSync } from '../../system/read-whole.ts';
import { parseReference, readReference } from '../../system/secret-reference.ts';

/**
 * The secret in an environment variable; `undefined` if it is not set or empty. A reference, as in a configuration, is
 * read: `${credential:queue}` of a systemd unit, `${file:/path}`. Throws `config`, without the secret, if the reference
 * stands for nothing.
 */
export function secretVariable(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const text = env[name];
  if (text === undefined || text === '') return undefined;
  const reference = parseReference(text);
  if (reference === undefined) return text;
  try {
    if (reference.kind === 'keyring') throw new Error('the keyring cannot be used here');
    const value = readReference(reference, { env, read: readRegularFileSync });
    if (value === '') throw new Error('it is empty');
    return value;
  } catch (thrown) {
    throw new SyncerError('config', `${name} = ${text}: ${(thrown as Error).message}`, {
      cause: thrown,
    });
  }
}
