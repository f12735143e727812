import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SignerV4 } from '../../../../src/backends/s3/signers.ts';
import {
  EMPTY_PAYLOAD,
  UNSIGNED_PAYLOAD,
} from '../../../../src/backends/s3-protocol/signature-v4.ts';
import { canonicalQuery } from '../../../../src/backends/s3-protocol/uri-encoding.ts';

// The examples of Amazon's documentation: "Authenticating Requests (AWS Signature Version 4)", S3 API reference.
const KEYS = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const HOST = 'examplebucket.s3.amazonaws.com';
const NOW = Date.UTC(2013, 4, 24);

function signature(
  request: { method: string; path: string; query?: string; headers?: Record<string, string> },
  payloadHash = EMPTY_PAYLOAD,
): string {
  const { method, path, query = '', headers = {} } = request;
  const signable = { method, path, query, headers: { host: HOST, ...headers } };
  const signed = new SignerV4().signHeaders(signable, KEYS, 'us-east-1', payloadHash, NOW);
  return /Signature=(\w+)$/.exec(signed['authorization'] ?? '')?.[1] ?? '';
}

describe('SignerV4', () => {
  it('signs GET of an object as Amazon does', () => {
    expect(signature({ method: 'GET', path: '/test.txt', headers: { range: 'bytes=0-9' } })).toBe(
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    );
  });

  it('signs PUT of an object as Amazon does', () => {
    const headers = {
      date: 'Fri, 24 May 2013 00:00:00 GMT',
      'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    };
    expect(
      signature(
        { method: 'PUT', path: '/test%24file.text', headers },
        hash('sha256', 'Welcome to Amazon S3.'),
      ),
    ).toBe('98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd');
  });

  it('signs parameters without value and with', () => {
    const lifecycle = canonicalQuery([['lifecycle', '']]);
    expect(signature({ method: 'GET', path: '/', query: lifecycle })).toBe(
      'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    );
    const list = canonicalQuery([
      ['prefix', 'J'],
      ['max-keys', '2'],
    ]);
    expect(signature({ method: 'GET', path: '/', query: list })).toBe(
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    );
  });

  it('presigns as Amazon does', () => {
    const request = { method: 'GET', path: '/test.txt', query: [], headers: { host: HOST } };
    const query = new SignerV4().presignQuery(request, KEYS, 'us-east-1', 86_400, NOW);
    expect(query).toBe(
      'X-Amz-Algorithm=AWS4-HMAC-SHA256' +
        '&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request' +
        '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host' +
        '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
    );
  });

  it('sends the session token and signs it', () => {
    const signable = { method: 'GET', path: '/', query: '', headers: { host: HOST } };
    const keys = { ...KEYS, sessionToken: 'token' };
    const headers = new SignerV4().signHeaders(signable, keys, 'eu-west-1', UNSIGNED_PAYLOAD, NOW);
    expect(headers['x-amz-security-token']).toBe('token');
    expect(headers['authorization']).toContain('/eu-west-1/s3/aws4_request,');
    expect(headers['authorization']).toContain(';x-amz-security-token,');
  });

  it('keeps apart the keys of days, regions and secrets', () => {
    const signer = new SignerV4();
    const signable = { method: 'GET', path: '/', query: '' };
    const sign = (secretAccessKey: string, region: string, now: number) =>
      signer
        .signHeaders(
          { ...signable, headers: { host: HOST } },
          { ...KEYS, secretAccessKey },
          region,
          EMPTY_PAYLOAD,
          now,
        )
        ['authorization']?.slice(-64);
    const all = [
      sign('a', 'r1', NOW),
      sign('b', 'r1', NOW),
      sign('a', 'r2', NOW),
      sign('a', 'r1', NOW + 86_400_000),
    ];
    expect(new Set(all).size).toBe(4);
    expect(sign('a', 'r1', NOW)).toBe(all[0]);
  });
});
