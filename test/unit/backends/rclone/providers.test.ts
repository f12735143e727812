import { expect, test } from 'vitest';
import {
  flagPrefix,
  type RcloneProvider,
  readProviders,
  UNASKED_PROVIDERS,
} from '../../../../src/backends/rclone/providers.ts';
import { FAKE_PROVIDERS } from '../../../support/fake-rclone.ts';

const read = readProviders(JSON.stringify(FAKE_PROVIDERS));
const of = (type: string) => read.find((one) => one.type === type) as RcloneProvider;
const option = (type: string, name: string) =>
  of(type).options.find((one) => one.name === name) as RcloneProvider['options'][number];

test('an option has the first paragraph of its help as a sentence, its type and its default', () => {
  expect(option('sftp', 'host')).toEqual({
    ...{ name: 'host', type: 'string', help: 'SSH host to connect to.', required: true },
  });
  expect(option('sftp', 'user')).toEqual({
    ...{ name: 'user', type: 'string', help: 'SSH username.', default: 'root' },
  });
  expect(option('sftp', 'port')).toMatchObject({ type: 'int', default: '22' });
  expect(option('sftp', 'chunk_size')).toMatchObject({ type: 'size', advanced: true });
  expect(option('sftp', 'disable_hashcheck')).toMatchObject({ type: 'bool', default: 'false' });
  expect(option('sftp', 'pin_host_key').isAsked).toBe(false);
  expect(option('sftp', 'description').type).toBe('string');
});

test('passwords are obscured, and secrets are what rclone calls sensitive but hosts and users', () => {
  const { options } = of('sftp');
  expect(options.filter((one) => one.secret).map(({ name }) => name)).toEqual(['pass', 'key_pem']);
  expect(options.filter((one) => one.obscured).map(({ name }) => name)).toEqual(['pass']);
  expect(option('box', 'token').secret).toBe(true);
});

test('an option of several providers is one, asked for those, and required for none alone', () => {
  const { options, firstOptions } = of('koofr');
  expect(options.map(({ name }) => name)).toEqual([
    ...['provider', 'endpoint', 'password', 'description'],
  ]);
  expect(options.some(({ required }) => required === true)).toBe(false);
  expect(firstOptions).toEqual([
    { name: 'provider' },
    { name: 'endpoint', where: { option: 'provider', is: ['other'] } },
    { name: 'password', where: { option: 'provider', is: ['koofr', 'other'] } },
  ]);
});

test('a type with a blank has its prefix and its name without it as other names', () => {
  expect(of('google cloud storage').aliases).toEqual(['gcs', 'googlecloudstorage']);
  expect(flagPrefix(of('google cloud storage'))).toBe('gcs');
  expect(flagPrefix(of('sftp'))).toBe('sftp');
});

test('without rclone, each type has its passwords', () => {
  const crypt = UNASKED_PROVIDERS.find(({ type }) => type === 'crypt');
  expect(crypt?.options.find(({ name }) => name === 'password2')?.obscured).toBe(true);
});
