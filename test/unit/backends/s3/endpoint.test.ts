import { describe, expect, it } from 'vitest';
import { OptionReader } from '../../../../src/backends/option-reader.ts';
import {
  addressOf,
  BucketRegions,
  redirectedEndpoint,
  resolveEndpoint,
} from '../../../../src/backends/s3/endpoint.ts';
import { S3_OPTIONS } from '../../../../src/backends/s3/options.ts';

function urlOf(options: Record<string, string>, bucket: string, key: string): string {
  const provider = options['provider'] ?? 'AWS';
  const endpoint = resolveEndpoint(new OptionReader('r', options, S3_OPTIONS), {
    provider,
    region: options['region'] ?? 'us-east-1',
    pathStyle: provider !== 'AWS',
  });
  const { secure, host, path } = addressOf(endpoint, bucket, key);
  return `${secure ? 'https' : 'http'}://${host}${path}`;
}

describe('addressOf', () => {
  const other = (endpoint: string) => ({ provider: 'Other', endpoint });

  it('makes Amazon’s host from bucket and region', () => {
    expect(urlOf({}, 'photos', 'a b/c')).toBe('https://photos.s3.us-east-1.amazonaws.com/a%20b/c');
    expect(urlOf({ region: 'cn-north-1' }, '', '')).toBe('https://s3.cn-north-1.amazonaws.com.cn/');
  });

  it('puts into the path what fits no host name', () => {
    const base = 'https://s3.us-east-1.amazonaws.com';
    expect(urlOf({}, 'with.dot', 'k')).toBe(`${base}/with.dot/k`);
    expect(urlOf({}, 'With_Case', 'k')).toBe(`${base}/With_Case/k`);
    expect(urlOf({ force_path_style: 'true' }, 'photos', '')).toBe(`${base}/photos`);
  });

  it('takes endpoints with and without scheme, port and path', () => {
    expect(urlOf(other('s3.example.com'), 'b', 'k')).toBe('https://s3.example.com/b/k');
    expect(urlOf(other('http://s3.example.com:9000/'), 'b', 'k')).toBe(
      'http://s3.example.com:9000/b/k',
    );
    expect(urlOf(other('https://x.example:443/base/'), 'b', '')).toBe('https://x.example/base/b');
    expect(urlOf(other('localhost:9000'), 'b', 'k')).toBe('https://localhost:9000/b/k');
    expect(urlOf(other('http://[::1]:9000'), 'b', 'k')).toBe('http://[::1]:9000/b/k');
  });

  it('uses the bucket as host where asked, but never before an address', () => {
    const asked = { force_path_style: 'false' };
    expect(urlOf({ ...other('http://s3.example.com:9000'), ...asked }, 'bkt', 'k')).toBe(
      'http://bkt.s3.example.com:9000/k',
    );
    expect(urlOf({ ...other('http://127.0.0.1:9000'), ...asked }, 'bkt', 'k')).toBe(
      'http://127.0.0.1:9000/bkt/k',
    );
  });

  it('finds the hosts with IPv6 and those of access points', () => {
    const dual = { use_dual_stack: 'true' };
    const arn = 'arn:aws:s3:eu-west-1:123456789012:accesspoint/point';
    const host = 'point-123456789012.s3-accesspoint';
    expect(urlOf(dual, 'photos', 'k')).toBe(
      'https://photos.s3.dualstack.us-east-1.amazonaws.com/k',
    );
    expect(urlOf({ ...dual, use_accelerate_endpoint: 'true' }, 'photos', 'k')).toBe(
      'https://photos.s3-accelerate.dualstack.amazonaws.com/k',
    );
    expect(urlOf({}, arn, 'a/b')).toBe(`https://${host}.eu-west-1.amazonaws.com/a/b`);
    expect(urlOf(dual, arn, '')).toBe(`https://${host}.dualstack.eu-west-1.amazonaws.com/`);
  });

  it('uses access points of other regions only if that is set', () => {
    const endpoint = resolveEndpoint(new OptionReader('r', {}, S3_OPTIONS), {
      ...{ provider: 'AWS', region: 'us-east-1', pathStyle: false },
    });
    const arn = 'arn:aws:s3:eu-west-1:123456789012:accesspoint/point';
    expect(new BucketRegions(endpoint, 'eu-west-1').of(arn).region).toBe('eu-west-1');
    expect(new BucketRegions(endpoint, 'us-east-1', { useArnRegion: true }).of(arn).region).toBe(
      'eu-west-1',
    );
    expect(() => new BucketRegions(endpoint, 'us-east-1').of(arn)).toThrow(
      'the access point is in eu-west-1, the remote in us-east-1; set region, or use_arn_region',
    );
  });

  it('keeps odd keys as they are', () => {
    expect(urlOf(other('h.example'), 'b', '/a//../.?#%')).toBe(
      'https://h.example/b//a//../.%3F%23%25',
    );
  });
});

