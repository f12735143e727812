import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { profileRegion } from '../../../../src/backends/s3/settings.ts';
import { openS3 } from '../../../support/open-s3.ts';

const CONFIG = `
# region = commented
[default]
output = json
region = eu-west-1   # Ireland

[profile work]
region=ap-southeast-2
s3 =
  region = nested

[ profile "with space" ]
region = sa-east-1
[sso-session x]
region = us-gov-west-1
[profile empty]
`;

describe('profileRegion', () => {
  it.each([
    ['default', 'eu-west-1'],
    ['work', 'ap-southeast-2'],
    ['with space', 'sa-east-1'],
    ['empty', ''],
    ['x', ''],
    ['missing', ''],
  ])('of %s is "%s"', (profile, region) => {
    expect(profileRegion(CONFIG, profile)).toBe(region);
    expect(profileRegion(CONFIG.replaceAll('\n', '\r\n'), profile)).toBe(region);
  });

  it('prefers [profile default] to [default]', () => {
    const both = '[default]\nregion = a\n[profile default]\nregion = b\n';
    expect(profileRegion(both, 'default')).toBe('b');
  });
});

describe('a remote with env_auth', () => {
  let home: string;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'syncer-home-'));
    await mkdir(join(home, '.aws'));
    await writeFile(join(home, '.aws', 'config'), CONFIG);
    await writeFile(join(home, 'other'), '[default]\nregion = eu-north-1\n');
  });
  afterAll(() => rm(home, { recursive: true }));

  /** The region for which a link is signed. */
  async function regionWith(options: Record<string, string>, env: NodeJS.ProcessEnv) {
    const server = { endpoint: 'http://localhost', accessKeyId: 'a', secretAccessKey: 'b' };
    const { remote } = await openS3(server, 'bucket', {
      options: { env_auth: 'true', ...options },
      transport: { env: { HOME: home, ...env } },
    });
    const file = { kind: 'file', path: 'file', size: 0 } as const;
    const signal = new AbortController().signal;
    const link = await remote.can.publicLink?.(file, undefined, { signal });
    return /%2F\d{8}%2F([^%]*)%2Fs3/.exec(link ?? '')?.[1];
  }

  it.each([
    [{}, {}, 'eu-west-1'],
    [{}, { AWS_PROFILE: 'work' }, 'ap-southeast-2'],
    [{ profile: 'with space' }, { AWS_PROFILE: 'work' }, 'sa-east-1'],
    [{}, { AWS_REGION: 'us-west-2' }, 'us-west-2'],
    [{ region: 'us-east-2' }, {}, 'us-east-2'],
    [{ profile: 'missing' }, {}, 'us-east-1'],
    [{ env_auth: 'false' }, {}, 'us-east-1'],
  ])('takes the region of its profile: %j %j', async (options, env, region) => {
    expect(await regionWith(options, env)).toBe(region);
  });

  it('reads the file that AWS_CONFIG_FILE names, and does without where it is missing', async () => {
    expect(await regionWith({}, { AWS_CONFIG_FILE: join(home, 'other') })).toBe('eu-north-1');
    expect(await regionWith({}, { AWS_CONFIG_FILE: join(home, 'none') })).toBe('us-east-1');
  });
});
