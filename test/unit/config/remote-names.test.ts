import { describe, expect, test } from 'vitest';
import { iniSections, parseIni } from '../../../src/config/ini-lines.ts';
import { namedRemotes, remoteLines } from '../../../src/config/remote-names.ts';

const remotes = (text: string, env: NodeJS.ProcessEnv = {}) =>
  namedRemotes(iniSections(parseIni(text, 'f')), env, (type) => type === 's3' || type === 'local');
const names = (text: string, env?: NodeJS.ProcessEnv) => remotes(text, env).map(({ name }) => name);

describe('remotes of the file and the environment', () => {
  test('by the bytes of their names', () => {
    expect(names('[b]\n[a]\n[Z]\n[é]\n[a-b]\n')).toEqual(['Z', 'a', 'a-b', 'b', 'é']);
  });

  test('the environment adds remotes, in lower case, and none twice', () => {
    const env = { SYNCER_CONFIG_MY_S3_TYPE: 's3', SYNCER_CONFIG_X_TYPE: 'local' };
    expect(remotes('[X]\ntype = s3\n', env)).toEqual([
      { name: 'X', type: 'local' },
      { name: 'my_s3', type: 's3' },
    ]);
  });

  test('a key that ends in _type is no remote', () => {
    const env = { SYNCER_CONFIG_X_DRIVE_TYPE: 'business' };
    expect(names('[x]\n', env)).toEqual(['x']);
    expect(names('', env)).toEqual(['x_drive']);
    expect(names('', { ...env, SYNCER_CONFIG_X_TYPE: 's3' })).toEqual(['x']);
    expect(names('[x]\n', { SYNCER_CONFIG_X_DRIVE_TYPE: 's3' })).toEqual(['x', 'x_drive']);
  });
});

test('lines, with types in a column', () => {
  const list = remotes('[a]\ntype=s3\n[long name]\n[b]\ntype=nobody knows\n');
  expect(remoteLines(list, false)).toEqual(['a:', 'b:', 'long name:']);
  expect(remoteLines(list, true)).toEqual([
    'a:         s3',
    'b:         nobody knows',
    'long name: ',
  ]);
  expect(remoteLines([], true)).toEqual([]);
});
