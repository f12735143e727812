import { openReviewScreen } from '../components/open.ts';
import type { Command } from '../src/app/command.ts';
import { runTransfer } from '../src/app/transfer/transfer.ts';

/** `syncer copy source:path dest:path` */
export const copyCommand: Command = (invocation) =>
  runTransfer(invocation, 'copy', openReviewScreen);

/** `syncer copyto source:path dest:path` */
export const copytoCommand: Command = (invocation) =>
  runTransfer(invocation, 'copy', openReviewScreen, { asNamed: true });

/** `syncer move source:path dest:path` */
export const moveCommand: Command = (invocation) =>
  runTransfer(invocation, 'move', openReviewScreen);

/** `syncer moveto source:path dest:path` */
export const movetoCommand: Command = (invocation) =>
  runTransfer(invocation, 'move', openReviewScreen, { asNamed: true });

/** `syncer sync source:path dest:path` */
export const syncCommand: Command = (invocation) =>
  runTransfer(invocation, 'sync', openReviewScreen);
