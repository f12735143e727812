import { FLAGS, type InstallerFlag } from './flag-table.ts';

const INTRODUCTION = `webhook-installer installs and uninstalls the hook server webhook as a systemd service.

Usage:
  webhook-installer                    a menu: 1 installs, 2 uninstalls
  webhook-installer install [flags]    install and start it
  webhook-installer uninstall [flags]  stop it and delete all installed files
  webhook-installer upgrade [flags]    replace it with another release; hooks and units stay
  webhook-installer version            the version of this program

Flags:
`;

/** What `webhook-installer --help` prints. */
export function helpText(): string {
  const names = FLAGS.map((flag) => `  ${flagName(flag)}`);
  const width = Math.max(...names.map((name) => name.length)) + 2;
  const lines = FLAGS.map((flag, i) => `${(names[i] ?? '').padEnd(width)}${flag.help}\n`);
  return `${INTRODUCTION}${lines.join('')}`;
}

/** A flag as help and manual page name it. */
export function flagName({ name, short, value }: InstallerFlag): string {
  const before = short === undefined ? '    ' : `-${short}, `;
  return `${before}--${name}${value === undefined ? '' : ` ${value}`}`;
}
