import { join } from 'node:path';
import type { InstallerOptions } from './command-line/read-options.ts';

/** Where everything lies that the installer makes, as paths inside its root. */
export type Layout = Readonly<ReturnType<typeof layoutOf>>;

/** Names that the program has beside its place while it is put there: the process that did it, and what it is. */
export const STRAY = /^\.webhook-installer-(\d+)\.(?:new|old)$/;

/** Where things lie by the options. */
export function layoutOf({ workDir, program, hooks, unitDir }: InstallerOptions) {
  const workFolder = join(workDir, 'webhook');
  const wants = '/etc/systemd/system';
  return {
    /** `<work_dir>/webhook`. */
    workFolder,
    testScript: join(workFolder, 'test.sh'),
    program,
    hooks,
    unit: join(unitDir, 'webhook.service'),
    /** What `--hardened` adds. */
    socketUnit: join(unitDir, 'webhook.socket'),
    watchUnit: join(unitDir, 'webhook-hooks.path'),
    renewUnit: join(unitDir, 'webhook-hooks.service'),
    /** Links that enable units, by any program. */
    enablingLinks: [
      `${wants}/multi-user.target.wants/webhook.service`,
      `${wants}/multi-user.target.wants/webhook-hooks.path`,
      `${wants}/sockets.target.wants/webhook.socket`,
    ],
    /** What a service with a user of its own may write; only where it was installed so. */
    stateFolders: ['/var/lib/webhook', '/var/lib/private/webhook'],
  };
}
