import { describe, expect, test } from 'vitest';
import { iniSections, parseIni } from '../../../src/config/ini-lines.ts';
import { obscure } from '../../../src/config/obscure.ts';
import type { OptionSources } from '../../../src/config/option-sources.ts';
import { parseRemoteSpec } from '../../../src/config/remote-spec.ts';
import { connectionString, resolveOptions } from '../../../src/config/resolve-options.ts';

const option = { type: 'string', help: 'Help.' } as const;
const BACKENDS = [
  { type: 'local', options: [{ ...option, name: 'copy_links' }] },
  {
    type: 's3',
    options: [
      { ...option, name: 'provider', default: 'Other' },
      { ...option, name: 'endpoint' },
      { ...option, name: 'secret_access_key' },
    ],
  },
  {
    type: 'drive_provider_a',
    aliases: ['onedrive'],
    options: [
      { ...option, name: 'drive_id', required: true },
      { ...option, name: 'drive_type', required: true },
      { ...option, name: 'password', obscured: true },
    ],
  },
];

const FILE = `
[x]
type = s3
endpoint = file
provider =
unknown_key = stays
[drive]
type = onedrive
drive_id = d
drive_type = business
password = ${obscure('hunter2')}
[half]
type = onedrive
[plain]
type = onedrive
drive_id = d
drive_type = t
password = hunter2
[nothing]
k = v
[other]
type = webdav
[photos]
type = alias
remote = x:bucket/photos
[old photos]
type = alias
remote = photos:old
[home]
type = alias
remote = /home/me
[loop]
type = alias
remote = pool:a
[pool]
type = alias
remote = loop:b
[empty]
type = alias
`;

interface Given {
  env?: NodeJS.ProcessEnv;
  flags?: Readonly<Record<string, string>>;
}

const sources = ({ env = {}, flags = {} }: Given = {}): OptionSources => ({
  config: iniSections(parseIni(FILE, 'f')),
  configPath: '/c/syncer.conf',
  env,
  flagValue: (flag) => flags[flag],
  backends: BACKENDS,
  nearest: (typed, names) => [...names].find((name) => name[0] === typed[0]),
});
const open = (path: string, given?: Given) => resolveOptions(path, sources(given));
const failure = (code: string, text: RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(text) });

test('a path as a connection string', () => {
  const text = (path: string, given?: Given) => connectionString(path, sources(given));
  expect(text('x:b')).toBe(':s3,endpoint=file:b');
  const flags = { 's3-endpoint': "http://h'", 's3-provider': 'Other' };
  expect(text('x,secret_access_key=true:b/c', { flags })).toBe(
    ":s3,endpoint='http://h''',secret_access_key:b/c",
  );
  expect(text('./a:b')).toBe(':local:./a:b');
  expect(text('drive:')).toMatch(/^:onedrive,drive_id=d,drive_type=business,password=[\w-]+:$/);
  expect(parseRemoteSpec(text('x,endpoint="a,b":p'))).toEqual({
    name: ':s3',
    overrides: new Map([['endpoint', 'a,b']]),
    path: 'p',
  });
  expect(() => text('z:')).toThrow('no remote named "z"');
});

describe('where an option comes from', () => {
  const flags = { 's3-endpoint': 'flag' };
  const env = { SYNCER_CONFIG_X_ENDPOINT: 'env x', SYNCER_S3_ENDPOINT: 'env s3' };
  const endpoint = (path: string, given?: Given) => open(path, given).options['endpoint'];

  test('connection string, flag, environment, file, default', () => {
    expect(endpoint('x,endpoint=string:b', { flags, env })).toBe('string');
    expect(endpoint('x:b', { flags, env })).toBe('flag');
    const fixed = resolveOptions('x,endpoint=string:b', sources({ flags }), { endpoint: 'fixed' });
    expect(fixed.options['endpoint']).toBe('fixed');
    expect(endpoint('x:b', { env })).toBe('env x');
    expect(endpoint('x:b', { env: { SYNCER_S3_ENDPOINT: 'env s3' } })).toBe('env s3');
    expect(endpoint('x:b')).toBe('file');
    expect(endpoint(':s3:b')).toBeUndefined();
    expect(open('x:b').options).toEqual({ provider: 'Other', endpoint: 'file' });
  });

  test('an empty value is a value, but not in the file', () => {
    expect(endpoint('x,endpoint=:b')).toBe('');
    expect(endpoint('x:b', { env: { SYNCER_CONFIG_X_ENDPOINT: '' } })).toBe('');
    expect(open('x:b').options['provider']).toBe('Other');
  });

  test('another name of the type counts too', () => {
    expect(open('drive:').type).toBe('drive_provider_a');
    expect(open('drive:', { env: { SYNCER_ONEDRIVE_DRIVE_ID: 'e' } }).options['drive_id']).toBe(
      'e',
    );
    expect(open('drive:', { flags: { 'onedrive-drive-id': 'f' } }).options['drive_id']).toBe('f');
  });

  test('a remote can be defined by the environment alone', () => {
    const env = { SYNCER_CONFIG_MY_TYPE: 's3', SYNCER_CONFIG_MY_ENDPOINT: 'e' };
    expect(open('my:b', { env })).toMatchObject({ type: 's3', section: undefined, root: 'b' });
    expect(open('My:b', { env }).options['endpoint']).toBe('e');
  });

  test('a local path reads neither file nor remote variables', () => {
    expect(open('/a/b:c', { env: { SYNCER_CONFIG__COPY_LINKS: 'true' } })).toMatchObject({
      name: '',
      type: 'local',
      root: '/a/b:c',
      options: {},
    });
    expect(open('.', { flags: { 'local-copy-links': 'true' } })).toMatchObject({
      name: '',
      options: { copy_links: 'true' },
    });
  });

  test('obscured passwords come in clear', () => {
    expect(open('drive:').options['password']).toBe('hunter2');
    expect(() => open('plain:')).toThrow(failure('config', /"password" of remote "plain"/));
    expect(() => open('plain:')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    );
  });
});

