import { openReviewScreen } from '../../components/open.ts';
import { reviewed } from '../../src/run/review/reviewed.ts';
import type { Command } from '../../src/shell/command-line/command.ts';
import { runUndo } from './run-undo.ts';

/** `syncer undo run [path…]` */
export const undoCommand: Command = (invocation) =>
  reviewed(invocation, { title: 'undo', show: openReviewScreen }, runUndo);
