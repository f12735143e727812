import { describe, expect, test } from 'vitest';
import { entryMetadata } from '../../../../src/backends/s3/objects/object-entry.ts';
import { metadataHeaders } from '../../../../src/backends/s3/upload/write-headers.ts';
import type { FileEntry } from '../../../../src/core/remote.ts';
import { messageOf } from '../../../../src/shell/log/words.ts';
import { startTestS3 } from '../../../servers/test-s3.ts';
import { OP, openS3, sourceOf } from '../../../support/open-s3.ts';

describe('metadataHeaders', () => {
  test('makes headers of content of what belongs to it, and users’ metadata of the rest', () => {
    const { headers, invalidKeys, invalidValues } = metadataHeaders({
      'cache-control': 'no-cache',
      'content-disposition': 'inline',
      'content-encoding': 'gzip',
      'content-language': 'de',
      'content-type': 'text/plain',
      'x-amz-tagging': 'a=b',
      Colour: 'größer',
      btime: '2001-02-03T04:05:06Z',
      mode: '100644',
      empty: '',
    });
    expect(headers).toEqual({
      'cache-control': 'no-cache',
      'content-disposition': 'inline',
      'content-encoding': 'gzip',
      'content-language': 'de',
      'content-type': 'text/plain',
      'x-amz-tagging': 'a=b',
      'x-amz-meta-colour': 'größer',
      'x-amz-meta-btime': '2001-02-03T04:05:06Z',
      'x-amz-meta-mode': '100644',
      'x-amz-meta-empty': '',
    });
    expect([...invalidKeys, ...invalidValues]).toEqual([]);
  });

  test('leaves out what is told otherwise', () => {
    const metadata = { mtime: '2001-02-03T04:05:06Z', tier: 'GLACIER', md5chksum: 'x' };
    expect(metadataHeaders(metadata).headers).toEqual({});
  });

  test('knows what no header can hold', () => {
    const found = metadataHeaders({
      'b@d key': '1',
      ümlaut: '2',
      lines: 'a\nb',
      zero: 'a\0',
      delete: '\x7f',
      bytes: '\udcff',
      tab: 'a\tb',
    });
    expect(found.headers).toEqual({ 'x-amz-meta-tab': 'a\tb' });
    expect(found.invalidKeys).toEqual(['b@d key', 'ümlaut']);
    expect(found.invalidValues).toEqual(['lines', 'zero', 'delete', 'bytes']);
  });
});

describe('entryMetadata', () => {
  const headers = {
    'x-amz-meta-mtime': '1700000000.5',
    'x-amz-meta-md5chksum': 'AAAA',
    'x-amz-meta-btime': 'not this one',
    'x-amz-meta-colour': Buffer.from('größer').toString('latin1'),
    'x-amz-meta-bytes': '\xff',
    'content-type': 'text/plain',
    'content-language': 'de',
    'last-modified': 'Tue, 14 Nov 2023 22:13:21 GMT',
    'x-amz-storage-class': 'GLACIER',
  };

  test('gives what rclone gives', () => {
    expect(entryMetadata(headers)).toEqual({
      mtime: expect.stringMatching(/^2023-11-1[45]T\d\d:\d\d:20\.5(Z|[+-]\d\d:\d\d)$/),
      btime: '2023-11-14T22:13:21Z',
      colour: 'größer',
      bytes: '\udcff',
      'content-type': 'text/plain',
      'content-language': 'de',
      tier: 'GLACIER',
    });
  });

  test('tells when the object was written as exactly as a listing did', () => {
    const exact = entryMetadata(headers, 1_700_000_001_250_000_000n);
    expect(exact['btime']).toBe('2023-11-14T22:13:21.25Z');
  });
});

test('what no header can hold is left out and told', async () => {
  const s3 = await startTestS3();
  try {
    const { remote, events } = await openS3(s3, 'bucket');
    const metadata = { 'a key': '1', lines: 'a\nb', colour: 'red' };
    await remote.write({ ...sourceOf('file', 'content'), metadata }, OP);
    const told = events.flatMap((event) =>
      event.type === 'log' && event.level === 'error' ? [messageOf(event)] : [],
    );
    expect(told).toEqual([
      'Dropping invalid metadata key "a key"',
      'Dropping invalid metadata value "a\\nb" for key "lines"',
    ]);
    expect(await remote.stat('file', OP)).toMatchObject({ metadata: { colour: 'red' } });
  } finally {
    await s3.stop();
  }
});

test('the metadata of a copy in the store is that of its source and what is set', async () => {
  const s3 = await startTestS3();
  try {
    const { remote } = await openS3(s3, 'bucket');
    const metadata = { colour: 'red', shape: 'größer', 'content-type': 'a/b' };
    const file = await remote.write({ ...sourceOf('file', 'content'), metadata }, OP);
    const set = { colour: 'blue', new: '1', 'cache-control': 'no-cache' };
    await remote.can.copyFrom?.(remote, file, 'kept', OP, { set });
    const kept = { ...metadata, ...set, mtime: expect.stringMatching(/20\.123456789/) };
    const found = await remote.stat('kept', OP);
    expect(found).toMatchObject({ metadata: kept, modTime: 1_700_000_000_123_456_789n });
    const mtime = '2001-02-03T04:05:06Z';
    const copy = await remote.can.copyFrom?.(remote, found as FileEntry, 'dated', OP, {
      set: { mtime },
    });
    const dated = { modTime: 981_173_106_000_000_000n, metadata: { colour: 'blue' } };
    expect(await remote.stat('dated', OP)).toMatchObject(dated);
    expect(copy).toMatchObject(dated);
  } finally {
    await s3.stop();
  }
});
