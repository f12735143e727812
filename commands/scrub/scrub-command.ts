import type { Command } from '../../src/shell/command-line/command.ts';
import { scrub } from './scrub.ts';

/** `syncer scrub remote:path` */
export const scrubCommand: Command = scrub;
