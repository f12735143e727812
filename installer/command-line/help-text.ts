import { FLAGS, type InstallerFlag } from './flag-table.ts';

const INTRODUCTION = `webhook-installer installs the hook server webhook as a service of systemd, and removes it.

Usage:
  webhook-installer                    a menu: 1 installs, 2 uninstalls
  webhook-installer install [flags]    install and start it
  webhook-installer uninstall [flags]  stop it and remove all that was installed
  webhook-installer upgrade [flags]    put another release in place; hooks and units stay
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
