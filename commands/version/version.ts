import type { StandardOutput } from '../../src/shell/command-line/command.ts';
import { VERSION } from '../../src/shell/version.ts';

export const versionCommand = ({ out }: StandardOutput) => out.write(versionText());

/**
 * The version and platform, in rclone's format. Importing Node's modules statically would take longer than all the
 * rest.
 */
export function versionText(): string {
  const { arch, platform, release } = process.getBuiltinModule('node:os');
  return [
    `syncer v${VERSION}`,
    `- os/version: ${systemVersion()}`,
    `- os/kernel: ${release()} (${process.arch === 'x64' ? 'x86_64' : arch()})`,
    `- os/type: ${platform()}`,
    `- os/arch: ${process.arch === 'x64' ? 'amd64' : arch()}`,
    `- node/version: ${process.versions.node}`,
    '',
  ].join('\n');
}

/** `debian 12 (64 bit)`, from os-release(5). */
function systemVersion(): string {
  try {
    const { readFileSync } = process.getBuiltinModule('node:fs');
    const text = readFileSync('/etc/os-release', 'utf8');
    const field = (name: string) => new RegExp(`^${name}="?([^"\n]*)`, 'm').exec(text)?.[1];
    const name = [field('ID'), field('VERSION_ID')].filter(Boolean).join(' ');
    if (name !== '') return `${name} (${/64|s390x/.test(process.arch) ? 64 : 32} bit)`;
  } catch {
    // Not every system has the file.
  }
  return 'unknown';
}
