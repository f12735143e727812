import { randomBytes } from 'node:crypto';
import { architectureOf } from '../machine/architecture.ts';
import { checkTraversable, checkWritable } from '../machine/check-access.ts';
import { detectMachine } from '../machine/detect-machine.ts';
import type { InstallerOptions } from '../options.ts';
import { planInstall } from '../plan/plan-install.ts';
import type { ServiceKind } from '../services/unit-control.ts';
import type { Prepared } from './prepared.ts';

/** Looks at the five items and plans an installation where none of them is there. Changes nothing. */
export async function prepareInstall(
  options: InstallerOptions,
  services: ServiceKind,
): Promise<Prepared> {
  const { layout, found } = await detectMachine(options, 'install');
  if (found.length > 0) {
    const why =
      'nothing was installed: remove these by hand, or with "webhook-installer uninstall", and try again';
    return { outcome: 'refused', found, why };
  }
  const architecture = architectureOf(options.machine);
  const { root } = options;
  await checkWritable(root, [layout.workFolder, layout.program, layout.hooks, layout.unit]);
  if (options.hardened) await checkTraversable(root, layout.testScript);
  const token = options.token ?? randomBytes(16).toString('hex');
  const url = `http://localhost:${options.port}/hooks/test?token=${encodeURIComponent(token)}`;
  return {
    outcome: 'ready',
    title: `Install webhook ${options.version}`,
    plan: planInstall({ options, layout, architecture, token, services }),
    allOrNothing: true,
    closing: [
      services === 'running' ? 'webhook is installed and runs.' : 'webhook is installed.',
      `token of the hook "test": ${token}`,
      `test it with: curl '${url}'`,
    ],
  };
}
