import type { Command } from '../src/app/command.ts';
import { printHashes } from '../src/app/listing/print-hashes.ts';

/** `syncer md5sum [remote:path]` */
export const md5sumCommand: Command = {
  run: (invocation) => printHashes(invocation, 'md5', invocation.args[0]),
};
