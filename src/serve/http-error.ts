import type { ErrorCode, SyncerError } from '../core/errors.ts';

/** A refusal of the file server, with its HTTP status. */
export class HttpError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** An XML body (WebDAV); by default the message is the body. */
  readonly xml: string | undefined;

  constructor(
    status: number,
    message: string,
    details: { readonly headers?: Readonly<Record<string, string>>; readonly xml?: string } = {},
  ) {
    super(message);
    this.status = status;
    this.headers = details.headers ?? {};
    this.xml = details.xml;
  }
}

const STATUS: Partial<Record<ErrorCode, number>> = {
  'file-not-found': 404,
  'directory-not-found': 404,
  'bucket-not-found': 404,
  vanished: 404,
  'access-denied': 403,
  archived: 403,
  unreadable: 403,
  'read-only': 403,
  'already-exists': 409,
  'not-empty': 409,
  'not-a-file': 409,
  'not-a-directory': 409,
  'name-invalid': 400,
  'name-too-long': 400,
  'precondition-failed': 412,
  'too-large': 413,
  corrupted: 422,
  unsupported: 501,
  'no-space': 507,
  'quota-exceeded': 507,
  throttled: 503,
  'source-changed': 503,
  network: 502,
  'body-cut': 502,
  unreachable: 502,
  'bad-answer': 502,
  server: 502,
  'timed-out': 504,
};

/** The HTTP status for a failure of the remote. */
export const statusOf = ({ code }: SyncerError): number => STATUS[code] ?? 500;
