import { runBisync } from '../src/app/bisync/run-bisync.ts';
import type { Command } from '../src/app/command.ts';

/** `syncer bisync path1 path2` */
export const bisyncCommand: Command = (invocation) => runBisync(invocation);
