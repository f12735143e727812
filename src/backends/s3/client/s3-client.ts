import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Context } from '../../../core/context.ts';
import { SyncerError, toSyncerError } from '../../../core/errors.ts';
import type { Op } from '../../../core/remote.ts';
import { retryAfter } from '../../../core/retry.ts';
import { type HttpAnswer, readWhole } from '../../http/answer.ts';
import { StaleConnection } from '../../http/connection-error.ts';
import { HttpClient } from '../../http/http-client.ts';
import type { HttpRequest } from '../../http/http-request.ts';
import type { TransportOptions } from '../../http/network-options.ts';
import { framedChunks, framedLength } from '../../s3-protocol/chunk-frames.ts';
import { child, childText } from '../../s3-protocol/read-xml.ts';
import { EMPTY_PAYLOAD, UNSIGNED_PAYLOAD } from '../../s3-protocol/signature-v4.ts';
import { canonicalQuery } from '../../s3-protocol/uri-encoding.ts';
import { type CredentialSource, credentialSource } from '../credentials.ts';
import { type Address, addressOf, BucketRegions, zoneOf } from '../endpoint.ts';
import { ibmSigner, ibmTokens } from '../ibm-iam.ts';
import type { S3Settings } from '../settings.ts';
import { type Credentials, type RequestSigner, SignerV4, signerV2 } from '../signers.ts';
import { hasS3Code, readErrorAnswer, StoreError } from '../store-error.ts';
import { readAnswerXml } from '../xml/read-answer.ts';
import { type S3Answer, type S3Request, whereOf, wholeAnswer } from './request.ts';

/** The S3 error codes of keys that were valid once, and may have been renewed. */
const OLD_KEYS = [
  ...['ExpiredToken', 'ExpiredTokenException', 'TokenRefreshRequired', 'RequestExpired'],
  ...['InvalidAccessKeyId', 'InvalidClientTokenId', 'InvalidToken', 'InvalidTokenId'],
];

/** A request that may be sent, and what it was signed with. */
interface SignedRequest {
  readonly http: HttpRequest;
  readonly credentials: Credentials | undefined;
  /** When it was signed, by the server's clock. */
  readonly ms: number;
}

/** A thin S3 client for one remote: signs, sends, follows a bucket to its region, retries; throws `SyncerError`s only. */
export class S3Client {
  readonly settings: S3Settings;
  readonly credentials: CredentialSource;
  readonly regions: BucketRegions;
  readonly #signers: Readonly<Record<'usual' | 'express' | 'session', RequestSigner>>;
  readonly #sessions: BucketSessions;
  readonly context: Context;
  /** The time that signatures have. */
  readonly clock: ServerClock;
  readonly #transport: TransportOptions;
  readonly #http: HttpClient;
  /** Headers the user wants for objects that are read and that are written. */
  readonly downloadHeaders: Readonly<Record<string, string>>;
  readonly uploadHeaders: Readonly<Record<string, string>>;
  /** Headers the user wants that a store takes only when they are signed. */
  readonly #signedExtra: Readonly<Record<string, string>>;
  #wasReached = false;

