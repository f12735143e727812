import { expect, test } from 'vitest';
import { authorizeLine, type Draft } from '../../../../src/config/dialogue/draft.ts';
import { KINDS } from './walk.ts';

const kind = KINDS.find(({ type }) => type === 'drive_provider_a') ?? KINDS[0];
if (kind === undefined) throw new Error('no kinds');

const draft = (values: Record<string, string>): Draft => ({
  name: 'd',
  kind,
  values: new Map(Object.entries(values)),
  original: undefined,
});

test('names the application; the secret is masked on demand, and safe in a shell', () => {
  const plain = draft({ client_id: 'id', client_secret: 'a$b' });
  expect(authorizeLine(plain, true)).toBe('syncer authorize drive_provider_a id ***');
  expect(authorizeLine(plain, false)).toBe("syncer authorize drive_provider_a id 'a$b'");
  expect(authorizeLine(draft({ client_id: 'id' }), true)).toBe(
    'syncer authorize drive_provider_a id',
  );
});

test('takes along what decides where and for what to log in, and nothing else', () => {
  const chosen = draft({
    client_id: 'id',
    region: 'us',
    tenant: 'common',
    access_scopes: 'Files.Read offline_access',
    drive_id: 'd',
    token: '{}',
  });
  expect(authorizeLine(chosen, true)).toBe(
    "syncer authorize drive_provider_a id --drive-provider-a-region us --drive-provider-a-access-scopes 'Files.Read offline_access'",
  );
});
