import type { Command, Invocation } from '../src/app/command.ts';
import { hashNamed, supportedHashes } from '../src/app/listing/hash-named.ts';
import { printHashes } from '../src/app/listing/print-hashes.ts';

/** `syncer hashsum <hash> [remote:path]` */
export const hashsumCommand: Command = { run };

async function run(invocation: Invocation): Promise<void> {
  const { args, out } = invocation;
  const [name, spec] = args;
  if (name === undefined) return out.write(supportedHashes());
  return printHashes(invocation, await hashNamed(name, out), spec);
}
