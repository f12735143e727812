import { createHash, randomBytes } from 'node:crypto';
import { SyncerError } from '../core/errors.ts';
import { utf16Text } from '../core/name-bytes.ts';

/** The password of an encrypted configuration; after a wrong one another, or the same if there is no other. */
export type PasswordSource = (rejected?: string) => Promise<string>;

const MARK = 'RCLONE_ENCRYPT_V0:';
const NONCE_BYTES = 24;
/** The format that an encrypted configuration names, and what follows; `undefined` for one that is not encrypted. */
function splitEncrypted(bytes: Uint8Array) {
  const text =
    utf16Text(bytes) ??
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const found =
    /^(?:\xef\xbb\xbf)?(?:[^\S\n]*(?:[#;][^\n]*)?\n)*[^\S\n]*(RCLONE_ENCRYPT_V[^\n]*)/.exec(text);
  if (found === null) return undefined;
  return { format: found[1]?.trim() ?? '', sealed: text.slice(found[0].length) };
}

/** Whether a configuration is encrypted. */
export const isEncrypted = (bytes: Uint8Array): boolean => splitEncrypted(bytes) !== undefined;

/** Decrypts what rclone encrypted; other text stays, without a key. Rejects with `config-password` or `config`. */
export async function decryptConfig(bytes: Uint8Array, title: string, password: PasswordSource) {
  const found = splitEncrypted(bytes);
  if (found === undefined) return { text: bytes, key: undefined };
  if (found.format !== MARK) {
    throw new SyncerError('config', `${title} is encrypted in a format of a newer rclone`);
  }
  const box = Buffer.from(found.sealed, 'base64');
  // A box has 16 bytes more than its content: the tag of Poly1305.
  if (box.length < NONCE_BYTES + 16) {
    throw new SyncerError('config', `${title} is encrypted, but truncated`);
  }
  let tried: string | undefined;
  for (;;) {
    const word = await password(tried);
    if (word === tried) break;
    const key = keyOfPassword(word);
    const opened = await openBox(box, key);
    if (opened !== undefined) return { text: opened, key };
    tried = word;
  }
  const why = 'the password is wrong, or the file is damaged';
  throw new SyncerError('config-password', `${title} cannot be decrypted: ${why}`);
}

/** Encrypts a configuration so that rclone and `decryptConfig` can read it. */
export async function encryptConfig(text: Uint8Array, key: Uint8Array): Promise<Uint8Array> {
  const nonce = randomBytes(NONCE_BYTES);
  const sealed = (await secretbox(key, nonce)).encrypt(text);
  const content = Buffer.concat([nonce, sealed]).toString('base64');
  return Buffer.from(`# Encrypted rclone configuration File\n\n${MARK}\n${content}`);
}

/** The key of a password, as in rclone. */
export function keyOfPassword(password: string): Uint8Array {
  return createHash('sha256')
    .update(`[${password.normalize('NFKC')}][rclone-config]`)
    .digest();
}

/** Decrypts what `encryptConfig` made; `undefined` for anything else, and for another key. */
export async function decryptByKey(bytes: Uint8Array, key: Uint8Array) {
  const [, box] = Buffer.from(bytes).toString('latin1').split(`${MARK}\n`);
  return box === undefined ? undefined : openBox(Buffer.from(box, 'base64'), key);
}

/** Opens a nonce with its box; `undefined` if the key is wrong or a byte was changed. */
async function openBox(box: Uint8Array, key: Uint8Array): Promise<Uint8Array | undefined> {
  const cipher = await secretbox(key, box.subarray(0, NONCE_BYTES));
  try {
    return cipher.decrypt(box.subarray(NONCE_BYTES));
  } catch {
    return undefined;
  }
}

/** NaCl's secretbox, loaded for encrypted configurations only. */
async function secretbox(key: Uint8Array, nonce: Uint8Array) {
  const { xsalsa20poly1305 } = await import('@noble/ciphers/salsa.js');
  return xsalsa20poly1305(key, nonce);
}
