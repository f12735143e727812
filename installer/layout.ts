import { join } from 'node:path';
import type { InstallerOptions } from './options.ts';

/** Where everything lies that the installer makes, as paths inside its root. */
export interface Layout {
  /** `<work_dir>/webhook`. */
  readonly workFolder: string;
  readonly testScript: string;
  readonly program: string;
  readonly hooks: string;
  readonly unit: string;
  /** What `--hardened` adds. */
  readonly socketUnit: string;
  readonly watchUnit: string;
  readonly renewUnit: string;
  /** Links that enable units, by any program. */
  readonly enablingLinks: readonly string[];
  /** What a service with a user of its own may write; only where it was installed so. */
  readonly stateFolders: readonly string[];
}

/** Names that the program has beside its place while it is put there: the process that did it, and what it is. */
export const STRAY = /^\.webhook-installer-(\d+)\.(?:new|old)$/;

/** Where things lie by the options. */
export function layoutOf({ workDir, program, hooks, unitDir }: InstallerOptions): Layout {
  const workFolder = join(workDir, 'webhook');
  const wants = '/etc/systemd/system';
  return {
    workFolder,
    testScript: join(workFolder, 'test.sh'),
    program,
    hooks,
    unit: join(unitDir, 'webhook.service'),
    socketUnit: join(unitDir, 'webhook.socket'),
    watchUnit: join(unitDir, 'webhook-hooks.path'),
    renewUnit: join(unitDir, 'webhook-hooks.service'),
    enablingLinks: [
      `${wants}/multi-user.target.wants/webhook.service`,
      `${wants}/multi-user.target.wants/webhook-hooks.path`,
      `${wants}/sockets.target.wants/webhook.socket`,
    ],
    stateFolders: ['/var/lib/webhook', '/var/lib/private/webhook'],
  };
}
