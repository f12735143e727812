import { openReviewScreen } from '../components/open.ts';
import type { Command } from '../src/app/command.ts';
import { runTransfer } from '../src/app/transfer/transfer.ts';

/** `syncer moveto source:path dest:path` */
export const movetoCommand: Command = {
  run: (invocation) => runTransfer(invocation, 'move', openReviewScreen, { asNamed: true }),
};
