import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nameFromBytes } from '../../core/name-bytes.ts';
import { HookFileFault, type HookFilePlace } from './file-node.ts';

const REFERENCE = /\$\{(env|file|credential):([^{}]*)\}/g;
const WHOLE = /^\$\{(?:env|file|credential):[^{}]*\}$/;

/** What a reference is read with. */
export interface ReferenceSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Gives the content of a file; throws an error of the file system. */
  readonly read?: (path: string) => Uint8Array;
}

/**
 * Replaces references in a hook file by what they stand for: `${env:NAME}` a variable of the server,
 * `${file:/path}` the content of a file, `${credential:NAME}` that of a credential of systemd; line breaks at a
 * file's end do not count.
 */
export class ReferenceReader {
  readonly #env: ReferenceSources['env'];
  readonly #read: (path: string) => Uint8Array;
  readonly #paths = new Set<string>();
  #secrets: string[] = [];

  constructor({ env, read = (path) => readFileSync(path) }: ReferenceSources) {
    this.#env = env;
    this.#read = read;
  }

  /** The files that were read: when one changes the hooks must be read again. */
  get paths(): readonly string[] {
    return [...this.#paths];
  }

  /** What was put in since the last call. */
  takeSecrets(): string[] {
    const secrets = [...new Set(this.#secrets)].filter((secret) => secret !== '');
    this.#secrets = [];
    return secrets;
  }

  /** Replaces all references in a text. Throws `HookFileFault` where one stands for nothing. */
  expand(text: string, place: HookFilePlace, owner: string): string {
    if (!text.includes('${')) return text;
    return text.replace(REFERENCE, (_, kind: string, name: string) => {
      const fault = (why: string) =>
        new HookFileFault(place, `${owner}: \${${kind}:${name}}: ${why}`);
      const value = kind === 'env' ? this.#variable(name, fault) : this.#file(kind, name, fault);
      this.#secrets.push(value);
      return value;
    });
  }

  /** The same where the text is nothing but a reference; others may be meant for a shell. */
  expandWhole(text: string, place: HookFilePlace, owner: string): string {
    return WHOLE.test(text) ? this.expand(text, place, owner) : text;
  }

  #variable(name: string, fault: (why: string) => HookFileFault): string {
    const value = this.#env[name];
    if (value !== undefined) return value;
    throw fault('not set in the environment of the server');
  }

  #file(kind: string, name: string, fault: (why: string) => HookFileFault): string {
    const path = kind === 'file' ? name : this.#credentialPath(name, fault);
    if (!path.startsWith('/')) throw fault('the path must be absolute');
    this.#paths.add(path);
    try {
      return nameFromBytes(this.#read(path)).replace(/(?:\r?\n)+$/, '');
    } catch (thrown) {
      const { code, message } = thrown as NodeJS.ErrnoException;
      throw fault(code === 'ENOENT' ? 'no such file' : `cannot be read: ${code ?? message}`);
    }
  }

  #credentialPath(name: string, fault: (why: string) => HookFileFault): string {
    const folder = this.#env['CREDENTIALS_DIRECTORY'];
    if (folder === undefined || folder === '') {
      throw fault('CREDENTIALS_DIRECTORY is not set');
    }
    if (name === '' || name.includes('/')) throw fault('not a valid credential name');
    return join(folder, name);
  }
}
