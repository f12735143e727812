import { describe, expect, test } from 'vitest';
import { iniSections, parseIni } from '../../../src/config/ini-lines.ts';
import { namedRemotes, orderRemotes, remoteLines } from '../../../src/config/remote-names.ts';

const remotes = (text: string, env: NodeJS.ProcessEnv = {}) =>
  namedRemotes(iniSections(parseIni(text, 'f')), env, (type) => type === 's3' || type === 'local');
const names = (text: string, env?: NodeJS.ProcessEnv) => remotes(text, env).map(({ name }) => name);

describe('remotes of the file and the environment', () => {
  test('in the order of the file', () => {
    expect(names('[b]\n[a]\n[Z]\n[é]\n[a-b]\n')).toEqual(['b', 'a', 'Z', 'é', 'a-b']);
  });

  test('the environment adds remotes, in lower case, and none twice', () => {
    const env = { SYNCER_CONFIG_MY_S3_TYPE: 's3', SYNCER_CONFIG_X_TYPE: 'local' };
    const file = '[a]\ntype = s3\ndescription = one\n[X]\ntype = s3\n';
    expect(remotes(file, env)).toEqual([
      { name: 'my_s3', type: 's3', source: 'environment', description: '' },
      { name: 'X', type: 'local', source: 'environment', description: '' },
      { name: 'a', type: 's3', source: 'file', description: 'one' },
    ]);
  });

  test('a key that ends in _type is no remote', () => {
    const env = { SYNCER_CONFIG_X_DRIVE_TYPE: 'business' };
    expect(names('[x]\n', env)).toEqual(['x']);
    expect(names('', env)).toEqual(['x_drive']);
    expect(names('', { ...env, SYNCER_CONFIG_X_TYPE: 's3' })).toEqual(['x']);
    expect(names('[x]\n', { SYNCER_CONFIG_X_DRIVE_TYPE: 's3' })).toEqual(['x_drive', 'x']);
  });
});

test('lines, with types and descriptions in columns', () => {
  const list = remotes('[é]\ntype=s3\n[long name]\n[b]\ntype=nobody knows\ndescription=x y\n');
  expect(remoteLines(list, false)).toEqual(['é:', 'long name:', 'b:']);
  expect(remoteLines(list, true)).toEqual([
    'é:         s3           ',
    'long name:              ',
    'b:         nobody knows x y',
  ]);
  expect(remoteLines([], true)).toEqual([]);
});

test('sorted by fields, each in its direction', () => {
  const list = remotes('[c]\ntype=s3\n[b]\ntype=local\n[a]\ntype=s3\n');
  const sorted = (by: string) => orderRemotes(list, by).map(({ name }) => name);
  expect(sorted('')).toEqual(['c', 'b', 'a']);
  expect(sorted('type')).toEqual(['b', 'c', 'a']);
  expect(sorted('type=descending,name')).toEqual(['a', 'c', 'b']);
  expect(() => sorted('size')).toThrow('unknown --order-by field "size"');
  expect(() => sorted('name=up')).toThrow('unknown --order-by direction "up"');
});
