import { hash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { credentialSource } from '../../../../src/backends/s3/credentials.ts';
import { readSettings } from '../../../../src/backends/s3/settings.ts';
import type { ChainProvider } from '../../../../src/backends/s3/signers.ts';
import { deleteOne } from '../../../../src/core/remote-calls.ts';
import { startTestS3, type TestS3 } from '../../../servers/test-s3.ts';
import { OP, openS3, sourceOf } from '../../../support/open-s3.ts';

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
    expect(await source.refresh(await source.get(0), 0, true)).toBe(false);
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
    const used = await source.get(0);
    // All who were refused at the same time wait for one.
    const all = await Promise.all([1, 2, 3].map(() => source.refresh(used, 0, true)));
    expect(all).toEqual([true, true, true]);
    expect((await source.get(0))?.accessKeyId).toBe('AK3');
    // It was refused with those of before.
    expect(await source.refresh(used, 0, true)).toBe(true);
    expect(asked).toBe(3);
  });

  it('has no others if the chain gives the same, and asks only now and then if that may not be why', async () => {
    let asked = 0;
    const chain = async () => async () => {
      asked++;
      return { accessKeyId: 'AK', secretAccessKey: 'SK' };
    };
    const source = credentialSource(settings({ env_auth: 'true' }), chain);
    const used = await source.get(0);
    expect(await source.refresh(used, 0, true)).toBe(false);
    expect(await source.refresh(used, 0, true)).toBe(false);
    expect(asked).toBe(3);
    for (const nowMs of [0, 10_000, 29_000]) await source.refresh(used, nowMs, false);
    expect(asked).toBe(4);
    await source.refresh(used, 30_000, false);
    expect(asked).toBe(5);
  });

  it('asks again for credentials that were found before: their file may be being written', async () => {
    let asked = 0;
    const chain = async () => async () => {
      asked++;
      if (asked === 2 || asked === 3) throw new Error('Could not load credentials');
      return { accessKeyId: `AK${asked}`, secretAccessKey: 'SK' };
    };
    const source = credentialSource(settings({ env_auth: 'true' }), chain);
    const used = await source.get(0);
    const renewed = source.refresh(used, 0, true);
    expect(await source.get(0)).toMatchObject({ accessKeyId: expect.stringMatching(/^AK[14]$/) });
    expect(await renewed).toBe(true);
    expect(await source.get(0)).toMatchObject({ accessKeyId: 'AK4' });
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

describe('keys in a file that are renewed', () => {
  const OLD = { accessKeyId: 'old-key', secretAccessKey: 'old/secret' };
  const NEW = { accessKeyId: 'new-key', secretAccessKey: 'new/secret' };
  const MIB = 1024 ** 2;
  let dir: string;
  let s3: TestS3;
  let lets: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'syncer-credentials-'));
    s3 = await startTestS3({ authKeys: [OLD, NEW] });
    lets = OLD.accessKeyId;
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    vi.stubEnv('AWS_CONFIG_FILE', join(dir, 'config'));
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(dir, 'credentials'));
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_PROFILE']) {
      vi.stubEnv(name, undefined);
    }
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await s3.stop();
    await rm(dir, { recursive: true });
  });

  /** From now on only these keys count; a refusal has this code. */
  const only = ({ accessKeyId }: typeof OLD, status: number, code: string) => {
    lets = accessKeyId;
    s3.setFaults(({ headers }) =>
      String(headers.authorization).includes(`Credential=${lets}/`) ? undefined : { status, code },
    );
  };
  const store = (name: string, { accessKeyId, secretAccessKey }: typeof OLD, section = 'default') =>
    writeFile(
      join(dir, name),
      `[${section}]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`,
    );
  const open = async (options: Record<string, string> = {}) => {
    const none = { access_key_id: '', secret_access_key: '', env_auth: 'true' };
    const more = { options: { ...none, ...options }, transport: { lowLevelRetries: 1 } };
    return (await openS3(s3, 'bucket', more)).remote;
  };

  it.each<[string, string, string, Record<string, string>]>([
    ['the shared file', 'credentials', 'default', {}],
    ['a profile of it', 'credentials', 'work', { profile: 'work' }],
    ['the configuration file', 'config', 'default', {}],
    ['shared_credentials_file', 'own', 'default', { shared_credentials_file: '%/own' }],
  ])('are taken from %s', async (_, name, section, given) => {
    const options = Object.entries(given).map(([key, value]) => [key, value.replace('%', dir)]);
    await store(name, OLD, section);
    const remote = await open(Object.fromEntries(options));
    const file = await remote.write(sourceOf('a', 'content'), OP);
    only(NEW, 403, 'InvalidAccessKeyId');
    // Nobody has renewed them yet: one request, and no other with the same keys.
    s3.log.clear();
    await expect(remote.read(file, undefined, OP)).rejects.toMatchObject({ code: 'sign-in' });
    expect(s3.log.counts()).toEqual({ GetObject: 1 });
    await store(name, NEW, section);
    expect(String(await remote.read(file, undefined, OP))).toBe('content');
    await remote.close();
  });

  it.each([
    [400, 'ExpiredToken'],
    [403, 'ExpiredTokenException'],
    [400, 'TokenRefreshRequired'],
    [403, 'InvalidAccessKeyId'],
    [400, 'InvalidToken'],
  ])('are used by every request after %s %s', async (status, code) => {
    await store('credentials', OLD);
    const remote = await open({ upload_cutoff: '64Mi' });
    const inParts = await open({ upload_cutoff: '5Mi', chunk_size: '5Mi' });
    const file = await remote.write(sourceOf('a', 'content'), OP);
    const large = sourceOf('large', Buffer.alloc(11 * MIB, 'large'));
    const works: readonly (() => Promise<unknown>)[] = [
      () => remote.read(file, undefined, OP),
      () => remote.listPage('', undefined, OP),
      () => remote.write(sourceOf('b', 'content'), OP),
      () => remote.stat('a', OP),
      () => inParts.write(large, OP),
      () => deleteOne(remote, file, OP),
    ];
    let [from, to] = [OLD, NEW];
    for (const work of works) {
      only(to, status, code);
      await store('credentials', to);
      // The silent refusal of a HEAD may have another reason.
      await work();
      [from, to] = [to, from];
    }
    await Promise.all([remote.close(), inParts.close()]);
  });

  it('let a large file be sent once more from its beginning', async () => {
    await store('credentials', OLD);
    const remote = await open({ upload_cutoff: '64Mi' });
    await remote.write(sourceOf('a', 'content'), OP);
    only(NEW, 400, 'ExpiredToken');
    await store('credentials', NEW);
    const content = Buffer.alloc(17 * MIB, 'large');
    const large = { ...sourceOf('large', content), hashes: { md5: hash('md5', content) } };
    await expect(remote.write(large, OP)).rejects.toMatchObject({ code: 'network', retry: true });
    await remote.write(large, OP);
    await remote.close();
  });

  it('are read again where the section refers to them', async () => {
    await writeFile(join(dir, 'secret'), 'old/secret');
    const keys = async () => ({
      access_key_id: OLD.accessKeyId,
      secret_access_key: await readFile(join(dir, 'secret'), 'utf8'),
    });
    const given = await keys();
    const source = credentialSource(settings(given), never, async () => settings(await keys()));
    const used = await source.get(0);
    expect(used?.secretAccessKey).toBe('old/secret');
    expect(await source.refresh(used, 0, true)).toBe(false);
    await writeFile(join(dir, 'secret'), 'new/secret');
    expect((await source.get(0))?.secretAccessKey).toBe('old/secret');
    expect(await source.refresh(used, 0, true)).toBe(true);
    expect((await source.get(0))?.secretAccessKey).toBe('new/secret');
    expect(source.account).toBe(OLD.accessKeyId);
  });

  it('are asked for once by many requests, and a denied one asks for none', async () => {
    await store('credentials', OLD);
    const remote = await open();
    const file = await remote.write(sourceOf('a', 'content'), OP);
    only(NEW, 400, 'ExpiredToken');
    await store('credentials', NEW);
    await Promise.all(Array.from({ length: 8 }, () => remote.read(file, undefined, OP)));
    s3.setFaults(() => ({ status: 403, code: 'AccessDenied' }));
    await store('credentials', OLD);
    s3.log.clear();
    await expect(remote.read(file, undefined, OP)).rejects.toMatchObject({ code: 'access-denied' });
    expect(s3.log.counts()).toEqual({ GetObject: 1 });
    await remote.close();
  });
});

