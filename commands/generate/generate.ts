import { join } from 'node:path';
import { SyncerError } from '../../src/core/errors.ts';
import type { Command, Invocation } from '../../src/shell/command-line/command.ts';
import { writeTextFile } from '../../src/shell/output/output-file.ts';
import type { GENERATE_FLAGS } from './command.ts';
import { completionScript, isShell, type Shell } from './completion-script.ts';
import { manPages } from './man-pages.ts';
import { markdownPages } from './markdown-pages.ts';

/** `syncer completion bash`, `zsh`, `fish`, `powershell` */
export const completionCommand: Command<typeof GENERATE_FLAGS> = (invocation) =>
  writeScript(invocation, undefined);

/** `syncer genautocomplete bash`, `zsh`, `fish`: by default into the system directory, as in rclone. */
export const genautocompleteCommand: Command<typeof GENERATE_FLAGS> = (invocation) =>
  writeScript(invocation, SYSTEM_FILES);

/** Where shells look for completions of all users. */
const SYSTEM_FILES: Partial<Record<Shell, string>> = {
  bash: '/etc/bash_completion.d/syncer',
  zsh: '/usr/share/zsh/vendor-completions/_syncer',
  fish: '/etc/fish/completions/syncer.fish',
};

async function writeScript(
  { args, flags, out }: Invocation<typeof GENERATE_FLAGS>,
  usualFiles: Partial<Record<Shell, string>> | undefined,
): Promise<void> {
  const [shell = '', given] = args;
  if (!isShell(shell)) {
    throw new SyncerError('usage', `give a shell: bash, zsh, fish or powershell`);
  }
  const script = completionScript(shell, !flags['no-descriptions']);
  const file = given ?? usualFiles?.[shell] ?? '-';
  if (file === '-') await out.write(script);
  else await writeTextFile(file, script);
}

/** `syncer gendocs` */
export async function gendocsCommand({
  args: [folder = ''],
  commands,
  flags,
}: Invocation<typeof GENERATE_FLAGS>): Promise<void> {
  const pages = flags.man ? manPages(commands) : markdownPages(commands);
  for (const { path, text } of pages) await writeTextFile(join(folder, path), text);
}
