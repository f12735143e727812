import { expect, test } from 'vitest';
import {
  createAuthenticator,
  type RequestToAuthenticate,
} from '../../../../../src/serve/s3/auth/authenticate.ts';
import { S3Error } from '../../../../../src/serve/s3/wire/s3-error.ts';
import { KEY, presign, signHeaders } from '../../../../servers/sign-request.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const authenticate = createAuthenticator([KEY], 'us-east-1', () => NOW);

function outcome(request: RequestToAuthenticate, check = authenticate): string {
  try {
    return check(request).accessKeyId ?? 'anonymous';
  } catch (error) {
    return error instanceof S3Error ? error.code : String(error);
  }
}

const plain = { method: 'GET', path: '/bucket/key', now: NOW };
const signed = (extra: Partial<Parameters<typeof signHeaders>[0]> = {}) =>
  signHeaders({ ...plain, ...extra });

test('a right signature passes', () => {
  expect(outcome(signed())).toBe(KEY.accessKeyId);
  expect(outcome(presign({ ...plain, expires: 60 }))).toBe(KEY.accessKeyId);
});

test('the path is signed in one form, however the client encoded it', () => {
  const request = signed({ path: '/bucket/a/b%C3%BC~~%FF' });
  expect(outcome({ ...request, rawPath: '/bucket/a%2fb%c3%BC~%7E%FF' })).toBe(KEY.accessKeyId);
});

test.each<[string, RequestToAuthenticate, string]>([
  ['a wrong secret', signed({ secret: 'wrong' }), 'SignatureDoesNotMatch'],
  ['an unknown key', signed({ accessKeyId: 'nobody' }), 'InvalidAccessKeyId'],
  ['another region', signed({ region: 'eu-west-1' }), 'AuthorizationHeaderMalformed'],
  ['a clock behind', signed({ now: NOW - 16 * 60_000 }), 'RequestTimeTooSkewed'],
  ['a clock ahead', signed({ now: NOW + 16 * 60_000 }), 'RequestTimeTooSkewed'],
  ['nothing', { ...signed(), headers: { host: 'h' } }, 'AccessDenied'],
  ['another path', { ...signed(), rawPath: '/bucket/other' }, 'SignatureDoesNotMatch'],
  ['another method', { ...signed(), method: 'DELETE' }, 'SignatureDoesNotMatch'],
  ['a parameter more', { ...signed(), query: [['versionId', '1']] }, 'SignatureDoesNotMatch'],
  [
    'a changed header',
    { ...signed(), headers: { ...signed().headers, host: 'elsewhere' } },
    'SignatureDoesNotMatch',
  ],
  [
    'an unsigned x-amz- header',
    { ...signed(), headers: { ...signed().headers, 'x-amz-meta-a': '1' } },
    'AccessDenied',
  ],
  [
    'no host among the signed headers',
    {
      ...signed(),
      headers: {
        ...signed().headers,
        authorization: signed().headers.authorization?.replace('host;', ''),
      },
    },
    'AccessDenied',
  ],
  [
    'a header that is no signature',
    { ...signed(), headers: { authorization: 'AWS4-HMAC-SHA256 Credential=x', host: 'h' } },
    'InvalidRequest',
  ],
  [
    'another way of signing',
    { ...signed(), headers: { authorization: 'Basic a2V5', host: 'h' } },
    'InvalidRequest',
  ],
  ['an expired URL', presign({ ...plain, now: NOW - 61_000, expires: 60 }), 'AccessDenied'],
  [
    'a URL from the future',
    presign({ ...plain, now: NOW + 16 * 60_000, expires: 60 }),
    'AccessDenied',
  ],
  [
    'a URL for more than a week',
    presign({ ...plain, expires: 604_801 }),
    'AuthorizationQueryParametersError',
  ],
])('%s is refused', (_, request, code) => {
  expect(outcome(request)).toBe(code);
});

test('a URL is good until it expires', () => {
  expect(outcome(presign({ ...plain, now: NOW - 59_000, expires: 60 }))).toBe(KEY.accessKeyId);
});

test('a tampered URL is refused', () => {
  const request = presign({ ...plain, expires: 60 });
  const query = request.query.map(([name, value]): [string, string] =>
    name === 'X-Amz-Expires' ? [name, '600'] : [name, value],
  );
  expect(outcome({ ...request, query })).toBe('SignatureDoesNotMatch');
});

test('without keys everybody passes', () => {
  const open = createAuthenticator([], 'us-east-1', () => NOW);
  expect(outcome(signed({ secret: 'wrong' }), open)).toBe('anonymous');
  expect(outcome({ ...signed(), headers: { host: 'h' } }, open)).toBe('anonymous');
});
