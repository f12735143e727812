import { stat } from 'node:fs/promises';
import { SyncerError } from '../../src/core/errors.ts';
import type { InstallerOptions } from '../options.ts';
import type { ServiceKind } from '../services/unit-control.ts';
import { prepareInstall } from './prepare-install.ts';
import { prepareUninstall } from './prepare-uninstall.ts';
import { prepareUpgrade } from './prepare-upgrade.ts';
import type { Prepared } from './prepared.ts';

/** What the installer does to a machine. */
export type Deed = 'install' | 'uninstall' | 'upgrade';

const WAYS: Readonly<
  Record<Deed, (options: InstallerOptions, services: ServiceKind) => Promise<Prepared>>
> = { install: prepareInstall, uninstall: prepareUninstall, upgrade: prepareUpgrade };

/** Looks into a deed before anything is changed. Throws what makes it impossible. */
export async function prepare(
  deed: Deed,
  options: InstallerOptions,
  services: ServiceKind,
): Promise<Prepared> {
  const { root } = options;
  const found = await stat(root).catch(() => undefined);
  if (found?.isDirectory() !== true) {
    throw new SyncerError('directory-not-found', `there is no folder ${root} to work in (--root)`);
  }
  return WAYS[deed](options, services);
}
