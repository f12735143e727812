import type { OptionReader } from '../option-reader.ts';

/** The lock of new objects. Each value may be `COPY`: that of the source's metadata. */
export interface ObjectLock {
  /** `GOVERNANCE`, `COMPLIANCE`, or `''` for no retention. */
  readonly mode: string;
  /** A time or a duration; set if `mode` is. */
  readonly retainUntil: string;
  /** `ON`, `OFF` or `''`. */
  readonly legalHold: string;
  /** Set by requests of their own after an upload, for servers that ignore the headers. */
  readonly afterUpload: boolean;
}

/** Reads the `object_lock_*` options; `undefined` if they lock nothing. Throws `config`. */
export function readObjectLock(
  read: OptionReader,
  supportedByProvider: boolean,
): ObjectLock | undefined {
  const mode = oneOf(read, 'object_lock_mode', ['GOVERNANCE', 'COMPLIANCE']);
  const legalHold = oneOf(read, 'object_lock_legal_hold_status', ['ON', 'OFF']);
  const name = 'object_lock_retain_until_date';
  const given = read.text(name);
  const retainUntil = given.toUpperCase() === 'COPY' ? 'COPY' : given;
  const afterUpload = read.bool('object_lock_set_after_upload');
  const isSupported = read.optionalBool('object_lock_supported') ?? supportedByProvider;
  if (retainUntil !== 'COPY') read.time(name, 0);
  if (retainUntil !== '' && mode === '') {
    throw read.error(name, 'needs object_lock_mode: without both, nothing is retained');
  }
  if (mode !== '' && retainUntil === '') {
    throw read.error('object_lock_mode', `needs ${name}: without both, nothing is retained`);
  }
  if (mode === '' && legalHold === '') return undefined;
  if (!isSupported) {
    const why = 'the provider does not support object lock; set it to true if it does';
    throw read.error('object_lock_supported', why);
  }
  return { mode, retainUntil, legalHold, afterUpload };
}

function oneOf(read: OptionReader, name: string, values: readonly string[]): string {
  const value = read.text(name).toUpperCase();
  if (['', 'COPY', ...values].includes(value)) return value;
  throw read.error(name, `must be ${values.join(', ')} or copy, not "${read.text(name)}"`);
}
