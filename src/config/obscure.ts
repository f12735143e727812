import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { SyncerError } from '../core/errors.ts';

/** How rclone stores passwords: AES-256-CTR with a public key. It only hides them from onlookers. */
const KEY = Buffer.from('9c935b48730a554d6bfd7c63c886a92bd390198eb8128afbf4de162b8b95f638', 'hex');
const ALGORITHM = 'aes-256-ctr';
const IV_BYTES = 16;

/** Obscures a password; the result differs each time, because the start value is random. */
export function obscure(password: string): string {
  const iv = randomBytes(IV_BYTES);
  return Buffer.concat([iv, createCipheriv(ALGORITHM, KEY, iv).update(password, 'utf8')]).toString(
    'base64url',
  );
}

/** Reveals an obscured password. Throws `config` for any other text. */
export function reveal(obscured: string): string {
  const bytes = Buffer.from(obscured, 'base64url');
  if (!/^[\w-]*$/.test(obscured) || obscured.length % 4 === 1 || bytes.length < IV_BYTES) {
    throw new SyncerError('config', "a password is not in rclone's obscured form");
  }
  const iv = bytes.subarray(0, IV_BYTES);
  return createDecipheriv(ALGORITHM, KEY, iv).update(bytes.subarray(IV_BYTES)).toString('utf8');
}

/** Whether `text` could be an obscured password: rclone's own test, which long words pass too. */
export function isObscured(text: string): boolean {
  return /^[\w-]{22,}$/.test(text) && text.length % 4 !== 1;
}
