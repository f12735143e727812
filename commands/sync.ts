import { openReviewScreen } from '../components/open.ts';
import type { Command } from '../src/app/command.ts';
import { runTransfer } from '../src/app/transfer/transfer.ts';

/** `syncer sync source:path dest:path` */
export const syncCommand: Command = {
  run: (invocation) => runTransfer(invocation, 'sync', openReviewScreen),
};
