import { SyncerError } from '../../../core/errors.ts';
import type { AccessKey } from './authenticate.ts';

/** Reads `--auth-key`: an access key ID and its secret, separated by a comma. Throws `usage`, without the secret. */
export function parseAccessKey(text: string): AccessKey {
  const comma = text.indexOf(',');
  const accessKeyId = text.slice(0, comma).trim();
  const secretAccessKey = text.slice(comma + 1).trim();
  if (comma <= 0 || accessKeyId === '' || secretAccessKey === '') {
    throw new SyncerError('usage', '--auth-key needs an access key ID and a secret: ID,SECRET');
  }
  return { accessKeyId, secretAccessKey };
}
