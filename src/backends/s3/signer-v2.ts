import { createHmac } from 'node:crypto';
import { canonicalQuery } from '../s3-protocol/uri-encoding.ts';
import type { Credentials, RequestSigner, Signable } from './request-signer.ts';

/** The parameters that are part of the resource. */
const SIGNED =
  /^(?:acl|delete|legal-hold|lifecycle|location|logging|notification|partNumber|policy|requestPayment|response-.+|restore|retention|tagging|torrent|uploadId|uploads|versionId|versioning|versions|website)$/;

/**
 * Signature version 2, for old servers: "Signing and Authenticating REST Requests" in the Amazon S3 user guide. It
 * covers no host, and of the content only `content-md5`.
 */
export class SignerV2 implements RequestSigner {
  signHeaders(
    request: Signable,
    credentials: Credentials,
    _region: string,
    _payloadHash: string,
    nowMs: number,
  ): Record<string, string> {
    const { accessKeyId, sessionToken } = credentials;
    const headers: Record<string, string> = {
      ...request.headers,
      date: new Date(nowMs).toUTCString(),
      ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
    };
    const signature = sign({ ...request, headers }, credentials, headers['date'] ?? '');
    return { ...headers, authorization: `AWS ${accessKeyId}:${signature}` };
  }

  presignQuery(
    request: Parameters<RequestSigner['presignQuery']>[0],
    credentials: Credentials,
    _region: string,
    expiresSeconds: number,
    nowMs: number,
  ): string {
    const { accessKeyId, sessionToken } = credentials;
    const expires = String(Math.floor(nowMs / 1000) + expiresSeconds);
    const token = sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken };
    const signable = { ...request, query: canonicalQuery(request.query) };
    const headers = { ...request.headers, ...token };
    return canonicalQuery([
      ...request.query,
      ...Object.entries(token),
      ['AWSAccessKeyId', accessKeyId],
      ['Expires', expires],
      ['Signature', sign({ ...signable, headers }, credentials, expires)],
    ]);
  }

  signChunks(): undefined {
    return undefined;
  }
}

/** The signature in base64. `date`: the header, or when a URL expires. */
function sign(
  { method, path, query, headers, hostBucket = '' }: Signable,
  { secretAccessKey }: Credentials,
  date: string,
): string {
  const amz = Object.keys(headers)
    .filter((name) => name.startsWith('x-amz-'))
    .sort()
    .map((name) => `${name}:${headers[name]?.trim()}\n`);
  const { 'content-md5': md5 = '', 'content-type': type = '' } = headers;
  const resource = `${hostBucket === '' ? '' : `/${hostBucket}`}${path}${signedQuery(query)}`;
  const text = `${method}\n${md5}\n${type}\n${date}\n${amz.join('')}${resource}`;
  return createHmac('sha1', secretAccessKey).update(text).digest('base64');
}

/** The parameters of the resource, in order, with their values as they are. */
function signedQuery(query: string): string {
  const pairs = [...new URLSearchParams(query)].filter(([name]) => SIGNED.test(name));
  const texts = pairs.map(([name, value]) => (value === '' ? name : `${name}=${value}`));
  return texts.length === 0 ? '' : `?${texts.sort().join('&')}`;
}