  constructor(
    settings: S3Settings,
    transport: TransportOptions,
    context: Context,
    credentials?: CredentialSource,
  ) {
    this.settings = settings;
    this.context = context;
    this.clock = new ServerClock(context);
    this.#transport = transport;
    this.#http = new HttpClient(transport, context.clock);
    const { ibm, v2Auth } = settings;
    const { userAgent, http } = transport;
    const server = { http: this.#http, userAgent, now: () => context.clock.now() };
    const tokens = ibm && (async () => ibmTokens(ibm, server, context.signal));
    this.credentials = credentials ?? credentialSource(settings, tokens);
    const keySigner = v2Auth ? signerV2 : new SignerV4();
    this.#signers = {
      usual: ibm === undefined ? keySigner : ibmSigner(ibm),
      express: new SignerV4('s3express'),
      session: new SignerV4('s3express', 'X-Amz-S3session-Token'),
    };
    this.#sessions = new BucketSessions((asked) => this.call(asked, context), settings.encryption);
    this.regions = new BucketRegions(settings.endpoint, settings.region, settings);
    this.downloadHeaders = transport.downloadHeaders ?? {};
    this.uploadHeaders = transport.uploadHeaders ?? {};
    this.#signedExtra = Object.fromEntries(
      Object.entries(http?.headers ?? {}).filter(([name]) => name.startsWith('x-amz-')),
    );
  }

  /** The environment of the run. */
  get env(): NodeJS.ProcessEnv {
    return this.#transport.env;
  }

  /** Reads the whole answer. Rejects with a `StoreError` for status 300 and above, with `bad-answer` for a web page. */
  call(request: S3Request, op: Op): Promise<S3Answer> {
    return this.open(request, op, wholeAnswer);
  }

  /** Sends a request and gives the answer to `use` when its head is there; `use` is within what is tried again. */
  async open<T>(
    request: S3Request,
    op: Op,
    use: (answer: HttpAnswer, request: S3Request) => Promise<T>,
  ): Promise<T> {
    try {
      return await use(await this.#attempt(request, op), request);
    } catch (failure) {
      const again = async () => {
        try {
          return await use(await this.#attempt(request, op), request);
        } catch (error) {
          if (error instanceof StoreError) error.isAgain = true;
          throw error;
        }
      };
      return retryAfter(failure, again, {
        tries: isReplayable(request) ? Math.max(1, this.#transport.lowLevelRetries) : 1,
        get what() {
          return `${request.doing} ${whereOf(request)}`;
        },
        signal: op.signal,
        context: this.context,
        // A host that has never answered is tried three times.
        giveUp: ({ code }, failures) => code === 'network' && !this.#wasReached && failures >= 3,
      });
    }
  }

  close(): void {
    this.#http.close();
  }

  /** How requests about a bucket are signed. */
  signing(
    bucket: string,
    nowMs: number,
    opensSession = false,
  ): {
    readonly signer: RequestSigner;
    /** None: requests are anonymous. */
    readonly credentials: Promise<Credentials | undefined> | Credentials | undefined;
  } {
    const { usual, express, session } = this.#signers;
    if (this.#isOfSession(bucket, opensSession)) {
      return { signer: session, credentials: this.#sessions.get(bucket, nowMs) };
    }
    const { directoryBucket } = this.settings;
    const isExpress = directoryBucket && (bucket === '' || zoneOf(bucket) !== undefined);
    return { signer: isExpress ? express : usual, credentials: this.credentials.get(nowMs) };
  }

  /**
   * One try, and more at once where the reason of the failure is known and removed: a closed connection, another
   * region, old keys, a clock that is wrong. These are repairs and no retries: they wait for nothing, and do not count
   * as tries. `open` retries, and calls it without a promise or a function more if the first try succeeds.
   */
  async #attempt(request: S3Request, op: Op): Promise<HttpAnswer> {
    let isAgain = false;
    for (let repairs = 0; ; repairs++) {
      const { endpoint, region } = this.regions.of(request.bucket);
      const address = addressOf(endpoint, request.bucket, request.key ?? '');
      let signed: SignedRequest | undefined;
      try {
        signed = await this.#signed(request, address, region, op);
        return await this.#send(request, signed, op);
      } catch (error) {
        if (error instanceof StoreError) error.isAgain = isAgain;
        isAgain ||= error instanceof StaleConnection;
        const isRetimed = signed !== undefined && this.clock.learn(error, signed.ms);
        if (op.signal.aborted || repairs >= 3) throw error;
        const isRenewed = await this.#renewKeys(error, request, signed);
        op.signal.throwIfAborted();
        if (!isReplayable(request)) {
          // With the new keys all of it can be sent again.
          const { message } = toSyncerError(error);
          throw isRenewed ? new SyncerError('network', message, { cause: error }) : error;
        }
        // Another request may have removed the reason by now.
        const now = this.regions.of(request.bucket);
        const isElsewhere = now.endpoint !== endpoint || now.region !== region;
        const isRepaired =
          isRetimed ||
          isRenewed ||
          this.#repair(error, request) ||
          (error instanceof StoreError && isElsewhere);
        if (!isRepaired) throw error;
      }
    }
  }

  #repair(error: unknown, request: S3Request): boolean {
    if (error instanceof StaleConnection) return true;
    if (this.#isOfSession(request.bucket, request.opensSession)) {
      // A refused HEAD has no text.
      const isSilent =
        request.method === 'HEAD' && error instanceof StoreError && error.status === 400;
      if (hasS3Code(error, ...OLD_KEYS) || isSilent) {
        this.#sessions.drop(request.bucket);
        return true;
      }
    }
    return error instanceof StoreError && this.regions.learn(request.bucket, error);
  }

  #isOfSession(bucket: string, opensSession = false): boolean {
    return this.settings.directoryBucket && !opensSession && zoneOf(bucket) !== undefined;
  }

  /** Gets the keys again if the server refuses them; `true` if there are others now. */
  async #renewKeys(error: unknown, request: S3Request, signed: SignedRequest | undefined) {
    const isOfSession = this.#isOfSession(request.bucket, request.opensSession);
    if (!(error instanceof StoreError) || isOfSession) return false;
    const isSure = hasS3Code(error, ...OLD_KEYS);
    // A refused HEAD has no text; a secret may be renewed without its ID.
    const isSilent = request.method === 'HEAD' && [400, 401, 403].includes(error.status);
    const mayBe = isSilent || hasS3Code(error, 'SignatureDoesNotMatch');
    if (!isSure && !mayBe) return false;
    return this.credentials.refresh(signed?.credentials, this.context.clock.now(), isSure);
  }

  /** The request with its signature, once it may be sent. */
  async #signed(
    request: S3Request,
    address: Address,
    region: string,
    op: Op,
  ): Promise<SignedRequest> {
    // Nothing is waited for without a reason: each small file is a request.
    const transaction = this.#transport.takeTransaction?.(op.signal);
    if (transaction !== undefined) await transaction;
    const limit = this.context.requestGate?.limit?.(op.signal);
    if (limit !== undefined) await limit;
    const ms = this.clock.now();
    const { signer, credentials: keys } = this.signing(request.bucket, ms, request.opensSession);
    const credentials = keys instanceof Promise ? await keys : keys;
    return { http: this.#sign(request, address, region, ms, signer, credentials), credentials, ms };
  }

  async #send(request: S3Request, { http }: SignedRequest, op: Op): Promise<HttpAnswer> {
    const answer = await this.#http.send(http, op.signal);
    this.#wasReached = true;
    if (answer.status >= 300) throw await this.#refusal(request, answer, op);
    return answer;
  }

  #sign(
    request: S3Request,
    address: Address,
    region: string,
    nowMs: number,
    signer: RequestSigner,
    credentials: Credentials | undefined,
  ): HttpRequest {
    const { method, query: given = [], version, body } = request;
    const { secure } = address;
    const pairs = version === undefined ? given : [...given, ['versionId', version] as const];
    const query = pairs.length === 0 ? '' : canonicalQuery(pairs);
    const streamed = body === undefined || Buffer.isBuffer(body) ? undefined : body;
    const trailer = streamed?.trailer;
    const size = body === undefined ? 0 : Buffer.isBuffer(body) ? body.length : body.size;
    const headers: Record<string, string> = { host: address.host };
    Object.assign(headers, request.headers);
    let payload: string;
    if (trailer === undefined) {
      payload = payloadHash(request, secure, this.settings.unsignedPayload);
    } else {
      // In chunks with its trailer, which are signed without TLS.
      payload = secure
        ? 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'
        : 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER';
      const encodings = ['aws-chunked', headers['content-encoding'] ?? ''];
      headers['content-encoding'] = encodings.filter((each) => each !== '').join(',');
      headers['x-amz-decoded-content-length'] = String(size);
      headers['x-amz-trailer'] = trailer.name;
    }
    Object.assign(headers, this.#signedExtra);
    if (this.settings.requesterPays) headers['x-amz-request-payer'] = 'requester';
    if (credentials !== undefined) {
      const { path, hostBucket } = address;
      const signable = { method, path, query, headers, hostBucket };
      signer.signHeaders(signable, credentials, region, payload, nowMs);
    }
    let sent = streamed?.stream ?? (body as Buffer | undefined);
    if (streamed !== undefined && trailer !== undefined) {
      const isSigned = !secure && credentials !== undefined;
      const chunkSigner = isSigned ? signer.signChunks(headers, credentials, region) : undefined;
      const chunks = framedChunks(streamed.stream, trailer, chunkSigner);
      sent = Readable.from(chunks, { objectMode: false });
    }
    headers['user-agent'] = this.#transport.userAgent;
    if (body !== undefined || method === 'PUT' || method === 'POST' || method === 'DELETE') {
      const length = trailer === undefined ? size : framedLength(size, trailer, !secure);
      headers['content-length'] = String(length);
    }
    return {
      method,
      origin: address,
      target: query === '' ? address.path : `${address.path}?${query}`,
      headers,
      body: sent,
      asksFirst: request.asksFirst === true,
    };
  }

  async #refusal(request: S3Request, answer: HttpAnswer, op: Op): Promise<SyncerError> {
    let cut: unknown;
    const body = await readWhole(answer, 1024 ** 2).catch((error) => {
      cut = error;
      return Buffer.alloc(0);
    });
    op.signal.throwIfAborted();
    const now = this.context.clock.now();
    const told = await readErrorAnswer(answer.status, answer.headers, body.toString('utf8'), now);
    const isAnonymous = this.credentials.account === '';
    const error = new StoreError(told, request.doing, whereOf(request), isAnonymous);
    // A refusal whose reason got lost may have been for a reason that passes, or for one that means success.
    return cut instanceof SyncerError && cut.retry && !error.retry ? cut : error;
  }
}

