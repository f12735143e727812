import { join } from 'node:path';
import type { Command, Invocation } from '../src/app/command.ts';
import { manPages } from '../src/app/docs/man-pages.ts';
import { markdownPages } from '../src/app/docs/markdown-pages.ts';
import { writeTextFile } from '../src/app/output/write-text-file.ts';

/** `syncer gendocs` */
export const gendocsCommand: Command = { run };

async function run({ args: [folder = ''], commands, flags }: Invocation): Promise<void> {
  const pages = flags.man ? manPages(commands) : markdownPages(commands);
  for (const { path, text } of pages) await writeTextFile(join(folder, path), text);
}
