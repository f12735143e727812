import { checkWritable } from '../machine/check-access.ts';
import { detectMachine } from '../machine/detect-machine.ts';
import type { InstallerOptions } from '../options.ts';
import { planUninstall } from '../plan/plan-uninstall.ts';
import type { ServiceKind } from '../services/unit-control.ts';
import type { Prepared } from './prepared.ts';

/** Looks at the five items and plans the removal of those that are there. Changes nothing. */
export async function prepareUninstall(
  options: InstallerOptions,
  services: ServiceKind,
): Promise<Prepared> {
  const machine = await detectMachine(options, 'change');
  const { found, owner } = machine;
  if (found.length + machine.present.size + machine.strays.length === 0) {
    return { outcome: 'nothing', why: 'no webhook program was found: nothing to uninstall' };
  }
  if (owner !== undefined) {
    const why = `nothing was removed: it belongs to the package ${owner}; remove it with "apt-get purge ${owner}"`;
    return { outcome: 'refused', found, why };
  }
  const plan = planUninstall(machine, services);
  if (plan.steps.length === 0) {
    const why = ['nothing was removed', ...plan.notes].join('; ');
    return { outcome: 'refused', found, why };
  }
  await checkWritable(
    options.root,
    plan.steps.flatMap((step) => (step.kind === 'delete' ? [step.path] : [])),
  );
  return {
    outcome: 'ready',
    title: 'Uninstall webhook',
    plan,
    allOrNothing: false,
    closing: ['webhook is uninstalled.'],
  };
}
