import type { Command, Invocation } from '../src/app/command.ts';
import { printHashes } from '../src/app/listing/print-hashes.ts';
import { HASH_NAMES, parseHashName } from '../src/listing/hash-name.ts';

/** `syncer hashsum <hash> [remote:path]` */
export const hashsumCommand: Command = { run };

async function run(invocation: Invocation): Promise<void> {
  const [name, spec] = invocation.args;
  if (name !== undefined) return printHashes(invocation, parseHashName(name), spec);
  const names = HASH_NAMES.map((known) => `  * ${known}\n`).join('');
  await invocation.out.write(`Supported hashes are:\n${names}`);
}
