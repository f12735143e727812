import { join } from 'node:path';
import type { Invocation } from '../src/app/command.ts';
import { manPages } from '../src/app/docs/man-pages.ts';
import { markdownPages } from '../src/app/docs/markdown-pages.ts';
import { writeTextFile } from '../src/app/output/write-text-file.ts';

/** `syncer gendocs` */
export async function gendocsCommand({
  args: [folder = ''],
  commands,
  flags,
}: Invocation): Promise<void> {
  const pages = flags.man ? manPages(commands) : markdownPages(commands);
  for (const { path, text } of pages) await writeTextFile(join(folder, path), text);
}
