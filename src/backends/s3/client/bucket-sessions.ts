import { SyncerError } from '../../../core/errors.ts';
import { child, childText } from '../../s3-protocol/read-xml.ts';
import type { S3Settings } from '../settings.ts';
import type { Credentials } from '../signers.ts';
import { readAnswerXml } from '../xml/read-answer.ts';
import type { S3Answer, S3Request } from './request.ts';

/** Sessions last five minutes: this long before the end, in milliseconds, the next one is created. */
const RENEW_BEFORE_MS = 60_000;

/** The sessions of directory buckets: credentials for one bucket each (CreateSession). */
export class BucketSessions {
  readonly #call: (request: S3Request) => Promise<S3Answer>;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #current = new Map<string, Credentials>();
  readonly #pending = new Map<string, Promise<Credentials>>();

  /** `encryption` of the objects that the sessions write. */
  constructor(
    call: (request: S3Request) => Promise<S3Answer>,
    { algorithm, kmsKeyId }: Pick<S3Settings['encryption'], 'algorithm' | 'kmsKeyId'>,
  ) {
    this.#call = call;
    this.#headers = {
      ...(algorithm === '' ? {} : { 'x-amz-server-side-encryption': algorithm }),
      ...(kmsKeyId === '' ? {} : { 'x-amz-server-side-encryption-aws-kms-key-id': kmsKeyId }),
    };
  }

  /** The credentials of the bucket's session; all concurrent callers wait for one request. */
  get(bucket: string, nowMs: number): Promise<Credentials> | Credentials {
    const current = this.#current.get(bucket);
    if (current !== undefined && (current.expiresMs ?? 0) - RENEW_BEFORE_MS > nowMs) return current;
    const running = this.#pending.get(bucket);
    if (running !== undefined) return running;
    const pending = this.#create(bucket).finally(() => {
      this.#pending.delete(bucket);
    });
    this.#pending.set(bucket, pending);
    return pending;
  }

  /** The server no longer accepts the session. */
  drop(bucket: string): void {
    this.#current.delete(bucket);
  }

  async #create(bucket: string): Promise<Credentials> {
    const answer = await this.#call({
      method: 'GET',
      bucket,
      query: [['session', '']],
      headers: this.#headers,
      opensSession: true,
      doing: 'open a session of',
    });
    const root = await readAnswerXml(answer.body.toString('utf8'));
    const told = child(root, 'Credentials');
    const text = (field: string) => (told && childText(told, field)) ?? '';
    const session = {
      accessKeyId: text('AccessKeyId'),
      secretAccessKey: text('SecretAccessKey'),
      sessionToken: text('SessionToken'),
      expiresMs: Date.parse(text('Expiration')),
    };
    if (root.name !== 'CreateSessionResult' || Object.values(session).some((value) => !value)) {
      const text = `cannot open a session of bucket ${bucket}: the response has no credentials`;
      throw new SyncerError('bad-answer', text);
    }
    this.#current.set(bucket, session);
    return session;
  }
}