describe('the server that issues temporary credentials', () => {
  let sts: Server;
  let endpoint: string;
  const asked: URLSearchParams[] = [];
  beforeEach(async () => {
    asked.length = 0;
    sts = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const form = new URLSearchParams(Buffer.concat(chunks).toString());
      const key = /Credential=([^/]+)/.exec(request.headers.authorization ?? '')?.[1];
      form.set('key', key ?? '');
      asked.push(form);
      const action = form.get('Action');
      if (form.get('RoleArn') === 'arn:aws:iam::1:role/none') {
        response.writeHead(403, { 'content-type': 'text/xml' });
        response.end(
          '<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code>' +
            '<Message>not allowed</Message></Error></ErrorResponse>',
        );
        return;
      }
      response.writeHead(200, { 'content-type': 'text/xml' });
      response.end(
        `<${action}Response><${action}Result><Credentials><AccessKeyId>T${asked.length}</AccessKeyId>` +
          '<SecretAccessKey>TS</SecretAccessKey><SessionToken>TT</SessionToken>' +
          `<Expiration>1970-01-01T01:00:00Z</Expiration></Credentials></${action}Result></${action}Response>`,
      );
    });
    await new Promise<void>((done) => sts.listen(0, '127.0.0.1', done));
    endpoint = `http://127.0.0.1:${(sts.address() as AddressInfo).port}`;
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_PROFILE']) {
      vi.stubEnv(name, undefined);
    }
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    sts.closeAllConnections();
    await new Promise((done) => sts.close(done));
  });
  const keys = { access_key_id: 'AK', secret_access_key: 'SK' };
  const role = { role_arn: 'arn:aws:iam::1:role/r', ...keys };

  it('gives those of a role, once, and new ones before they expire', async () => {
    const more = { role_session_name: 'me', role_session_duration: '20m', role_external_id: 'x' };
    const source = credentialSource(settings({ ...role, ...more, sts_endpoint: endpoint }));
    const both = await Promise.all([source.get(0), source.get(0)]);
    expect(both[1]).toMatchObject({ accessKeyId: 'T1', secretAccessKey: 'TS', sessionToken: 'TT' });
    expect((await source.get(3_200_000))?.accessKeyId).toBe('T1');
    expect((await source.get(3_400_000))?.accessKeyId).toBe('T2');
    expect(asked).toHaveLength(2);
    expect(Object.fromEntries(asked[0] ?? [])).toMatchObject({
      ...{ Action: 'AssumeRole', RoleArn: role.role_arn, RoleSessionName: 'me', key: 'AK' },
      ...{ DurationSeconds: '1200', ExternalId: 'x' },
    });
    expect(source.account).toBe('arn:aws:iam::1:role/r AK');
  });

  it('is asked once for all remotes of a section', async () => {
    const s3 = await startTestS3({ authKeys: [] });
    const made = new Map<string, unknown>();
    const shared = <T>(key: string, make: () => T): T => {
      made.set(key, made.get(key) ?? make());
      return made.get(key) as T;
    };
    const options = { ...role, sts_endpoint: endpoint };
    for (const root of ['bucket', 'bucket/dir']) {
      const { remote } = await openS3(s3, root, { options, shared, now: () => 0 });
      await remote.stat('none', OP);
    }
    expect(asked).toHaveLength(1);
    const other = { ...options, role_arn: 'arn:aws:iam::1:role/other' };
    const { remote } = await openS3(s3, 'bucket', { options: other, shared, now: () => 0 });
    await remote.stat('none', OP);
    expect(asked).toHaveLength(2);
    await s3.stop();
  });

  it('refuses a role in one line', async () => {
    const arn = 'arn:aws:iam::1:role/none';
    const source = credentialSource(settings({ ...keys, role_arn: arn, sts_endpoint: endpoint }));
    await expect(source.get(0)).rejects.toMatchObject({
      code: 'sign-in',
      message: `remote "r": cannot assume ${arn}: not allowed`,
    });
  });

  it.each([undefined, 'arn:aws:iam::1:role/r'])(
    'takes the token of a file, role %s',
    async (arn) => {
      const dir = await mkdtemp(join(tmpdir(), 'syncer-credentials-'));
      const file = join(dir, 'token');
      await writeFile(file, 'the token');
      const env = {
        ...{ AWS_WEB_IDENTITY_TOKEN_FILE: file, AWS_ROLE_ARN: 'arn:aws:iam::1:role/web' },
        ...{ AWS_ENDPOINT_URL_STS: endpoint, AWS_CONFIG_FILE: join(dir, 'config') },
      };
      for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
      const options = { env_auth: 'true', ...(arn && { role_arn: arn }) };
      expect((await credentialSource(settings(options)).get(0))?.sessionToken).toBe('TT');
      expect(Object.fromEntries(asked[0] ?? [])).toMatchObject({
        ...{ Action: 'AssumeRoleWithWebIdentity', WebIdentityToken: 'the token' },
        RoleArn: 'arn:aws:iam::1:role/web',
      });
      const then = asked.find((form) => form.get('Action') === 'AssumeRole');
      expect(then?.get('RoleArn')).toBe(arn);
      if (arn !== undefined) expect(then?.get('key')).toMatch(/^T\d$/);
      await rm(dir, { recursive: true });
    },
  );

  it.each([
    [{ role_arn: 'arn:aws:iam::1:role/r' }, 'role_arn'],
    [{ ...role, sts_endpoint: 'ftp://x' }, 'sts_endpoint'],
    [{ ...role, role_session_duration: 'long' }, 'role_session_duration'],
  ])('refuses %j', (options, name) => {
    const why = { code: 'config', message: expect.stringContaining(`option ${name}`) };
    expect(() => settings(options)).toThrow(expect.objectContaining(why));
  });
});