/** Whether a request can be sent again. */
const isReplayable = ({ body }: S3Request): boolean => body === undefined || Buffer.isBuffer(body);

/** What is signed of the body: what the user chose, else nothing over TLS, nor of a large one with `content-md5`. */
function payloadHash(
  { body, sha256, headers }: Pick<S3Request, 'body' | 'sha256' | 'headers'>,
  secure: boolean,
  isUnsigned: boolean | undefined,
): string {
  if (body === undefined) return EMPTY_PAYLOAD;
  if ((isUnsigned ?? secure) || !Buffer.isBuffer(body)) return UNSIGNED_PAYLOAD;
  const isLarge = isUnsigned === undefined && body.length > 1024 ** 2;
  if (isLarge && headers?.['content-md5'] !== undefined) return UNSIGNED_PAYLOAD;
  return body.length === 0 ? EMPTY_PAYLOAD : (sha256 ?? hash('sha256', body));
}

const MINUTE_MS = 60_000;

/** Servers take requests whose time is off by this much, in milliseconds; most take 15 minutes. */
const TAKEN_MS = 5 * MINUTE_MS;

/** How wrong a clock may be, in milliseconds: a time zone. By one months ahead, files in the trash would be too old. */
const MOST_WRONG_MS = 25 * 3_600_000;

