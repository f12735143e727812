/** A flag of `webhook-installer`. */
export interface InstallerFlag {
  /** Without its dashes. */
  readonly name: string;
  readonly short?: string;
  /** What its value is called in the help; absent for a flag that takes none. */
  readonly value?: string;
  /** What it does, with its default. */
  readonly help: string;
}

/** The flags of `webhook-installer`: the help, the manual page and the parser read this one table. */
export const FLAGS = [
  { name: 'yes', short: 'y', help: 'do not ask for confirmation' },
  { name: 'dry-run', short: 'n', help: 'show the steps without changing anything' },
  {
    name: 'root',
    value: 'DIR',
    help: 'install into the system below this directory',
  },
  {
    name: 'work-dir',
    value: 'DIR',
    help: 'directory in which to create "webhook" (current directory)',
  },
  { name: 'port', value: 'N', help: 'port of the hook server (9191)' },
  { name: 'token', value: 'TEXT', help: 'token of the hook "test" (random)' },
  {
    name: 'program',
    value: 'FILE',
    help: "install this program instead of a release: syncer's webhook, which lies beside this one",
  },
  { name: 'version', value: 'N.N.N', help: 'release of webhook to install (2.8.0)' },
  {
    name: 'release-url',
    value: 'URL',
    help: 'base URL of the releases, one directory per version (https://github.com/adnanh/webhook/releases/download)',
  },
  {
    name: 'mirror-url',
    value: 'URL',
    help: 'prefix for the release URL if that does not return 200',
  },
  { name: 'archive', value: 'FILE', help: 'install this archive instead of downloading one' },
  {
    name: 'ca-cert',
    value: 'FILE',
    help: 'also trust these certificate authorities (PEM)',
  },
  { name: 'sha256', value: 'HEX', help: 'SHA-256 checksum to verify the archive with' },
  { name: 'arch', value: 'NAME', help: 'x86_64 or aarch64 (default: this machine)' },
  {
    name: 'hardened',
    help: 'run as a dedicated, sandboxed user with socket activation; pass the hook file as a credential',
  },
  { name: 'bin-dir', value: 'DIR', help: 'directory of the program (/usr/bin)' },
  { name: 'hooks', value: 'FILE', help: 'hook file (/etc/webhook.conf)' },
  { name: 'unit-dir', value: 'DIR', help: 'directory of the units (/lib/systemd/system)' },
  { name: 'restart-delay', value: 'TIME', help: 'delay before systemd restarts the service (5s)' },
  { name: 'connect-timeout', value: 'TIME', help: 'connect timeout (5s)' },
  { name: 'test-timeout', value: 'TIME', help: 'timeout of the connection test (8s)' },
  { name: 'stall-timeout', value: 'TIME', help: 'idle timeout of the download (30s)' },
  {
    name: 'start-timeout',
    value: 'TIME',
    help: 'how long to wait for the service to respond (20s)',
  },
  { name: 'no-mouse', help: 'do not use the mouse in the menu' },
  { name: 'help', short: 'h', help: 'show this help' },
] as const satisfies readonly InstallerFlag[];

/** The name of a flag. */
export type FlagName = (typeof FLAGS)[number]['name'];
