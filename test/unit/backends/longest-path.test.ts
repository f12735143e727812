import { expect, onTestFinished, test } from 'vitest';
import type { Remote } from '../../../src/core/remote.ts';
import { startTestGraph } from '../../servers/graph/start-graph.ts';
import { startTestS3 } from '../../servers/test-s3.ts';
import { openDrive } from '../../support/open-drive.ts';
import { OP, openS3, sourceOf } from '../../support/open-s3.ts';

/** What is too long for the server is told beforehand, and the longest that is not can be stored. */
async function expectLimit(remote: Remote, longest: string): Promise<void> {
  onTestFinished(() => remote.close());
  expect(remote.isTooLong?.(longest)).toBe(false);
  expect(remote.isTooLong?.(`${longest}x`)).toBe(true);
  await remote.write(sourceOf(longest, 'x'), OP);
  await expect(remote.write(sourceOf(`${longest}x`, 'x'), OP)).rejects.toThrow();
}

test('a drive takes paths of 400 characters below its root', async () => {
  const graph = await startTestGraph({ drives: [{ type: 'business' }] });
  onTestFinished(() => graph.stop());
  graph.drive.put('root/file', 'x');
  const { remote } = await openDrive(graph, 'root');
  await expectLimit(remote, `${'ü'.repeat(199)}/${'x'.repeat(195)}`);
});

test('a bucket takes keys of 1024 bytes', async () => {
  const s3 = await startTestS3();
  onTestFinished(() => s3.stop());
  const { remote } = await openS3(s3, 'bucket/dir');
  await remote.makeDir('', OP);
  await expectLimit(
    remote,
    Array.from({ length: 10 }, () => 'ü'.repeat(50)).join('/') + 'x'.repeat(11),
  );
});
