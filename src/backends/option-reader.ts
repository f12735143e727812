import { SyncerError, toSyncerError } from '../core/errors.ts';
import { parseByteSize } from '../go/byte-size.ts';
import { DURATION_OFF, parseDuration } from '../go/duration.ts';
import { readBool, readInt } from '../go/read-number.ts';

/** Reads the values of options that came as text. Every method throws `config`, naming the remote and the option. */
export class OptionReader {
  readonly #remote: string;
  readonly #options: Readonly<Record<string, string>>;

  constructor(remote: string, options: Readonly<Record<string, string>>) {
    this.#remote = remote;
    this.#options = options;
  }

  /** The text; `''` where the option is not set. */
  text(name: string): string {
    return this.#options[name]?.trim() ?? '';
  }

  /** A truth value by Go's rules; `undefined` where it is not set, or set to `unset`. */
  optionalBool(name: string): boolean | undefined {
    const text = this.text(name);
    if (text === '' || text.toLowerCase() === 'unset') return undefined;
    try {
      return readBool(text);
    } catch {
      throw this.error(name, `must be true or false, not "${text}"`);
    }
  }

  bool(name: string, ifUnset: boolean): boolean {
    return this.optionalBool(name) ?? ifUnset;
  }

  int(name: string, ifUnset: number, min: number, max: number): number {
    const text = this.text(name);
    if (text === '') return ifUnset;
    try {
      const value = readInt(text);
      if (value >= min && value <= max) return value;
    } catch {}
    throw this.error(name, `must be a whole number from ${min} to ${max}, not "${text}"`);
  }

  /** A duration in milliseconds; 0 where it is not set, or `off`. */
  duration(name: string): number {
    const age = this.time(name, 0);
    return age === undefined ? 0 : -age;
  }

  /** A time or an age, in milliseconds since the epoch; `undefined` where it is not set, or `off`. */
  time(name: string, nowMs: number): number | undefined {
    const text = this.text(name);
    if (text === '') return undefined;
    try {
      const age = parseDuration(text, nowMs);
      return age === DURATION_OFF ? undefined : nowMs - age;
    } catch (thrown) {
      throw this.error(name, toSyncerError(thrown).message);
    }
  }

  /** A size in bytes. */
  size(name: string, ifUnset: number): number {
    const text = this.text(name);
    if (text === '') return ifUnset;
    try {
      return parseByteSize(text);
    } catch (thrown) {
      throw this.error(name, toSyncerError(thrown).message);
    }
  }

  /** `why` says why the option is needed, and what else would do. */
  missing(name: string, why: string): SyncerError {
    return this.#config(`option ${name} is missing ${why}`);
  }

  error(name: string, why: string): SyncerError {
    return this.#config(`option ${name}: ${why}`);
  }

  #config(text: string): SyncerError {
    const remote = this.#remote === '' ? '' : `remote "${this.#remote}": `;
    return new SyncerError('config', `${remote}${text}`);
  }
}
