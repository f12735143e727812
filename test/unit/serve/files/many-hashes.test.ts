import { expect, test } from 'vitest';
import type { FileEntry, Remote } from '../../../../src/core/remote.ts';
import { withMetadataFiles } from '../../../../src/serve/files/metadata-files.ts';
import { linkedFile, withServedLinks } from '../../../../src/serve/files/served-links.ts';
import { remoteBut, remoteWith } from '../../../support/memory-world.ts';
import { OP } from '../../../support/open-s3.ts';

async function hashingMany(): Promise<Remote> {
  const inner = await remoteWith({ a: '1', b: '2' });
  const hashMany: Remote['can']['hashMany'] = async (files) => files.map(({ path }) => path);
  return remoteBut(inner, { can: { ...inner.can, hashMany } });
}

const file = (path: string): FileEntry => ({ kind: 'file', path, size: 1 });

test('hashes of many files are those of what links lead to', async () => {
  const { can } = withServedLinks(await hashingMany());
  const files = [file('a'), linkedFile(file('link.rclonelink'), file('b'))];
  expect(await can.hashMany?.(files, 'md5', OP)).toEqual(['a', 'b']);
});

test('a file that shows metadata has no hash', async () => {
  const remote = withMetadataFiles(await hashingMany(), '.meta');
  const shown = await remote.stat('a.meta', OP);
  expect(await remote.can.hashMany?.([file('b'), shown as FileEntry], 'md5', OP)).toEqual([]);
  expect(await remote.can.hashMany?.([file('b')], 'md5', OP)).toEqual(['b']);
});
