import { expect, test } from 'vitest';
import { diagnose } from '../../../src/config-wizard/diagnosis.ts';
import type { Draft } from '../../../src/config-wizard/draft.ts';
import { type ErrorCode, SyncerError } from '../../../src/core/errors.ts';
import { KINDS, NOW } from './walk.ts';

function draftOf(type: string, values: Readonly<Record<string, string>>): Draft {
  const kind = KINDS.find((one) => one.type === type);
  if (kind === undefined) throw new Error(`no kind ${type}`);
  return { name: 'r', kind, values: new Map(Object.entries(values)), original: undefined };
}

const store = draftOf('s3', { endpoint: 'https://s3.example.com' });
const drive = draftOf('drive_provider_a', {});

test.each<[string, Draft, ErrorCode, string, string]>([
  [
    'wrong secret',
    store,
    'sign-in',
    'cannot list: the secret key is wrong (SignatureDoesNotMatch)',
    'secret_access_key',
  ],
  ['wrong key', store, 'sign-in', 'cannot list: access key not recognised', 'access_key_id'],
  [
    'clock',
    store,
    'sign-in',
    'cannot list: the local clock differs (RequestTimeTooSkewed)',
    '2026-11-20T12:00:00.000Z',
  ],
  ['region', store, 'config', 'wrong region (AuthorizationHeaderMalformed)', 'Set region to'],
  [
    'certificate',
    store,
    'bad-answer',
    'cannot trust s3.example.com: its certificate is self-signed',
    '--ca-cert',
  ],
  ['no TLS', store, 'bad-answer', 's3.example.com does not speak TLS', 'http://'],
  ['DNS', drive, 'network', 'cannot resolve host graph; check the endpoint', 'network'],
  ['refused', store, 'network', 'cannot connect to h (connection refused)', 'port'],
  ['client secret', drive, 'sign-in', 'the client_secret is wrong', 'application registration'],
  ['ended', drive, 'sign-in-needed', 'd: the login has expired', 'Log in again'],
  [
    'scope',
    drive,
    'access-denied',
    'cannot list: the account lacks the permission',
    'Files.ReadWrite.All',
  ],
  ['one bucket', store, 'access-denied', 'access denied', 'to one bucket'],
])('%s', (_, draft, code, message, mend) => {
  const told = diagnose(new SyncerError(code, message), draft, NOW);
  expect(told).toEqual({ what: message, mend: expect.stringContaining(mend) });
});

test('the region that the store names is the one to set', () => {
  const refused = Object.assign(new SyncerError('config', 'elsewhere'), { region: 'eu-west-3' });
  expect(diagnose(refused, store, NOW).mend).toBe('Set region = eu-west-3.');
});

test('an advice that the error has counts more', () => {
  const refused = new SyncerError('network', 'cannot resolve host b.s3', { advice: 'do this' });
  expect(diagnose(refused, store, NOW).mend).toBe('do this');
});

test('what is not known is told as it is, with its advice', () => {
  const odd = new SyncerError('other', 'odd', { advice: 'do this' });
  expect(diagnose(odd, store, NOW)).toEqual({ what: 'odd', mend: 'do this' });
  expect(diagnose(new Error('x'), store, NOW)).toEqual({ what: 'x', mend: '' });
});
