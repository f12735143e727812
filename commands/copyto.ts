import { openReviewScreen } from '../components/open.ts';
import type { Command } from '../src/app/command.ts';
import { runTransfer } from '../src/app/transfer/transfer.ts';

/** `syncer copyto source:path dest:path` */
export const copytoCommand: Command = {
  run: (invocation) => runTransfer(invocation, 'copy', openReviewScreen, { asNamed: true }),
};
