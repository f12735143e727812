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

/** Looks into a deed before anything is changed. */
export function prepare(
  deed: Deed,
  options: InstallerOptions,
  services: ServiceKind,
): Promise<Prepared> {
  return WAYS[deed](options, services);
}
