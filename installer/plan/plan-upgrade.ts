import { dirname } from 'node:path';
import type { Architecture } from '../machine/architecture.ts';
import type { Machine } from '../machine/detect-machine.ts';
import { portOfUnit } from '../machine/recognise.ts';
import type { InstallerOptions } from '../options.ts';
import type { ServiceKind } from '../services/unit-control.ts';
import { archiveSteps, programStep } from './archive-steps.ts';
import type { InstallPlan, InstallStep } from './step.ts';

/** The steps that replace it with another release of the program; hooks, units and the work folder stay as they are. Pure. */
export function planUpgrade(
  options: InstallerOptions,
  machine: Machine,
  architecture: Architecture,
  services: ServiceKind,
): InstallPlan {
  const steps: InstallStep[] = [
    ...archiveSteps(options, architecture),
    programStep(machine.layout.program, architecture, true),
  ];
  if (services === 'running' && machine.present.has(machine.layout.unit)) {
    steps.push(
      { kind: 'restart', unit: 'webhook.service' },
      {
        kind: 'test-hook',
        port: portOfUnit(machine.unitText) ?? options.port,
        // The hook "test" may be gone, or answer what its owner likes: that the server answers is enough.
        token: undefined,
      },
    );
  }
  steps.push({ kind: 'tidy', folder: dirname(machine.layout.program) });
  const notes = services === 'running' ? [] : ['restart a running server by hand'];
  return { steps, notes };
}