describe('names', () => {
  test('the same options give the same name, others another', () => {
    const a = open(':s3,endpoint=a:b').name;
    expect(open('x:b')).toMatchObject({ name: 'x', section: 'x' });
    expect(a).toMatch(/^:s3\{.{5}\}$/);
    expect(open(':s3,endpoint=a:c').name).toBe(a);
    expect(open(':s3,endpoint=c:b').name).not.toBe(a);
    expect(open('x,endpoint=a:b')).toMatchObject({
      name: expect.stringMatching(/^x\{/),
      section: 'x',
    });
  });

  test.each([
    ['x:a/b/', 'a/b'],
    ['x:/a//', '/a'],
    ['x:/', '/'],
    ['x:', ''],
    ['/', '/'],
    ['./', '.'],
  ])('%s has the root %j', (path, root) => {
    expect(open(path).root).toBe(root);
  });
});

describe('aliases', () => {
  test.each([
    ['photos:', 'x', 'bucket/photos'],
    ['photos:2024/', 'x', 'bucket/photos/2024'],
    ['photos:../..', 'x', 'bucket/photos'],
    ['old photos:/a', 'x', 'bucket/photos/old/a'],
    ['home:docs', '', '/home/me/docs'],
    [':alias,remote="x:b":c', 'x', 'b/c'],
    ['photos,remote="x:b":c', 'x', 'b/c'],
  ])('%s', (path, name, root) => {
    expect(open(path)).toMatchObject({ name, root });
  });

  test('their settings for flags reach the remote, whose own settings win', () => {
    const flags = (path: string) => open(path).flags;
    expect(flags('old photos,override.timeout=1s,global.dry_run=true:')).toEqual({
      'override.timeout': { text: '1s', remote: 'old photos' },
      'global.dry_run': { text: 'true', remote: 'old photos' },
    });
    expect(flags(':alias,override.timeout=1s,remote="x,override.timeout=2s:b":')).toEqual({
      'override.timeout': { text: '2s', remote: 'x' },
    });
    expect(open('photos,override.timeout=1s:').name).not.toBe(open('photos:').name);
  });

  test('in a circle, or to nothing', () => {
    expect(() => open('loop:')).toThrow(failure('config', /is an alias of itself/));
    expect(() => open('empty:')).toThrow(failure('config', /alias "empty".*"remote"/));
  });
});

describe('what cannot be opened', () => {
  test.each([
    [
      'y:b',
      'unknown-remote',
      /no remote named "y" in config file "\/c\/syncer.conf".*write "\.\/y:…"/,
    ],
    ['dirve:', 'unknown-remote', /did you mean "drive"\?/],
    ['nothing:', 'config', /remote "nothing" has no "type"/],
    ['other:', 'config', /remote "other" has the unsupported type "webdav".*use local, s3, /],
    [':sftp:', 'config', /unknown backend "sftp".*did you mean "s3"/],
    ['half:', 'config', /remote "half" of type onedrive lacks "drive_id", "drive_type"/],
    ['x,endpiont=secret:', 'usage', /s3 has no option "endpiont" \(did you mean "endpoint"\?\)/],
  ] as const)('%s', (path, code, text) => {
    expect(() => open(path)).toThrow(failure(code, text));
  });
});
