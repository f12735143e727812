import { expect, test } from 'vitest';
import { unitParts } from '../../../../commands/mount/run-mount.ts';

const partsOf = (argv: readonly string[], env: NodeJS.ProcessEnv = {}, source = 'r:a') =>
  unitParts({ args: [source, 'mnt'], argv: ['mount', ...argv], env, folder: '/home/ann' });

test('paths of this machine are absolute', () => {
  const given = [
    ...['--config', '../a.conf', '--cache-dir=cache', '--exclude-from', 'ex', '--files-from=-'],
    ...['--log-file=l', '--ca-cert', '/abs', '--exclude', 'rel', '--s3-endpoint', 'host', '-vv'],
  ];
  expect(partsOf(['r:a', 'mnt', ...given]).argv).toEqual([
    ...['mount', 'r:a', '/home/ann/mnt', '--config', '/home/a.conf'],
    ...['--cache-dir', '/home/ann/cache', '--exclude-from', '/home/ann/ex', '--files-from', '-'],
    ...['--log-file', '/home/ann/l', '--ca-cert', '/abs', '--exclude', 'rel'],
    ...['--s3-endpoint', 'host', '-v', '-v'],
  ]);
});

test('a word that is like the mount point stays where it is another', () => {
  const { argv, mountPoint } = partsOf(['--exclude', 'mnt', 'r:mnt', 'mnt'], {}, 'r:mnt');
  expect(argv).toEqual(['mount', '--exclude', 'mnt', 'r:mnt', '/home/ann/mnt']);
  expect(mountPoint).toBe('/home/ann/mnt');
});

test('a local source is absolute, one of a remote stays', () => {
  const sourceOf = (text: string) => {
    const { source, argv } = partsOf([text, 'mnt'], {}, text);
    expect(argv[1]).toBe(source);
    return source;
  };
  expect(sourceOf('data')).toBe('/home/ann/data');
  expect(sourceOf('./a:b')).toBe('/home/ann/a:b');
  expect(sourceOf(':local:data')).toBe(':local:/home/ann/data');
  expect(sourceOf('r:data')).toBe('r:data');
  expect(sourceOf(':s3,endpoint="h:1":b')).toBe(':s3,endpoint="h:1":b');
});

test('what only concerns this run is not in the unit', () => {
  const env = { SYNCER_DAEMON: 'true', RCLONE_DAEMON_WAIT: '1m', SYNCER_PRINT_UNIT: 'true' };
  const { argv, ...rest } = partsOf(['r:a', 'mnt', '--daemon=1', '--print-unit'], env);
  expect(argv).toEqual(['mount', 'r:a', '/home/ann/mnt']);
  expect(rest).toMatchObject({ env: {}, leftOut: [] });
});

test('flags that take a value only behind "=" keep it there', () => {
  const { argv } = partsOf(['r:a', 'mnt', '--read-only=false', '--daemon-wait=1m']);
  expect(argv.slice(3)).toEqual(['--read-only=false', '--daemon-wait', '1m']);
});

test('variables of syncer come along with absolute paths, others do not', () => {
  const env = {
    HOME: '/home/ann',
    PATH: '/bin',
    SYNCER_CONFIG: '../a.conf',
    RCLONE_EXCLUDE_FROM: 'ex,"sub,x"',
    SYNCER_CLIENT_KEY: 'key.pem',
    SYNCER_TRANSFERS: '7',
    SYNCER_CONFIG_SHELF_REGION: 'eu',
    SYNCER_PASSWORD_COMMAND: 'pass show syncer',
  };
  const { PATH, ...own } = env;
  expect(partsOf(['r:a', 'mnt'], env)).toMatchObject({ leftOut: [] });
  expect(partsOf(['r:a', 'mnt'], env).env).toEqual({
    ...own,
    SYNCER_CONFIG: '/home/a.conf',
    RCLONE_EXCLUDE_FROM: '/home/ann/ex,"/home/ann/sub,x"',
    SYNCER_CLIENT_KEY: '/home/ann/key.pem',
  });
  expect(PATH).toBe('/bin');
});

test('variables that hold a secret are left out and named', () => {
  const secrets = {
    SYNCER_CONFIG_PASS: 'a b',
    SYNCER_NEW_CONFIG_PASS: 'x',
    SYNCER_CONFIG_SHELF_SECRET_ACCESS_KEY: 'x',
    RCLONE_S3_SESSION_TOKEN: 'x',
    SYNCER_CONFIG_OFFICE_TOKEN: '{"access_token":"x"}',
    SYNCER_HEADER: 'Authorization: Bearer x',
    RCLONE_CONFIG_X_PASSWORD: 'x',
    SYNCER_S3_ENDPOINT: 'https://ann:secret@host',
  };
  const { env, leftOut } = partsOf(['r:a', 'mnt'], { ...secrets, SYNCER_TRANSFERS: '7' });
  expect(env).toEqual({ SYNCER_TRANSFERS: '7' });
  expect(leftOut).toEqual(Object.keys(secrets));
});
