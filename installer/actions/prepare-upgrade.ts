import { SyncerError } from '../../src/core/errors.ts';
import { architectureOf } from '../machine/architecture.ts';
import { checkWritable } from '../machine/check-access.ts';
import { detectMachine } from '../machine/detect-machine.ts';
import type { InstallerOptions } from '../options.ts';
import { planUpgrade } from '../plan/plan-upgrade.ts';
import type { ServiceKind } from '../services/unit-control.ts';
import type { Prepared } from './prepared.ts';

/** Plans to replace the program by another release. Changes nothing; throws `file-not-found` where none is installed. */
export async function prepareUpgrade(
  options: InstallerOptions,
  services: ServiceKind,
): Promise<Prepared> {
  const machine = await detectMachine(options, 'change');
  const { layout, owner } = machine;
  if (!machine.present.has(layout.program)) {
    throw new SyncerError(
      'file-not-found',
      `there is no ${layout.program} to upgrade: use "webhook-installer install"`,
    );
  }
  if (owner !== undefined) {
    const why = `nothing was changed: it belongs to the package ${owner}; use "apt-get install --only-upgrade ${owner}"`;
    return { outcome: 'refused', found: [], why };
  }
  await checkWritable(options.root, [layout.program]);
  return {
    outcome: 'ready',
    title: `Upgrade webhook to ${options.version}`,
    plan: planUpgrade(options, machine, architectureOf(options.machine), services),
    allOrNothing: true,
    closing: [`webhook ${options.version} is in place; hooks and units are as they were.`],
  };
}
