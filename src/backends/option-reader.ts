import { SyncerError, toSyncerError } from '../core/errors.ts';
import type { BackendOption } from '../core/options.ts';
import { DURATION_OFF, parseByteSize, parseDuration } from '../go/quantities.ts';
import { readBool, readInt } from '../go/read-number.ts';

/**
 * Reads the values of options that came as text; what is not set has the default of the table. Every method throws
 * `config`, naming the remote and the option.
 */
export class OptionReader {
  readonly #remote: string;
  readonly #options: Readonly<Record<string, string>>;
  readonly #table: readonly BackendOption[];

  constructor(
    remote: string,
    options: Readonly<Record<string, string>>,
    table: readonly BackendOption[],
  ) {
    this.#remote = remote;
    this.#options = options;
    this.#table = table;
  }

  /** The text; `''` where the option is not set, and has no default. */
  text(name: string): string {
    const { default: usual = '' } = this.#declared(name);
    return this.#options[name]?.trim() || usual;
  }

  /** Whether it has a value of its own. */
  isSet(name: string): boolean {
    return (this.#options[name]?.trim() ?? '') !== '';
  }

  #declared(name: string): BackendOption {
    const found = this.#table.find((option) => option.name === name);
    if (found === undefined) throw new Error(`no option ${name} is declared`);
    return found;
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

  bool(name: string): boolean {
    return this.optionalBool(name) === true;
  }

  /** A whole number within the range of the table. */
  int(name: string): number {
    const { min = 0, max = Number.MAX_SAFE_INTEGER } = this.#declared(name);
    const text = this.text(name);
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
  size(name: string): number {
    try {
      return parseByteSize(this.text(name));
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
