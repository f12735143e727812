import { openReviewScreen } from '../components/open.ts';
import type { Command } from '../src/app/command.ts';
import { reviewed } from '../src/app/review/reviewed.ts';
import { runUndo } from '../src/app/undo/run-undo.ts';

/** `syncer undo run [path…]` */
export const undoCommand: Command = (invocation) =>
  reviewed(invocation, { title: 'undo', show: openReviewScreen }, runUndo);
