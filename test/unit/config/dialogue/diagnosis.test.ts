import { expect, test } from 'vitest';
import { refusalError } from '../../../../src/backends/auth/post-form.ts';
import { connectionError } from '../../../../src/backends/http/connection-error.ts';
import { StoreError } from '../../../../src/backends/s3/store-error.ts';
import { diagnose } from '../../../../src/config/dialogue/diagnosis.ts';
import type { Draft } from '../../../../src/config/dialogue/draft.ts';
import { SyncerError } from '../../../../src/core/errors.ts';
import { KINDS, NOW } from './walk.ts';

function draftOf(type: string, values: Readonly<Record<string, string>>): Draft {
  const kind = KINDS.find((one) => one.type === type);
  if (kind === undefined) throw new Error(`no kind ${type}`);
  return { name: 'r', kind, values: new Map(Object.entries(values)), original: undefined };
}

const store = draftOf('s3', { endpoint: 'https://s3.example.com' });
const drive = draftOf('drive_provider_a', {});

const answer = (s3Code: string, region?: string) =>
  new StoreError({ status: 400, s3Code, message: '', region }, 'list', 'r');
const refused = (error: string, description = '') =>
  refusalError({ error, description, status: 400 });
const connection = (code: string) =>
  connectionError(Object.assign(new Error(code), { code }), { host: 'h' } as never, false);

test.each<[string, Draft, Error, string, string | undefined]>([
  ['secret', store, answer('SignatureDoesNotMatch'), 'secret_access_key', 'secret_access_key'],
  ['key', store, answer('InvalidAccessKeyId'), 'access_key_id', 'access_key_id'],
  ['clock', store, answer('RequestTimeTooSkewed'), '2026-11-20T12:00:00.000Z', undefined],
  ['region', store, answer('AuthorizationHeaderMalformed'), 'Set region to', 'region'],
  [
    'redirect',
    store,
    answer('PermanentRedirect', 'eu-west-3'),
    'Set region = eu-west-3.',
    'region',
  ],
  ['authority', store, connection('DEPTH_ZERO_SELF_SIGNED_CERT'), '--ca-cert', 'endpoint'],
  ['host', store, connection('ERR_TLS_CERT_ALTNAME_INVALID'), 'endpoint matches', 'endpoint'],
  ['early', store, connection('CERT_NOT_YET_VALID'), '2026-11-20T12:00:00.000Z', undefined],
  ['no TLS', store, connection('EPROTO'), 'http://', 'endpoint'],
  ['DNS', drive, connection('ENOTFOUND'), 'network', undefined],
  ['refused', store, connection('ECONNREFUSED'), 'port', 'endpoint'],
  ['client', drive, refused('invalid_client'), 'application registration', 'client_id'],
  ['secret of the client', drive, refused('x', 'AADSTS7000222: y'), 'registration', 'client_id'],
  ['ended', drive, new SyncerError('sign-in-needed', 'd: over'), 'Log in again', 'token'],
  ['scope', drive, new SyncerError('access-denied', 'no'), 'Files.ReadWrite.All', undefined],
  ['one bucket', store, new SyncerError('access-denied', 'no'), 'to one bucket', undefined],
])('%s', (_, draft, error, mend, field) => {
  const found = diagnose(error, draft, NOW);
  expect(found).toEqual({ what: error.message, mend: expect.stringContaining(mend), field });
});

test('the words of a message decide nothing, and the error underneath is found', () => {
  const words = new SyncerError('other', 'the secret key is wrong (SignatureDoesNotMatch)');
  expect(diagnose(words, store, NOW)).toMatchObject({ mend: '', field: undefined });
  const wrapped = new SyncerError('sign-in', 'work: refused', { cause: refused('invalid_client') });
  expect(diagnose(wrapped, drive, NOW).field).toBe('client_id');
});

test('an advice that the error has counts more', () => {
  const refused = new SyncerError('network', 'cannot resolve host b.s3', { advice: 'do this' });
  expect(diagnose(refused, store, NOW).mend).toBe('do this');
});

test('what is not known is told as it is, with its advice', () => {
  const odd = new SyncerError('other', 'odd', { advice: 'do this' });
  expect(diagnose(odd, store, NOW)).toMatchObject({ what: 'odd', mend: 'do this' });
  expect(diagnose(new Error('x'), store, NOW)).toMatchObject({ what: 'x', mend: '' });
});
