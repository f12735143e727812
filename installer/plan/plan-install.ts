import { dirname } from 'node:path';
import { shellWord } from '../../src/system/shell-words.ts';
import {
  hardenedUnits,
  hookFile,
  type NewFile,
  startWords,
  TEST_SCRIPT,
  unitFile,
} from '../files/installed-files.ts';
import type { Layout } from '../layout.ts';
import type { Architecture } from '../machine/architecture.ts';
import type { Machine } from '../machine/detect-machine.ts';
import { portOfUnit } from '../machine/recognise.ts';
import type { InstallerOptions } from '../options.ts';
import type { ServiceKind } from '../services/systemctl.ts';
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
    programStep(layout.program, options, architecture, false),
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
    'systemd is not running: this installs the files, but starts nothing',
    `to start the server: ${startWords(options).map(shellWord).join(' ')}`,
    `to call it: curl 'http://localhost:${options.port}/hooks/test?token=TOKEN'`,
  ];
}

/** The steps that bring the archive here: from a file, or from the release host or its mirror. None for a program. */
function archiveSteps(
  { source: program, archive, releaseUrl, mirrorUrl, version, sha256 }: InstallerOptions,
  { name: architecture }: Architecture,
): readonly InstallStep[] {
  if (program !== undefined) return [];
  const verify: InstallStep = { kind: 'verify', sha256 };
  if (archive !== undefined) return [{ kind: 'read-archive', file: archive }, verify];
  const name = `webhook-linux-${architecture}.tar.gz`;
  const folder = `${releaseUrl}/${version}`;
  const source = { url: `${folder}/${name}`, sumsUrl: `${folder}/SHA256SUMS`, name, mirrorUrl };
  return [{ kind: 'test-connection', source }, { kind: 'download', source }, verify];
}

/** The step that unpacks the program. */
function programStep(
  path: string,
  { source }: InstallerOptions,
  { name, elfMachine }: Architecture,
  replaces: boolean,
): InstallStep {
  const from = source === undefined ? { entry: `webhook-linux-${name}/webhook` } : { file: source };
  return { kind: 'place-program', path, from, elfMachine, replaces };
}

/** The steps that replace it with another release of the program; hooks, units and the work folder stay as they are. Pure. */
export function planUpgrade(
  options: InstallerOptions,
  machine: Machine,
  architecture: Architecture,
  services: ServiceKind,
): InstallPlan {
  const steps: InstallStep[] = [
    ...archiveSteps(options, architecture),
    programStep(machine.layout.program, options, architecture, true),
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
