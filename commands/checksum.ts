import type { Command, Invocation } from '../src/app/command.ts';
import { compareWithSums } from '../src/app/listing/compare-with-sums.ts';

/** `syncer checksum <hash> sumfile remote:path` */
export const checksumCommand: Command = { run };

async function run(invocation: Invocation): Promise<void> {
  const [hash = '', sumFile = '', path = ''] = invocation.args;
  await compareWithSums(invocation, hash, sumFile, path);
}
