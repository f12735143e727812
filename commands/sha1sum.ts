import type { Command } from '../src/app/command.ts';
import { printHashes } from '../src/app/listing/print-hashes.ts';

/** `syncer sha1sum [remote:path]` */
export const sha1sumCommand: Command = {
  run: (invocation) => printHashes(invocation, 'sha1', invocation.args[0]),
};