describe('redirectedEndpoint', () => {
  const from = (endpoint: string, style = 'true') =>
    resolveEndpoint(new OptionReader('r', { endpoint, force_path_style: style }, S3_OPTIONS), {
      ...{ provider: 'Other', region: 'us-east-1', pathStyle: true },
    });
  const lead = (endpoint: string, location: string, style?: string) => {
    const to = redirectedEndpoint(from(endpoint, style), 'photos', location);
    if (to === undefined) return undefined;
    const { secure, host, path } = addressOf(to, 'photos', 'k');
    return `${secure ? 'https' : 'http'}://${host}${path}`;
  };

  it('finds the bucket in the path or in the host', () => {
    expect(lead('http://a.example:9000', 'http://photos.a.example:9000/k?list-type=2')).toBe(
      'http://photos.a.example:9000/k',
    );
    expect(lead('https://a.example', 'https://a.example/base/photos')).toBe(
      'https://a.example/base/photos/k',
    );
    expect(lead('https://photos.example', 'https://photos.photos.example/k')).toBe(
      'https://photos.photos.example/k',
    );
    expect(lead('http://a.example', 'https://a.example/photos/k')).toBe(
      'https://a.example/photos/k',
    );
  });

  it.each([
    ['https://s3.amazonaws.com', 'https://photos.s3-us-west-2.amazonaws.com/k'],
    ['https://s3-accelerate.amazonaws.com', 'https://photos.s3.eu-west-1.amazonaws.com/k'],
    [
      'https://s3.cn-north-1.amazonaws.com.cn',
      'https://photos.s3.cn-northwest-1.amazonaws.com.cn/k',
    ],
  ])('takes the hosts of S3 of Amazon for one: %s', (from, to) => {
    expect(lead(from, to)).toBe(to);
  });

  it.each([
    ['https://s3.amazonaws.com', 'https://photos.s3.cn-north-1.amazonaws.com.cn/k'],
    ['https://s3.amazonaws.com', 'https://photos.ec2-1-2-3-4.compute-1.amazonaws.com/k'],
    ['https://s3.amazonaws.com', 'https://photos.s3.amazonaws.com.example/k'],
    ['https://s3.amazonaws.com', 'https://photos.xs3.amazonaws.com/k'],
    ['https://s3.amazonaws.com', 'http://photos.s3.eu-west-1.amazonaws.com/k'],
    ['https://a.example', 'https://photos.s3-us-west-2.amazonaws.com/k'],
    ['http://a.example', 'http://b.example/photos/k'],
    ['http://a.example', 'http://a.example:9000/photos/k'],
    ['http://a.example:9000', 'https://a.example/photos/k'],
  ])('does not lead from %s to %s', (from, to) => {
    expect(lead(from, to)).toBeUndefined();
  });

  it.each([
    ['http://a.example/base/photos/k', 'another scheme'],
    ['https://a.example/other/k', 'another bucket'],
    ['https://a.example/photosx', 'another bucket with the same beginning'],
    ['/photos/k', 'no host'],
    ['https://a.example/photos/k', 'where it came from'],
  ])('does not follow %s: %s', (location) => {
    expect(lead('https://a.example', location)).toBeUndefined();
  });

  it('does not follow a host back to itself', () => {
    expect(lead('https://a.example', 'https://photos.a.example/k', 'false')).toBeUndefined();
  });
});
