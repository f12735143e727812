import { createHmac } from 'node:crypto';
import { GoFault } from '../go/go-fault.ts';
import { sameText } from './same-text.ts';
import { SignatureFault } from './signature-fault.ts';

/**
 * Checks that one of the signatures in `text` is the body's. Signatures are hexadecimal, with `sha1=` and the like
 * in front or not; in a list with commas only those with it count. Throws `SignatureFault` where none fits.
 */
export function checkHmac(
  algorithm: 'sha1' | 'sha256' | 'sha512',
  secret: string,
  body: Uint8Array,
  text: string,
): void {
  if (secret === '') throw new GoFault('signature validation secret can not be empty');
  const expected = createHmac(algorithm, secret).update(body).digest('hex');
  const signatures = signaturesIn(text, `${algorithm}=`);
  if (signatures.map((signature) => sameText(signature, expected)).includes(true)) return;
  const empty = body.length === 0 ? ' on empty payload' : '';
  throw new SignatureFault(`invalid payload signatures [${signatures.join(' ')}]${empty}`);
}

function signaturesIn(text: string, prefix: string): string[] {
  const without = (part: string) => (part.startsWith(prefix) ? part.slice(prefix.length) : part);
  if (!text.includes(',')) return [without(text)];
  return text
    .split(',')
    .filter((part) => part.startsWith(prefix))
    .map(without);
}
