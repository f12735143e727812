import { hash } from 'node:crypto';
import type { Metadata } from '../../../core/entry-details.ts';
import { modTimeToMs, parseRfc3339 } from '../../../core/mod-time.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { parseDuration } from '../../../go/duration.ts';
import type { OptionReader } from '../../../kit/option-reader.ts';
import { LOCK_KEYS } from '../objects/metadata.ts';
import type { S3Store } from '../store.ts';

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
  const afterUpload = read.bool('object_lock_set_after_upload', false);
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

/** What a new object's lock is: each part of it may be absent. */
function wantedLock(lock: ObjectLock, metadata: Metadata, nowMs: number) {
  const { mode, retainUntil, legalHold } = lock;
  const copied = (value: string, key: string) => (value === 'COPY' ? metadata[key] : value);
  const until =
    retainUntil === 'COPY'
      ? metadata[LOCK_KEYS.until]
      : retainUntilDate(retainUntil, nowMs);
  const kept = copied(mode, LOCK_KEYS.mode);
  return {
    ...(kept && until ? { mode: kept, until } : {}),
    hold: copied(legalHold, LOCK_KEYS.hold),
  };
}

function retainUntilDate(text: string, nowMs: number): string {
  if (text === '') return '';
  const time = parseRfc3339(text);
  const ms = time === undefined ? nowMs + parseDuration(text, nowMs) : modTimeToMs(time);
  return new Date(ms).toISOString();
}

/** The headers that lock a new object or a copy. */
export function lockHeaders(
  { settings, client }: S3Store,
  metadata: Metadata = {},
): Record<string, string> {
  const { objectLock } = settings;
  if (objectLock === undefined || objectLock.afterUpload) return {};
  const { mode, until, hold } = wantedLock(objectLock, metadata, client.context.clock.now());
  return {
    ...(mode && until
      ? { 'x-amz-object-lock-mode': mode, 'x-amz-object-lock-retain-until-date': until }
      : {}),
    ...(hold ? { 'x-amz-object-lock-legal-hold': hold } : {}),
  };
}

/** The header of requests that may end a retention of the mode GOVERNANCE. */
export function bypassHeaders({ settings }: S3Store): Record<string, string> {
  return settings.bypassGovernance ? { 'x-amz-bypass-governance-retention': 'true' } : {};
}

/** With `object_lock_set_after_upload`, locks what was written. */
export async function lockWritten(
  store: S3Store,
  file: FileEntry,
  metadata: Metadata | undefined,
  op: Op,
): Promise<void> {
  const { objectLock } = store.settings;
  if (objectLock?.afterUpload !== true) return;
  const nowMs = store.client.context.clock.now();
  const { mode, until, hold } = wantedLock(objectLock, metadata ?? {}, nowMs);
  if (mode && until) {
    const inner = `<Mode>${mode}</Mode><RetainUntilDate>${until}</RetainUntilDate>`;
    await put(store, file, 'retention', `<Retention>${inner}</Retention>`, op);
  }
  if (hold)
    await put(store, file, 'legal-hold', `<LegalHold><Status>${hold}</Status></LegalHold>`, op);
}

async function put(store: S3Store, file: FileEntry, what: string, xml: string, op: Op) {
  const body = Buffer.from(xml.replace('>', ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'));
  const { bucket, key } = store.locate(file.path);
  const headers = {
    'content-type': 'application/xml',
    'content-md5': hash('md5', body, 'base64'),
    ...(what === 'retention' ? bypassHeaders(store) : {}),
  };
  const query = [[what, '']] as const;
  const { version } = file;
  const request = { method: 'PUT', bucket, key, version, query, headers, body } as const;
  await store.client.call({ ...request, doing: `set the ${what} of` }, op);
}
