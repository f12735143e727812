import type { Command } from '../src/app/command.ts';
import { scrub } from '../src/app/scrub/scrub.ts';

/** `syncer scrub remote:path` */
export const scrubCommand: Command = scrub;
