import { describe, expect, it } from 'vitest';
import { S3_OPTIONS } from '../../../../src/backends/s3/options.ts';
import { placesOf } from '../../../../src/backends/s3/provider-places.ts';
import { PROVIDERS } from '../../../../src/backends/s3/provider-quirks.ts';
import { readSettings } from '../../../../src/backends/s3/settings.ts';

const read = (options: Record<string, string>, env: NodeJS.ProcessEnv = {}) =>
  readSettings('r', options, env);
const minio = { provider: 'Minio', endpoint: 'https://minio.example' };

describe('readSettings', () => {
  it('has rclone’s defaults', () => {
    expect(read({ provider: 'AWS' })).toMatchObject({
      region: 'us-east-1',
      uploadCutoff: 200 * 1024 ** 2,
      chunkSize: 5 * 1024 ** 2,
      maxUploadParts: 10_000,
      uploadConcurrency: 4,
      copyCutoff: Math.floor(4.656 * 1024 ** 3),
      listChunk: 1000,
      listVersion: 0,
      listUrlEncode: undefined,
      verifyMultipartEtag: true,
    });
  });

  it('has storage classes for the providers for which rclone 1.75.2 has some', () => {
    const names = [...PROVIDERS.map(({ name }) => name), '', 'aws', 'Unknown'];
    const withTiers = names.filter((provider) => read({ provider, endpoint: 'h' }).hasTiers);
    const first = ['AWS', 'Alibaba', 'ArvanCloud', 'ChinaMobile', 'Liara', 'Magalu'];
    expect(withTiers).toEqual([...first, 'OVHcloud', 'Qiniu', 'Scaleway', 'TencentCOS']);
  });

  it('reads a section as rclone writes it', () => {
    const settings = read({
      ...minio,
      env_auth: 'false',
      access_key_id: 'AK',
      secret_access_key: 'se#cr;et=',
      chunk_size: '16Mi',
      upload_cutoff: '0',
      list_version: '1',
      list_url_encode: 'unset',
      force_path_style: 'false',
      no_check_bucket: 'true',
    });
    expect(settings).toMatchObject({
      accessKeyId: 'AK',
      secretAccessKey: 'se#cr;et=',
      chunkSize: 16 * 1024 ** 2,
      uploadCutoff: 0,
      listVersion: 1,
      listUrlEncode: undefined,
      noCheckBucket: true,
      endpoint: { hostname: 'minio.example', pathStyle: false },
    });
  });

  it('has the endpoints and regions of providers', () => {
    const places = (option: 'endpoint' | 'region', provider: string) =>
      placesOf(option).filter((place) => place.provider?.includes(provider));
    expect(places('endpoint', 'Storj')).toEqual([
      { value: 'gateway.storjshare.io', help: 'Global Hosted Gateway.', provider: ['Storj'] },
    ]);
    expect(places('region', 'AWS')[0]).toMatchObject({
      ...{ value: 'us-east-1', help: 'US East (Northern Virginia).' },
    });
    expect(placesOf('endpoint').length).toBeGreaterThan(350);
    const known = new Set(PROVIDERS.map(({ name }) => name));
    for (const { value, provider = [] } of [...placesOf('endpoint'), ...placesOf('region')]) {
      expect(value).toMatch(/^[\w.:/{}-]+$/);
      expect(known).toContain(provider[0]);
    }
  });

  it('uploads and copies in parts only where that works', () => {
    const fastly = { provider: 'Fastly', endpoint: 'h' };
    expect(read(fastly)).toMatchObject({ uploadCutoff: 5 * 1024 ** 3, multipartUploads: false });
    expect(read({ ...fastly, use_multipart_uploads: 'true' }).multipartUploads).toBe(true);
    expect(read({ provider: 'GCS', endpoint: 'h' }).copyCutoff).toBe(Number.POSITIVE_INFINITY);
    expect(read({ provider: 'GCS', endpoint: 'h', copy_cutoff: '1G' }).copyCutoff).toBe(1024 ** 3);
  });

  it('knows the quirks of providers', () => {
    expect(read({ ...minio, provider: 'HuaweiOBS' })).toMatchObject({
      listVersion: 1,
      listUrlEncode: false,
    });
    expect(read({ ...minio, provider: 'Scaleway' }).maxUploadParts).toBe(1000);
    expect(read({ ...minio, provider: 'Storj' }).chunkSize).toBe(64 * 1024 ** 2);
    expect(read({ ...minio, provider: 'Cloudflare' })).toMatchObject({ region: 'auto' });
    expect(read({ ...minio, provider: 'NeverHeardOf' }).endpoint.pathStyle).toBe(true);
  });

  it.each(['x.attacker.example/', 'eu_west', 'a b', 'é', '.'])(
    'takes no region %j that would become part of a name of Amazon’s hosts',
    (region) => {
      const amazon = { provider: 'AWS', endpoint: 'https://s3.eu-west-1.amazonaws.com' };
      for (const options of [{}, { provider: 'AWS' }, amazon]) {
        expect(() => read({ ...options, region })).toThrow('region: must be letters, digits');
      }
      expect(() => read({ env_auth: 'true' }, { AWS_REGION: region })).toThrow('region');
      expect(read({ ...minio, region }).endpoint.hostname).toBe('minio.example');
    },
  );

  it('takes the region from the environment only with env_auth', () => {
    const env = { AWS_REGION: 'eu-west-3' };
    expect(read({ provider: 'AWS' }, env).region).toBe('us-east-1');
    expect(read({ provider: 'AWS', env_auth: 'true' }, env)).toMatchObject({
      region: 'eu-west-3',
      locationConstraint: 'eu-west-3',
      endpoint: { hostname: 's3.eu-west-3.amazonaws.com' },
    });
  });

  it('believes only Amazon to know checksums, and asks others, unless it is told', () => {
    const amazon = {
      provider: 'AWS',
      endpoint: 'https://bucket.vpce-1.s3.eu-west-1.vpce.amazonaws.com',
    };
    expect(read({ provider: 'AWS' }).dataIntegrity).toBe(true);
    expect(read({}).dataIntegrity).toBe(true);
    expect(read(amazon).dataIntegrity).toBe(true);
    expect(read({ ...minio, provider: 'AWS' }).dataIntegrity).toBeUndefined();
    expect(read(minio).dataIntegrity).toBeUndefined();
    const name = 'use_data_integrity_protections';
    expect(read({ ...minio, [name]: 'true' }).dataIntegrity).toBe(true);
    expect(read({ ...minio, [name]: 'false' }).dataIntegrity).toBe(false);
    expect(read({ provider: 'AWS', [name]: 'false' }).dataIntegrity).toBe(false);
    expect(read({ provider: 'AWS', [name]: 'unset' }).dataIntegrity).toBe(true);
  });

  it('computes what belongs to a customer key', () => {
    const { encryption } = read({
      provider: 'AWS',
      sse_customer_algorithm: 'AES256',
      sse_customer_key: 'k'.repeat(32),
    });
    expect(encryption).toMatchObject({
      etagIsNotMd5: true,
      customer: {
        'customer-key': Buffer.from('k'.repeat(32)).toString('base64'),
        'customer-key-md5': 'mT2HRsMGJ5IX5C+0rreZ8Q==',
      },
    });
  });

  it.each([
    [{ provider: 'Minio' }, 'endpoint'],
    [{ ...minio, endpoint: 'ftp://host' }, 'endpoint'],
    [{ ...minio, secret_access_key: 'x' }, 'access_key_id'],
    [{ ...minio, access_key_id: 'x' }, 'secret_access_key'],
    [{ ...minio, chunk_size: '1Mi' }, 'chunk_size'],
    [{ ...minio, chunk_size: 'lots' }, 'chunk_size'],
    [{ ...minio, chunk_size: '5.01Gi' }, 'chunk_size'],
    [{ ...minio, upload_cutoff: '6Gi' }, 'upload_cutoff'],
    [{ ...minio, copy_cutoff: 'lots' }, 'copy_cutoff'],
    [{ ...minio, copy_cutoff: 'off' }, 'copy_cutoff'],
    [{ ...minio, upload_concurrency: '-1' }, 'upload_concurrency'],
    [{ ...minio, list_version: '3' }, 'list_version'],
    [{ ...minio, env_auth: 'maybe' }, 'env_auth'],
    [{ ...minio, versions: 'true', version_at: '2020-01-01' }, 'version_at'],
    [{ ...minio, version_at: 'then' }, 'version_at'],
    [{ ...minio, sse_customer_key_base64: '!!' }, 'sse_customer_algorithm'],
    [{ ...minio, sse_customer_key: 'short', sse_customer_algorithm: 'AES256' }, 'sse_customer_key'],
    [{ ...minio, sse_customer_key: 'k'.repeat(32) }, 'sse_customer_algorithm'],
  ])('refuses %j, naming the option', (options, name) => {
    expect(() => read(options)).toThrow(
      expect.objectContaining({
        code: 'config',
        message: expect.stringContaining(`option ${name}`),
      }),
    );
  });

  it.each([
    ['5Mi', 5 * 1024 ** 2],
    ['5Gi', 5 * 1024 ** 3],
  ])('takes parts of %s, the smallest and the largest that S3 has', (size, bytes) => {
    const settings = read({ ...minio, chunk_size: size, upload_cutoff: size });
    expect(settings).toMatchObject({ chunkSize: bytes, uploadCutoff: bytes });
  });

  it("takes what rclone's configuration files set without a meaning here", () => {
    const settings = read({
      ...{
        ...minio,
        versions: 'false',
        version_at: 'off',
        decompress: 'false',
        might_gzip: 'unset',
      },
      ...{ memory_pool_use_mmap: 'true', disable_http2: 'true', use_presigned_request: 'true' },
      ...{ copy_cutoff: '6G', upload_concurrency: '0', list_chunk: '0' },
      ...{ list_version: '0x1', list_url_encode: 'Unset' },
    });
    expect(settings).toMatchObject({
      copyCutoff: 5 * 1024 ** 3,
      uploadConcurrency: 1,
      listVersion: 1,
      listUrlEncode: undefined,
      listChunk: 1000,
    });
    expect(read({ ...minio, copy_cutoff: '1' }).copyCutoff).toBe(5 * 1024 ** 2);
  });

  it('leaves half a pair of keys to the environment with env_auth', () => {
    const half = { ...minio, env_auth: 'true', access_key_id: 'x' };
    expect(read(half)).toMatchObject({ accessKeyId: '', secretAccessKey: '', envAuth: true });
  });

  it("knows Amazon's accelerated endpoint", () => {
    const { endpoint } = read({ provider: 'AWS', use_accelerate_endpoint: 'true' });
    expect(endpoint).toMatchObject({ hostname: 's3-accelerate.amazonaws.com', pathStyle: false });
    for (const option of ['use_accelerate_endpoint', 'use_dual_stack']) {
      expect(() => read({ ...minio, [option]: 'true' })).toThrow('works without endpoint only');
    }
  });

  it('never tells a secret', () => {
    const options = { ...minio, secret_access_key: 'TOPSECRET', sse_customer_key: 'TOPSECRET' };
    expect(() => read(options)).toThrow(/^(?!.*TOPSECRET)/);
  });
});

describe('S3_OPTIONS', () => {
  it('names each option once, helps with each, hides secrets', () => {
    const names = S3_OPTIONS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { help } of S3_OPTIONS) expect(help).toMatch(/\.$/);
    const secrets = S3_OPTIONS.filter(({ secret }) => secret).map(({ name }) => name);
    expect(secrets).toEqual([
      'secret_access_key',
      'session_token',
      'ibm_api_key',
      'sse_customer_key',
      'sse_customer_key_base64',
    ]);
  });

  it('has defaults that are read as what they say', () => {
    const defaults = Object.fromEntries(
      S3_OPTIONS.flatMap((option) =>
        option.default === undefined ? [] : [[option.name, option.default]],
      ),
    );
    expect(read({ provider: 'AWS', ...defaults })).toEqual(read({ provider: 'AWS' }));
  });
});