/** The time of requests: that of the machine, until the server refuses it; then that of the server. */
class ServerClock {
  readonly #context: Context;
  #aheadMs = 0;

  constructor(context: Context) {
    this.#context = context;
  }

  now(): number {
    return this.#context.clock.now() + this.#aheadMs;
  }

  /**
   * Takes the server's time from its refusal of a request, if that may be for the time: a refused HEAD has no text.
   * `sentMs`: the time that the request had. Returns whether that was wrong, and is known better now.
   */
  learn(error: unknown, sentMs: number): boolean {
    if (!(error instanceof StoreError)) return false;
    const { status, s3Code, serverMs } = error;
    if (status !== 403 || !['', 'RequestTimeTooSkewed'].includes(s3Code)) return false;
    const aheadMs = serverMs - this.#context.clock.now();
    const isRight = !(Math.abs(serverMs - sentMs) > TAKEN_MS);
    if (isRight || Math.abs(aheadMs) > MOST_WRONG_MS) return false;
    if (Math.abs(aheadMs - this.#aheadMs) > TAKEN_MS) {
      const fields = { aheadMs: Math.round(aheadMs / MINUTE_MS) * MINUTE_MS };
      this.#context.emit({ type: 'log', level: 'notice', code: 'clock-differs', fields });
    }
    this.#aheadMs = aheadMs;
    return true;
  }
}

/** Sessions last five minutes: this long before the end, in milliseconds, the next one is created. */
const RENEW_BEFORE_MS = 60_000;

/** The sessions of directory buckets: credentials for one bucket each (CreateSession). */
class BucketSessions {
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
