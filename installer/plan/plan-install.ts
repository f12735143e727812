import { hardenedUnits } from '../files/hardened-units.ts';
import { hookFile, TEST_SCRIPT } from '../files/hook-file.ts';
import { type NewFile, startCommand, unitFile } from '../files/unit-file.ts';
import type { Layout } from '../layout.ts';
import type { Architecture } from '../machine/architecture.ts';
import type { InstallerOptions } from '../options.ts';
import type { ServiceKind } from '../services/unit-control.ts';
import { archiveSteps, programStep } from './archive-steps.ts';
import type { InstallPlan, InstallStep } from './step.ts';

/** The service, and what `--hardened` puts beside it. */
const SERVICE = 'webhook.service';
const HARDENED = { units: ['webhook-hooks.path', SERVICE], socket: 'webhook.socket' };

/** What an installation is planned from. */
export interface InstallFacts {
  readonly options: InstallerOptions;
  readonly layout: Layout;
  readonly architecture: Architecture;
  readonly token: string;
  readonly services: ServiceKind;
}

/** The steps of an installation, in their order. Pure. */
export function planInstall(facts: InstallFacts): InstallPlan {
  const { options, layout, architecture, token, services } = facts;
  const files: readonly NewFile[] = [
    { path: layout.testScript, content: TEST_SCRIPT, mode: 0o755 },
    { path: layout.hooks, content: hooksOf(facts), mode: 0o600 },
  ];
  const steps: InstallStep[] = [
    ...archiveSteps(options, architecture),
    { kind: 'make-folder', path: layout.workFolder },
    programStep(layout.program, architecture, false),
    ...files.map((file): InstallStep => ({ kind: 'write-file', ...file })),
    unitStep(facts),
  ];
  const chosen = options.hardened ? HARDENED : { units: [SERVICE] };
  if (services === 'running') {
    steps.push(
      { kind: 'reload' },
      { kind: 'start', ...chosen },
      { kind: 'enable', ...chosen },
      { kind: 'test-hook', port: options.port, token },
    );
  }
  if (services === 'image') steps.push({ kind: 'enable', ...chosen });
  return { steps, notes: notesOf(facts) };
}

function hooksOf({ options, layout, token }: InstallFacts): string {
  const folder = options.hardened ? '/var/lib/webhook' : layout.workFolder;
  return hookFile({ script: layout.testScript, folder, token });
}

function unitStep({ options, layout }: InstallFacts): InstallStep {
  if (!options.hardened) {
    return { kind: 'write-file', path: layout.unit, content: unitFile(options), mode: 0o644 };
  }
  return {
    kind: 'write-units',
    withSocket: hardenedUnits(layout, options, true),
    without: hardenedUnits(layout, options, false),
  };
}

function notesOf({ options, services }: InstallFacts): readonly string[] {
  if (services === 'running') return [];
  if (services === 'image') return [`the service starts when the system in ${options.root} boots`];
  return [
    'systemd is not running: the files are installed, but nothing is started',
    `to start the server: ${startCommand(options)}`,
    `to call it: curl 'http://localhost:${options.port}/hooks/test?token=TOKEN'`,
  ];
}
