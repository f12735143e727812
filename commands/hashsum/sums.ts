import type { Command, Invocation } from '../../src/shell/command-line/command.ts';
import type { HASHSUM_FLAGS } from './command.ts';
import { compareWithSums, hashNamed, supportedHashes } from './compare-with-sums.ts';
import { printHashes } from './print-hashes.ts';

/** `syncer md5sum [remote:path]` */
export const md5sumCommand: Command<typeof HASHSUM_FLAGS> = (invocation) =>
  printHashes(invocation, 'md5', invocation.args[0]);

/** `syncer sha1sum [remote:path]` */
export const sha1sumCommand: Command<typeof HASHSUM_FLAGS> = (invocation) =>
  printHashes(invocation, 'sha1', invocation.args[0]);

/** `syncer hashsum <hash> [remote:path]` */
export async function hashsumCommand(invocation: Invocation<typeof HASHSUM_FLAGS>): Promise<void> {
  const { args, out } = invocation;
  const [name, spec] = args;
  if (name === undefined) return out.write(supportedHashes());
  return printHashes(invocation, await hashNamed(name, out), spec);
}

/** `syncer checksum <hash> sumfile remote:path` */
export async function checksumCommand(invocation: Invocation): Promise<void> {
  const [hash = '', sumFile = '', path = ''] = invocation.args;
  await compareWithSums(invocation, hash, sumFile, path);
}
