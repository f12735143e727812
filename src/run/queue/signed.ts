import { createHmac, timingSafeEqual } from 'node:crypto';
import { SyncerError } from '../../core/errors.ts';
import { userText } from '../../core/user-text.ts';
import { readRegularFileSync } from '../../system/read-whole.ts';
import { canonicalJson, type QueueValue } from './canonical-json.ts';
import { secretVariable } from './queue-secrets.ts';

/** A key that the machines of a run share, so that others who can write to the queue cannot give work. */
export interface QueueKey {
  /** HMAC-SHA-256 as hex. */
  sign(kind: SignedKind, value: QueueValue): string;
}

/** What is signed: one kind never passes for another. */
export type SignedKind = 'run' | 'range' | 'job' | 'command';

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
export function queueKey(env: NodeJS.ProcessEnv): QueueKey | undefined {
  const path = env['SYNCER_QUEUE_KEY_FILE'];
  const inVariable = secretVariable('SYNCER_QUEUE_KEY', env);
  if (path && inVariable !== undefined) {
    throw new SyncerError('config', 'SYNCER_QUEUE_KEY and SYNCER_QUEUE_KEY_FILE are both set');
  }
  const secret = path ? readKey(path) : inVariable;
  if (secret === undefined) return undefined;
  if (secret.length < SHORTEST_KEY) {
    throw new SyncerError(
      'config',
      `the key of the queue is shorter than ${SHORTEST_KEY} characters`,
      {
        advice: 'create one with: openssl rand -hex 32',
      },
    );
  }
  return {
    sign(kind, value) {
      const text = `syncer queue 1\0${kind}\0${canonicalJson(value)}`;
      return createHmac('sha256', secret).update(text).digest('hex');
    },
  };
}

/** A value as it is written to the queue. */
export function signed<Value extends QueueValue>(
  key: QueueKey | undefined,
  kind: SignedKind,
  value: Value,
): Signed<Value> {
  return key === undefined ? { value } : { value, signature: key.sign(kind, value) };
}

/**
 * The value that was signed. Without a key everything is taken, and with one nothing that is not signed with it: then it
 * throws `access-denied`.
 *
 * @param what what it is, for the message: `run 7K3F`
 */
export function verified<Value extends QueueValue>(
  key: QueueKey | undefined,
  kind: SignedKind,
  { value, signature }: Signed<Value>,
  what: string,
): Value {
  if (key === undefined) return value;
  if (typeof signature !== 'string') {
    throw refusal(
      what,
      'is not signed, and this machine has a key',
      'start it with SYNCER_QUEUE_KEY',
    );
  }
  const [given, right] = [Buffer.from(signature), Buffer.from(key.sign(kind, value))];
  if (given.length !== right.length || !timingSafeEqual(given, right)) {
    throw refusal(what, 'has a wrong signature', 'give all machines the same SYNCER_QUEUE_KEY');
  }
  return value;
}

function refusal(what: string, why: string, advice: string): SyncerError {
  return new SyncerError('access-denied', `${what} ${why}: it is not taken`, { advice });
}

function readKey(path: string): string {
  try {
    return userText(readRegularFileSync(path)).replace(/(?:\r?\n)+$/, '');
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'no such file' : (code ?? message);
    throw new SyncerError('config', `cannot read SYNCER_QUEUE_KEY_FILE ${path}: ${why}`, {
      cause: thrown,
    });
  }
}
