import { expect, test } from 'vitest';
import { KnownSecrets } from '../../../../src/shell/log/known-secrets.ts';
import { crashText } from '../../../../src/shell/process/end-process.ts';

test('a fault is told with its place, and neither with secrets nor with what a terminal obeys', () => {
  const cause = { config: { secret_access_key: 'S3cr3t', token: { access_token: 'S3cr3t' } } };
  const text = crashText(
    new Error('no \x1b[2J of https://u:S3cr3t@h/', { cause }),
    new KnownSecrets(),
  );
  expect(text).toContain('Error: no ␛[2J of https://u:REDACTED@h/');
  expect(text).toContain('tell-crash.test.ts');
  expect(text).not.toContain('S3cr3t');
});
