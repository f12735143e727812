import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ChainProvider, credentialSource } from '../../../../src/backends/s3/credentials.ts';
import { readSettings } from '../../../../src/backends/s3/settings.ts';

const settings = (options: Record<string, string>) =>
  readSettings('r', { provider: 'AWS', ...options }, {});
const never = async (): Promise<ChainProvider> => {
  throw new Error('the chain must not be asked');
};

describe('credentialSource', () => {
  it('takes the keys of the section, whatever the environment says', async () => {
    const own = { access_key_id: 'AK', secret_access_key: 'SK', env_auth: 'true' };
    const source = credentialSource(settings({ ...own, session_token: 'T' }), never);
    expect(await source.get(0)).toEqual({
      accessKeyId: 'AK',
      secretAccessKey: 'SK',
      sessionToken: 'T',
    });
    expect(source.refresh()).toBe(false);
  });

  it('is anonymous without keys and without env_auth', async () => {
    expect(await credentialSource(settings({}), never).get(0)).toBeUndefined();
  });

  it('asks the chain once for many, and again before the credentials end', async () => {
    let asked = 0;
    const chain = async () => async () => ({
      accessKeyId: `AK${++asked}`,
      secretAccessKey: 'SK',
      expiration: new Date(3_600_000),
    });
    const source = credentialSource(settings({ env_auth: 'true' }), chain);
    const both = await Promise.all([source.get(0), source.get(0)]);
    expect(both.map((each) => each?.accessKeyId)).toEqual(['AK1', 'AK1']);
    expect((await source.get(3_200_000))?.accessKeyId).toBe('AK1');
    expect((await source.get(3_400_000))?.accessKeyId).toBe('AK2');
    expect(source.refresh()).toBe(true);
    expect((await source.get(0))?.accessKeyId).toBe('AK3');
  });

  it('says that nothing was found, in one line', async () => {
    const chain = async () => async () => {
      throw new Error('Could not load credentials\nfrom any provider');
    };
    const source = credentialSource(settings({ env_auth: 'true' }), chain);
    await expect(source.get(0)).rejects.toMatchObject({
      code: 'sign-in',
      message: 'remote "r": env_auth found no credentials: Could not load credentials',
    });
  });
});

describe('the chain of the AWS SDK', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'syncer-credentials-'));
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    vi.stubEnv('AWS_CONFIG_FILE', join(dir, 'config'));
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_PROFILE']) {
      vi.stubEnv(name, undefined);
    }
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(dir, { recursive: true });
  });

  it('reads the environment', async () => {
    const env = { AWS_ACCESS_KEY_ID: 'EK', AWS_SECRET_ACCESS_KEY: 'ES', AWS_SESSION_TOKEN: 'ET' };
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    const source = credentialSource(settings({ env_auth: 'true' }));
    expect(await source.get(0)).toMatchObject({
      accessKeyId: 'EK',
      secretAccessKey: 'ES',
      sessionToken: 'ET',
    });
  });

  it('reads a profile of a shared credentials file', async () => {
    const file = join(dir, 'credentials');
    await writeFile(
      file,
      '[default]\naws_access_key_id = DK\naws_secret_access_key = DS\n' +
        '[work]\naws_access_key_id = WK\naws_secret_access_key = WS\n',
    );
    const options = { env_auth: 'true', shared_credentials_file: file };
    const standard = credentialSource(settings(options));
    expect(await standard.get(0)).toMatchObject({ accessKeyId: 'DK', secretAccessKey: 'DS' });
    const work = credentialSource(settings({ ...options, profile: 'work' }));
    expect(await work.get(0)).toMatchObject({ accessKeyId: 'WK', secretAccessKey: 'WS' });
  });
});
