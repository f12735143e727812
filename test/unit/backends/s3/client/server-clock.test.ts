import { describe, expect, it, onTestFinished } from 'vitest';
import { startTestS3 } from '../../../../servers/test-s3.ts';
import { OP, openS3, sourceOf } from '../../../../support/open-s3.ts';

const HOUR_MS = 3_600_000;
const file = { kind: 'file', path: 'f', size: 1 } as const;

/** A remote on a machine whose clock is ahead of the server's. */
async function openAhead(ms: () => number) {
  const s3 = await startTestS3();
  onTestFinished(() => s3.stop());
  const right = await openS3(s3, 'bucket');
  await right.remote.write(sourceOf('f', 'x'), OP);
  s3.log.clear();
  const opened = await openS3(s3, 'bucket', { now: () => Date.now() + ms() });
  const codes = () => opened.events.map((event) => 'code' in event && event.code);
  return { s3, ...opened, codes };
}

describe('a machine whose clock is wrong', () => {
  it.each([1, -1, 24, -24])('by %i hours lists, looks and writes', async (hours) => {
    const { s3, remote, events } = await openAhead(() => hours * HOUR_MS);
    expect(await remote.stat('f', OP)).toMatchObject(file);
    expect((await remote.listPage('', undefined, OP)).entries).toMatchObject([file]);
    await remote.write(sourceOf('g', 'y'), OP);
    const refused = s3.log.requests.filter(({ status }) => status === 403);
    expect(refused).toHaveLength(1);
    expect(events).toMatchObject([
      { code: 'clock-differs', fields: { aheadMs: -hours * HOUR_MS } },
    ]);
  });

  it('at the same time in several requests', async () => {
    const { remote, codes } = await openAhead(() => HOUR_MS);
    const looks = await Promise.all([1, 2, 3, 4].map(() => remote.stat('f', OP)));
    expect(looks).toMatchObject([file, file, file, file]);
    expect(codes()).toEqual(['clock-differs']);
  });

  it('and is set right during the run', async () => {
    let aheadMs = HOUR_MS;
    const { remote } = await openAhead(() => aheadMs);
    await remote.stat('f', OP);
    aheadMs = 0;
    expect(await remote.stat('f', OP)).toMatchObject(file);
  });

  it('makes links that the server takes', async () => {
    const { s3, remote } = await openAhead(() => -2 * HOUR_MS);
    await remote.stat('f', OP);
    const url = await remote.can.publicLink?.(file, HOUR_MS, OP);
    s3.log.clear();
    expect((await fetch(url ?? '')).status).toBe(200);
  });
});

it('a refusal without a text, for another reason, is sent once', async () => {
  const { s3, remote } = await openAhead(() => 0);
  s3.setFaults(() => ({ status: 403 }));
  await expect(remote.read(file, undefined, OP)).rejects.toMatchObject({ code: 'access-denied' });
  expect(s3.log.count()).toBe(1);
});
