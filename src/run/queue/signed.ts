import { createHmac, timingSafeEqual } from 'node:crypto';
import { SyncerError } from '../../core/errors.ts';
import { userText } from '../../core/name-bytes.ts';
import { readRegularFileSync } from '../../system/read-whole.ts';
import { parseReference, readReference } from '../../system/secret-reference.ts';

/** Signs with a key that the machines of a run share, so that others who can write to the queue cannot give work. */
export type QueueKey = NonNullable<ReturnType<typeof queueKey>>;

/** A value of the queue with its signature; without a key there is none. */
export interface Signed<Value extends QueueValue> {
  readonly value: Value;
  readonly signature?: string;
}

/** Shorter keys could be guessed. */
const SHORTEST_KEY = 16;

/**
 * The key in `SYNCER_QUEUE_KEY`, or in the file that `SYNCER_QUEUE_KEY_FILE` names (line breaks at its end do not
 * count); `undefined` without either. Throws `config` if both are set, the file cannot be read, or the key is short.
 */
export function queueKey(env: NodeJS.ProcessEnv) {
  const path = env['SYNCER_QUEUE_KEY_FILE'];
  const inVariable = secretVariable('SYNCER_QUEUE_KEY', env);
  if (path && inVariable !== undefined) {
    throw new SyncerError('config', 'SYNCER_QUEUE_KEY and SYNCER_QUEUE_KEY_FILE are both set');
  }
  const secret = path ? readKey(path) : inVariable;
  if (secret === undefined) return undefined;
  if (secret.length < SHORTEST_KEY) {
    const text = `the key of the queue is shorter than ${SHORTEST_KEY} characters`;
    throw new SyncerError('config', text, { advice: 'create one with: openssl rand -hex 32' });
  }
  return (value: QueueValue) =>
    createHmac('sha256', secret)
      .update(`syncer queue 1\0run\0${canonicalJson(value)}`)
      .digest('hex');
}

/** A value as it is written to the queue. */
export function signed<Value extends QueueValue>(
  key: QueueKey | undefined,
  value: Value,
): Signed<Value> {
  return key === undefined ? { value } : { value, signature: key(value) };
}

/**
 * The value that was signed. Without a key everything is taken, and with one nothing that is not signed with it: then it
 * throws `access-denied`.
 *
 * @param what what it is, for the message: `run 7K3F`
 */
export function verified<Value extends QueueValue>(
  key: QueueKey | undefined,
  { value, signature }: Signed<Value>,
  what: string,
): Value {
  if (key === undefined) return value;
  const refuse = (why: string, advice: string) => {
    throw new SyncerError('access-denied', `${what} ${why}: it is not taken`, { advice });
  };
  if (typeof signature !== 'string')
    return refuse('is not signed, and this machine has a key', 'start it with SYNCER_QUEUE_KEY');
  const [given, right] = [Buffer.from(signature), Buffer.from(key(value))];
  if (given.length !== right.length || !timingSafeEqual(given, right))
    refuse('has a wrong signature', 'give all machines the same SYNCER_QUEUE_KEY');
  return value;
}

function readKey(path: string): string {
  try {
    return userText(readRegularFileSync(path)).replace(/(?:\r?\n)+$/, '');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'no such file' : (code ?? message);
    throw new SyncerError('config', `cannot read SYNCER_QUEUE_KEY_FILE ${path}: ${why}`, { cause });
  }
}

/** What the queue holds: JSON without `undefined`. */
export type QueueValue =
  | null
  | boolean
  | number
  | string
  | readonly QueueValue[]
  | { readonly [key: string]: QueueValue | undefined };

/**
 * JSON that is the same text for equal values, for hashes and signatures: keys of objects in the order of their
 * UTF-16, absent and `undefined` members left out. Throws `TypeError` for a number that JSON has no text for.
 */
export function canonicalJson(value: QueueValue): string {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new TypeError(`${value} cannot be written as JSON`);
  }
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const fields = value as Readonly<Record<string, QueueValue | undefined>>;
  const members = Object.keys(fields)
    .sort()
    .flatMap((key) => {
      const member = fields[key];
      return member === undefined ? [] : [`${JSON.stringify(key)}:${canonicalJson(member)}`];
    });
  return `{${members.join(',')}}`;
}

/**
 * The secret in an environment variable; `undefined` if it is not set or empty. A reference, as in a configuration, is
 * read: `${credential:queue}` of a systemd unit, `${file:/path}`. Throws `config`, without the secret, if the reference
 * stands for nothing.
 */
export function secretVariable(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const text = env[name];
  if (text === undefined || text === '') return undefined;
  const reference = parseReference(text);
  if (reference === undefined) return text;
  try {
    if (reference.kind === 'keyring') throw new Error('the keyring cannot be used here');
    const value = readReference(reference, { env, read: readRegularFileSync });
    if (value === '') throw new Error('it is empty');
    return value;
  } catch (thrown) {
    throw new SyncerError('config', `${name} = ${text}: ${(thrown as Error).message}`, {
      cause: thrown,
    });
  }
}
