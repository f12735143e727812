import { bashScript } from './shells/bash.ts';
import { fishScript } from './shells/fish.ts';
import { powershellScript } from './shells/powershell.ts';
import { zshScript } from './shells/zsh.ts';

const SCRIPTS = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
} as const;

/** The shells that there are completions for. */
export type Shell = keyof typeof SCRIPTS;

/** Whether there is a completion for this shell. */
export function isShell(name: string): name is Shell {
  return Object.hasOwn(SCRIPTS, name);
}

/** What a shell must read to complete command lines of syncer, with or without descriptions. */
export function completionScript(shell: Shell, descriptions: boolean): string {
  return SCRIPTS[shell](descriptions);
}
