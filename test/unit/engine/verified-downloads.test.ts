import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FileEntry, Remote } from '../../../src/core/remote.ts';
import { ALL } from '../../../src/engine/consent.ts';
import { Budget } from '../../../src/engine/loss/budget.ts';
import type { SyncOptions } from '../../../src/engine/pass.ts';
import { attemptSync } from '../../../src/engine/sync.ts';
import { passAllFilter } from '../../../src/filter/filter.ts';
import { attemptOneFile } from '../../../src/run/transfer/transfer.ts';
import type { FaultRule } from '../../servers/fault.ts';
import { startTestS3, type TestS3 } from '../../servers/test-s3.ts';
import { plainOptions, quietContext } from '../../support/memory-world.ts';
import { OP, openS3, sourceOf } from '../../support/open-s3.ts';
import { newFolder, openLocal } from '../backends/local/local-world.ts';

const MIB = 1024 ** 2;
const CONTENT = Buffer.alloc(7 * MIB + 3, 'as it was sent ');
const IN_RANGES = { ranges: { from: MIB, count: 3 } };
const ASKING = { 'x-amz-checksum-mode': 'ENABLED' };

let s3: TestS3;
let remote: Remote;

beforeAll(async () => {
  s3 = await startTestS3();
  // Without an MD5 beside the parts only their CRC-32 can tell that something is wrong.
  const options = { upload_cutoff: '5Mi', disable_checksum: 'true' };
  ({ remote } = await openS3(s3, 'bucket', { options }));
  await remote.makeDir('', OP);
  await remote.write(sourceOf('large', CONTENT), OP);
});
beforeEach(() => {
  s3.setFaults(undefined);
  s3.log.clear();
});
afterAll(async () => {
  await remote.close();
  await s3.stop();
});

/** Copies the bucket into a new folder. */
async function download(options: Partial<SyncOptions> = {}, source = remote) {
  const { remote: dest, dir } = openLocal({}, newFolder());
  const quiet = quietContext();
  const plan = { verb: 'copy', source, dest, options: { ...plainOptions, ...options } } as const;
  const { error } = await attemptSync(
    { context: quiet.context, filter: passAllFilter, consent: ALL, budget: new Budget() },
    plan,
  );
  return { error, dir, dest, logLines: quiet.logLines };
}

const heads = () => s3.log.requests.filter(({ operation }) => operation === 'HeadObject');
const isGet = (rule: (n: number) => ReturnType<FaultRule>): FaultRule => {
  return ({ operation }, n) => (operation === 'GetObject' ? rule(n) : undefined);
};
const contentIn = (dir: string) => readFileSync(join(dir, 'large')).equals(CONTENT);

describe.each([
  ['in ranges', IN_RANGES, 4],
  ['whole', {}, 1],
])('a large object that is read %s', (_, options, gets) => {
  it('is verified by the CRC-32 that the store tells', async () => {
    s3.setFaults(isGet((n) => (n === gets - 1 ? { corrupt: true, at: 99 } : undefined)));
    const { error, dir, logLines } = await download(options);
    expect(error).toBeUndefined();
    expect(contentIn(dir)).toBe(true);
    expect(logLines().join('\n')).toMatch(/Trying again in .*crc-?32/i);
  });

  it('is not given its name while it is wrong', async () => {
    s3.setFaults(isGet(() => ({ corrupt: true, at: 5 })));
    const { error, dir } = await download(options);
    expect(error).toMatchObject({ code: 'corrupted' });
    expect(readdirSync(dir)).toEqual([]);
  });

  it('is taken up where a body broke off, and its CRC-32 goes on', async () => {
    s3.setFaults(isGet((n) => (n === 0 ? { truncate: true, afterBytes: 700_001 } : undefined)));
    const { error, dir, logLines } = await download(options);
    expect(error).toBeUndefined();
    expect(contentIn(dir)).toBe(true);
    expect(logLines().join('\n')).toContain('Reopening on read failure after 700001 bytes');
    expect(logLines().join('\n')).not.toContain('corrupted');
    expect(s3.log.count('GetObject')).toBeGreaterThan(gets);
  });
});

describe('the CRC-32 of an object that is read in ranges', () => {
  it('is asked for by the HEAD that tells its time', async () => {
    await download(IN_RANGES);
    expect(heads().map(({ headers }) => headers)).toEqual([expect.objectContaining(ASKING)]);
  });

  it('costs a HEAD where the time is known', async () => {
    const { remote: dest, dir } = openLocal({}, newFolder());
    const named = (await remote.stat('large', OP)) as FileEntry;
    s3.log.clear();
    const options = { ...plainOptions, ...IN_RANGES };
    const plan = { verb: 'copy', source: remote, dest, options } as const;
    s3.setFaults(isGet(() => ({ corrupt: true, at: 5 })));
    const { context } = quietContext();
    const setup = { context, filter: passAllFilter, consent: ALL, budget: new Budget() };
    const { error } = await attemptOneFile(setup, plan, named, 'large');
    expect(error).toMatchObject({ code: 'corrupted' });
    expect(readdirSync(dir)).toEqual([]);
    expect(heads()[0]?.headers).toMatchObject(ASKING);
  });

  it.each([
    ['--checksum', { checksum: true }],
    ['--ignore-checksum', { ignoreChecksum: true }],
  ])('is not asked for with %s', async (_, options) => {
    const { error, dir } = await download({ ...IN_RANGES, ...options });
    expect(error).toBeUndefined();
    expect(contentIn(dir)).toBe(true);
    for (const { headers } of heads()) expect(headers).not.toMatchObject(ASKING);
  });

  it('is done without where the store refuses to tell it', async () => {
    s3.setFaults(({ headers }) =>
      'x-amz-checksum-mode' in headers ? { status: 403, code: 'AccessDenied' } : undefined,
    );
    const { error, dir } = await download(IN_RANGES);
    expect(error).toBeUndefined();
    expect(contentIn(dir)).toBe(true);
    expect(s3.log.count('HeadObject')).toBe(2);
  });

  it('is neither asked for nor made where the configuration says so', async () => {
    const options = { upload_cutoff: '5Mi', use_data_integrity_protections: 'false' };
    const { remote: without } = await openS3(s3, 'plain', { options });
    await without.makeDir('', OP);
    await without.write(sourceOf('large', CONTENT), OP);
    const { error, dir } = await download(IN_RANGES, without);
    expect(error).toBeUndefined();
    expect(contentIn(dir)).toBe(true);
    for (const { headers } of s3.log.requests) {
      expect(Object.keys(headers).join()).not.toContain('x-amz-checksum');
    }
    await without.close();
  });
});
