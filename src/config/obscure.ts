import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { SyncerError } from '../core/errors.ts';

/**
 * The form in which rclone keeps passwords in its configuration: AES-256-CTR under a key that everybody knows,
 * so that nobody reads them over a shoulder. It protects nothing else.
 */
const KEY = Buffer.from('9c935b48730a554d6bfd7c63c886a92bd390198eb8128afbf4de162b8b95f638', 'hex');
const ALGORITHM = 'aes-256-ctr';
const IV_BYTES = 16;

/** The obscured form of a password: another one each time, as the start value is random. */
export function obscure(password: string): string {
  const iv = randomBytes(IV_BYTES);
  return Buffer.concat([iv, createCipheriv(ALGORITHM, KEY, iv).update(password, 'utf8')]).toString(
    'base64url',
  );
}

/** The password behind its obscured form. Throws `config` where the text is not of that form. */
export function reveal(obscured: string): string {
  const bytes = Buffer.from(obscured, 'base64url');
  if (!/^[\w-]*$/.test(obscured) || obscured.length % 4 === 1 || bytes.length < IV_BYTES) {
    throw new SyncerError('config', 'a password is not obscured as by rclone');
  }
  const iv = bytes.subarray(0, IV_BYTES);
  return createDecipheriv(ALGORITHM, KEY, iv).update(bytes.subarray(IV_BYTES)).toString('utf8');
}

/** Whether `text` could be an obscured password: rclone's own test, which long words of letters pass too. */
export function isObscured(text: string): boolean {
  return /^[\w-]{22,}$/.test(text) && text.length % 4 !== 1;
}
