import { join } from 'node:path';
import { userText } from '../core/name-bytes.ts';

/** A reference to a secret in a configuration: `${env:NAME}` has the kind `env` and the name `NAME`. */
export interface SecretReference {
  readonly kind: string;
  readonly name: string;
}

/** What references are read with. */
export interface ReferenceSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The content of a file; throws an error of the file system. */
  readonly read: (path: string) => Uint8Array;
}

const WHOLE = /^\$\{(env|file|credential|keyring):([^{}]*)\}$/;

/** The reference that a text is, as a whole; `undefined` for any other text. */
export function parseReference(text: string): SecretReference | undefined {
  const [, kind, name] = WHOLE.exec(text) ?? [];
  return kind === undefined || name === undefined ? undefined : { kind, name };
}

/** Whether a text is a reference and nothing else, so that it may be shown. */
export const isReference = (text: string): boolean => WHOLE.test(text);

/**
 * What `${env:NAME}`, `${file:/path}` or `${credential:NAME}` (of systemd) stands for; line breaks at a file's end do
 * not count. Throws an `Error` that says why it stands for nothing.
 *
 * @param onPath is called with the path of a file before it is read
 */
export function readReference(
  { kind, name }: SecretReference,
  { env, read }: ReferenceSources,
  onPath?: (path: string) => void,
): string {
  if (kind === 'env') {
    const value = env[name];
    if (value === undefined) throw new Error('not set in the environment');
    return value;
  }
  let path = name;
  if (kind !== 'file') {
    const folder = env['CREDENTIALS_DIRECTORY'];
    if (folder === undefined || folder === '') throw new Error('CREDENTIALS_DIRECTORY is not set');
    if (name === '' || name.includes('/')) throw new Error('not a valid credential name');
    path = join(folder, name);
  }
  if (!path.startsWith('/')) throw new Error('the path must be absolute');
  onPath?.(path);
  try {
    return userText(read(path), { allowsNul: true }).replace(/(?:\r?\n)+$/, '');
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'no such file' : `cannot be read: ${code ?? message}`;
    throw new Error(why, { cause: thrown });
  }
}
