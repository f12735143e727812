import { readFileSync } from 'node:fs';
import { type ReferenceSources, readReference } from '../../system/secret-reference.ts';
import { HookFileFault, type HookFilePlace } from './read-hook-file.ts';

const REFERENCE = /\$\{(env|file|credential):([^{}]*)\}/g;

/** Whether a part of a text in a hook file would be replaced. */
export const holdsReference = (text: string): boolean => text.search(REFERENCE) >= 0;

/** Whether a text is nothing but a reference. */
export function isReference(text: string): boolean {
  return /^\$\{(?:env|file|credential):[^{}]*\}$/.test(text);
}

/**
 * Replaces references in a hook file by what they stand for (`readReference`), also as parts of a text. The keyring of
 * a person is not for a server.
 */
export class ReferenceReader {
  readonly #sources: ReferenceSources;
  readonly #paths = new Set<string>();
  #secrets: string[] = [];

  constructor({
    env,
    read = (path) => readFileSync(path),
  }: Pick<ReferenceSources, 'env'> & Partial<ReferenceSources>) {
    this.#sources = { env, read };
  }

  /** The files that were read: when one changes the hooks must be read again. */
  get paths(): readonly string[] {
    return [...this.#paths];
  }

  /** What was put in since the last call. */
  takeSecrets(): string[] {
    const secrets = [...new Set(this.#secrets)];
    this.#secrets = [];
    return secrets;
  }

  /** Replaces all references in a text. Throws `HookFileFault` where one stands for nothing. */
  expand(text: string, place: HookFilePlace, owner: string): string {
    if (!text.includes('${')) return text;
    return text.replace(REFERENCE, (whole, kind: string, name: string) => {
      const fault = (why: string) => new HookFileFault(place, `${owner}: ${whole}: ${why}`);
      let value: string;
      try {
        value = readReference({ kind, name }, this.#sources, (path) => this.#paths.add(path));
      } catch (thrown) {
        throw fault((thrown as Error).message);
      }
      // A rule that compares with nothing would be met by an empty parameter.
      if (value === '') throw fault('it is empty');
      this.#secrets.push(value);
      return value;
    });
  }
}
