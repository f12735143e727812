import { describe, expect, it } from 'vitest';
import { planUpload } from '../../../../src/backends/s3/upload/write-object.ts';

const MIB = 1024 ** 2;
const settings = {
  uploadCutoff: 200 * MIB,
  chunkSize: 5 * MIB,
  multipartUploads: true,
  maxUploadParts: 10_000,
};
const plan = (size: number | undefined, md5IsKnown = false, more = {}, mayTrail = false) =>
  planUpload(size, md5IsKnown, mayTrail, { ...settings, ...more });

describe('planUpload', () => {
  it('refuses parts for a server that takes none', () => {
    const none = { multipartUploads: false };
    expect(plan(100 * MIB, true, none)).toEqual({ how: 'stream' });
    const parts = 'the server takes no uploads in parts';
    expect(() => plan(100 * MIB, false, none)).toThrow(parts);
    expect(() => plan(undefined, false, none)).toThrow(parts);
  });

  it('writes small files whole', () => {
    expect(plan(0)).toEqual({ how: 'whole' });
    expect(plan(16 * MIB)).toEqual({ how: 'whole' });
  });

  it('streams below the cutoff only what it can protect by a known MD5', () => {
    expect(plan(16 * MIB + 1, true)).toEqual({ how: 'stream' });
    expect(plan(200 * MIB - 1, true)).toEqual({ how: 'stream' });
    expect(plan(100 * MIB, false)).toMatchObject({ how: 'parts', inMemory: false });
  });

  it('streams with a trailer where the store knows those and the MD5 is not known', () => {
    expect(plan(100 * MIB, false, {}, true)).toEqual({ how: 'trailer' });
    expect(plan(100 * MIB, true, {}, true)).toEqual({ how: 'stream' });
    expect(plan(16 * MIB, false, {}, true)).toEqual({ how: 'whole' });
    expect(plan(200 * MIB, false, {}, true)).toMatchObject({ how: 'parts' });
    expect(plan(undefined, false, {}, true)).toMatchObject({ how: 'parts' });
  });

  it('writes in parts from the cutoff on, and what has no size', () => {
    expect(plan(200 * MIB, true)).toEqual({ how: 'parts', partSize: 5 * MIB, inMemory: false });
    expect(plan(undefined)).toEqual({ how: 'parts', partSize: 5 * MIB, inMemory: false });
    expect(plan(0, false, { uploadCutoff: 0 })).toMatchObject({ how: 'parts', inMemory: true });
  });

  it('raises the part size so that the parts suffice', () => {
    const partsOf = (size: number, maxUploadParts = 10_000) => {
      const planned = plan(size, true, { maxUploadParts });
      return planned.how === 'parts' ? planned.partSize : 0;
    };
    expect(partsOf(50_000 * MIB)).toBe(5 * MIB);
    expect(partsOf(50_000 * MIB + 1)).toBe(6 * MIB);
    expect(partsOf(5 * 1024 ** 4)).toBe(525 * MIB);
    expect(partsOf(6000 * MIB, 1000)).toBe(6 * MIB);
    expect(() => partsOf(50 * 1024 ** 4)).toThrow(expect.objectContaining({ code: 'too-large' }));
  });
});
