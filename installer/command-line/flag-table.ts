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
  { name: 'yes', short: 'y', help: 'do it without asking' },
  { name: 'dry-run', short: 'n', help: 'show the steps and change nothing' },
  {
    name: 'root',
    value: 'DIR',
    help: 'work on the system in this folder instead of the running one',
  },
  { name: 'work-dir', value: 'DIR', help: 'where the folder "webhook" is made (current folder)' },
  { name: 'port', value: 'N', help: 'the port of the hook server (9191)' },
  { name: 'token', value: 'TEXT', help: 'the token of the hook "test" (a random one)' },
  { name: 'version', value: 'N.N.N', help: 'which release of webhook is installed (2.8.0)' },
  {
    name: 'release-url',
    value: 'URL',
    help: 'where releases are, a folder for each version (https://github.com/adnanh/webhook/releases/download)',
  },
  {
    name: 'mirror-url',
    value: 'URL',
    help: 'put before the address of the release where that does not answer with 200',
  },
  { name: 'archive', value: 'FILE', help: 'install this archive; nothing is downloaded' },
  {
    name: 'ca-cert',
    value: 'FILE',
    help: 'further certificate authorities to trust, in PEM',
  },
  { name: 'sha256', value: 'HEX', help: 'the checksum that the archive must have' },
  { name: 'arch', value: 'NAME', help: 'x86_64 or aarch64 (that of this machine)' },
  {
    name: 'hardened',
    help: 'a user of its own, a sandbox, socket activation, and the hook file as a credential',
  },
  { name: 'bin-dir', value: 'DIR', help: 'where the program goes (/usr/bin)' },
  { name: 'hooks', value: 'FILE', help: 'the hook file (/etc/webhook.conf)' },
  { name: 'unit-dir', value: 'DIR', help: 'where units go (/lib/systemd/system)' },
  { name: 'restart-delay', value: 'TIME', help: 'how long systemd waits before a restart (5s)' },
  { name: 'connect-timeout', value: 'TIME', help: 'longest wait for a connection (5s)' },
  { name: 'test-timeout', value: 'TIME', help: 'longest time for the connectivity test (8s)' },
  { name: 'stall-timeout', value: 'TIME', help: 'longest silence during the download (30s)' },
  { name: 'start-timeout', value: 'TIME', help: 'how long the service may take to answer (20s)' },
  { name: 'help', short: 'h', help: 'show this text' },
] as const satisfies readonly InstallerFlag[];

/** The name of a flag. */
export type FlagName = (typeof FLAGS)[number]['name'];
