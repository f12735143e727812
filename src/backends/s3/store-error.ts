import { hasCode, SyncerError, toSyncerError } from '../../core/errors.ts';
import { type HttpHeaders, retryAfterMs } from '../../http/answer-parser.ts';
import { childText, type XmlElement } from '../../s3-protocol/read-xml.ts';
import { isKnownCode, meaningOf } from './error-meaning.ts';
import { readAnswerXml } from './xml/read-answer-xml.ts';

/** An error response of an S3 server. */
export class StoreError extends SyncerError {
  /** HTTP status; 200 if the error was in the body of a success. */
  readonly status: number;
  /** `NoSuchKey`; `''` if the response had none (HEAD has no body). */
  readonly s3Code: string;
  /** The bucket's region in the response. */
  readonly region: string | undefined;
  /** The target of a redirect. */
  readonly location: string | undefined;
  /** The server's time of the response, in milliseconds; `NaN` if unknown. */
  readonly serverMs: number;
  /** An earlier request of the call had no proper response, and may have been carried out. */
  isAgain = false;

  /** @param isAnonymous whether the request was sent without a key */
  constructor(answer: ErrorAnswer, doing: string, where: string, isAnonymous = false) {
    const { code, text, ...faults } = meaningOf(answer, isAnonymous);
    const told = tellMore(answer);
    const wait = answer.retryAfterMs === undefined ? {} : { retryAfterMs: answer.retryAfterMs };
    super(code, `cannot ${doing} ${where}: ${text}${told}`, { ...wait, ...faults });
    this.status = answer.status;
    this.s3Code = answer.s3Code;
    this.region = answer.region;
    this.location = answer.location;
    this.serverMs = answer.serverMs ?? Number.NaN;
  }
}

/** The content of an error response. */
export interface ErrorAnswer {
  readonly status: number;
  readonly s3Code: string;
  readonly message: string;
  readonly region?: string | undefined;
  readonly location?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  /** The server's time, in milliseconds. */
  readonly serverMs?: number;
}

/** Whether `thrown` is a response of the server with one of these codes. */
export function hasS3Code(thrown: unknown, ...codes: string[]): thrown is StoreError {
  return thrown instanceof StoreError && codes.includes(thrown.s3Code);
}

/** Whether the condition of a write was not met after an earlier request for it, which may have been carried out. */
export function isRefusedAgain(thrown: unknown): boolean {
  return thrown instanceof StoreError && thrown.isAgain && hasCode(thrown, 'precondition-failed');
}

/** Reads an error response; of a body that is not S3's XML, only the status counts. */
export async function readErrorAnswer(
  status: number,
  headers: HttpHeaders,
  body: string,
  nowMs: number,
): Promise<ErrorAnswer> {
  const xml = body.trimStart().startsWith('<') ? await readErrorXml(body) : undefined;
  return {
    status,
    s3Code: xml?.code ?? '',
    message: xml?.message ?? '',
    region: headers['x-amz-bucket-region'] ?? xml?.region,
    location: status < 400 ? headers['location'] : undefined,
    retryAfterMs: retryAfterMs(headers['retry-after'], nowMs),
    serverMs: Date.parse(headers['date'] ?? ''),
  };
}

/** The code and message of an `<Error>` document; `undefined` for any other. */
async function readErrorXml(
  body: string,
): Promise<{ code: string; message: string; region?: string } | undefined> {
  const root = await readAnswerXml(body).catch(() => undefined);
  return root && errorOf(root);
}

/** The code and message of an `<Error>` element, which is the document or in it. */
export function errorOf(
  root: XmlElement,
): { code: string; message: string; region?: string } | undefined {
  const error =
    root.name === 'Error' ? root : root.children.find((child) => child.name === 'Error');
  if (error === undefined) return undefined;
  const region = childText(error, 'Region');
  return {
    code: childText(error, 'Code')?.trim() ?? '',
    message: childText(error, 'Message') ?? '',
    ...(region === undefined ? {} : { region }),
  };
}

/** The code, and the server's own words if our text does not already say it; of a redirect its target. */
function tellMore({ s3Code, message, status, location = '' }: ErrorAnswer): string {
  const elsewhere = URL.parse(location);
  if (elsewhere !== null) return ` (${s3Code || status}: it is at ${elsewhere.origin})`;
  if (s3Code === '') return ` (${status})`;
  const words = message.replace(/\s+/g, ' ').trim().slice(0, 200);
  return isKnownCode(s3Code) || words === '' ? ` (${s3Code})` : ` (${s3Code}: ${words})`;
}

/**
 * `NoSuchBucket` as a missing directory; `undefined` for everything else: any other 404 is a server in trouble, and
 * missing files may be overwritten.
 *
 * @param remote the name of the remote
 * @param hasBegun the bucket existed before: then it is not missing, and the response is wrong
 */
export function missingBucket(
  error: unknown,
  remote: string,
  bucket: string,
  hasBegun = false,
): SyncerError | undefined {
  if (!hasS3Code(error, 'NoSuchBucket')) return undefined;
  if (hasBegun) {
    const text = `bucket ${bucket} was listed, but is not found now`;
    return new SyncerError('bad-answer', text, { cause: error });
  }
  return new SyncerError('directory-not-found', `bucket ${bucket} not found`, {
    advice: `check its name; "syncer lsd ${remote.startsWith(':') ? 'remote' : remote}:" lists the buckets`,
    cause: error,
  });
}

/** An error of a write: if its conditions were not met, with these in the text. */
export function errorOfWrite(
  conditions: Readonly<Record<string, string>>,
  { path, bucket, key }: { readonly path: string; readonly bucket: string; readonly key: string },
  cause: unknown,
): SyncerError {
  const given = Object.entries(conditions).map(([name, value]) => `${name}: ${value}`);
  if (given.length === 0 || !hasCode(cause, 'precondition-failed')) return toSyncerError(cause);
  const text = `${bucket}/${key} was not written: it does not meet the condition ${given.join(', ')}`;
  return new SyncerError('precondition-failed', text, { path, cause });
}
