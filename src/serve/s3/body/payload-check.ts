import { createHash } from 'node:crypto';
import { S3Error } from '../wire/s3-error.ts';
import { type ChecksumName, type Checksums, startChecksum } from './checksums.ts';
import type { Payload } from './payload.ts';

/** The verified properties of a body. */
export interface CheckedContent {
  readonly size: number;
  /** In hexadecimal. */
  readonly md5: string;
  /** The checksums requested or sent. */
  readonly checksums: Checksums;
}

/** Hashes a body in transit, and verifies it at its end. */
export interface PayloadCheck {
  update(data: Buffer): void;
  /** Throws if length, hash or checksum differ. */
  finish(): CheckedContent;
}

/** Starts the check of a body. `extra` is a checksum to compute besides those in the request. */
export function startPayloadCheck(payload: Payload, extra?: ChecksumName): PayloadCheck {
  const md5 = createHash('md5');
  const sha256 = payload.sha256 === undefined ? undefined : createHash('sha256');
  const names = new Set(payload.checksums.keys());
  if (extra !== undefined) names.add(extra);
  const running = [...names].map((name) => [name, startChecksum(name)] as const);
  let size = 0;
  return {
    update(data) {
      size += data.length;
      if (payload.length !== undefined && size > payload.length)
        throw new S3Error('IncompleteBody');
      md5.update(data);
      sha256?.update(data);
      for (const [, checksum] of running) checksum.update(data);
    },
    finish() {
      if (payload.length !== undefined && size !== payload.length) {
        throw new S3Error('IncompleteBody');
      }
      if (sha256 !== undefined && sha256.digest('hex') !== payload.sha256) {
        throw new S3Error('XAmzContentSHA256Mismatch');
      }
      const md5Hex = md5.digest('hex');
      if (payload.md5 !== undefined && payload.md5 !== md5Hex) throw new S3Error('BadDigest');
      const checksums: Partial<Record<ChecksumName, string>> = {};
      for (const [name, checksum] of running) {
        const value = checksum.digest().toString('base64');
        checkOne(payload, name, value);
        checksums[name] = value;
      }
      return { size, md5: md5Hex, checksums };
    },
  };
}

function checkOne(payload: Payload, name: ChecksumName, value: string): void {
  const announced = payload.checksums.get(name);
  if (announced === undefined) return;
  const given = announced === '' ? payload.trailers.get(`x-amz-checksum-${name}`) : announced;
  if (given === undefined) throw new S3Error('MalformedTrailerError');
  if (given !== value) {
    throw new S3Error('BadDigest', {
      message: `The ${name.toUpperCase()} you specified did not match the calculated checksum.`,
    });
  }
}
