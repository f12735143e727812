import { openReviewScreen } from '../components/open.ts';
import type { Command } from '../src/app/command.ts';
import { runTransfer } from '../src/app/transfer/transfer.ts';

/** `syncer move source:path dest:path` */
export const moveCommand: Command = {
  run: (invocation) => runTransfer(invocation, 'move', openReviewScreen),
};
