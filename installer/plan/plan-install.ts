import { dirname } from 'node:path';
import { shellWord } from '../../src/system/shell-words.ts';
import {
  callTestHook,
  deleteItem,
  disable,
  download,
  enable,
  keep,
  placeProgram,
  RELOAD,
  readArchive,
  restart,
  start,
  stop,
  testTheConnection,
  tidy,
  verify,
} from '../apply/apply-steps.ts';
import type { InstallStep } from '../apply/job.ts';
import { makeFolder, writeFile, writeUnits } from '../apply/make-files.ts';
import type { InstallerOptions } from '../command-line/read-options.ts';
import {
  hardenedUnits,
  hookFile,
  startWords,
  TEST_SCRIPT,
  unitFile,
} from '../files/installed-files.ts';
import type { Layout } from '../layout.ts';
import type { Machine } from '../machine/detect-machine.ts';
import { isHardenedUnit, portOfUnit } from '../machine/recognise.ts';
import type { Architecture } from '../release/unpack-program.ts';
import type { ServiceKind } from '../services/systemctl.ts';

/** The service, and what `--hardened` puts beside it. */
const SERVICE = 'webhook.service';
const HARDENED = { units: ['webhook-hooks.path', SERVICE], socket: 'webhook.socket' };

/** What is going to be done, and what should be said about it. */
export interface InstallPlan {
  readonly steps: readonly InstallStep[];
  /** Told before anything else. */
  readonly notes: readonly string[];
}

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
  const steps: InstallStep[] = [
    ...archiveSteps(options, architecture),
    makeFolder(layout.workFolder),
    programStep(layout.program, options, architecture, false),
    writeFile({ path: layout.testScript, content: TEST_SCRIPT, mode: 0o755 }),
    writeFile({ path: layout.hooks, content: hooksOf(facts), mode: 0o600 }),
    unitStep(facts),
  ];
  const chosen = options.hardened ? HARDENED : { units: [SERVICE] };
  if (services === 'running') {
    steps.push(RELOAD, start(chosen), enable(chosen), callTestHook(options.port, token));
  }
  if (services === 'image') steps.push(enable(chosen));
  return { steps, notes: notesOf(facts) };
}

function hooksOf({ options, layout, token }: InstallFacts): string {
  const folder = options.hardened ? '/var/lib/webhook' : layout.workFolder;
  return hookFile({ script: layout.testScript, folder, token });
}

function unitStep({ options, layout }: InstallFacts): InstallStep {
  if (!options.hardened) {
    return writeFile({ path: layout.unit, content: unitFile(options), mode: 0o644 });
  }
  return writeUnits(hardenedUnits(layout, options, true), hardenedUnits(layout, options, false));
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
  if (archive !== undefined) return [readArchive(archive), verify(sha256)];
  const name = `webhook-linux-${architecture}.tar.gz`;
  const folder = `${releaseUrl}/${version}`;
  const source = { url: `${folder}/${name}`, sumsUrl: `${folder}/SHA256SUMS`, name, mirrorUrl };
  return [testTheConnection(source), download(source), verify(sha256)];
}

/** The step that unpacks the program. */
function programStep(
  path: string,
  { source }: InstallerOptions,
  { name, elfMachine }: Architecture,
  replaces: boolean,
): InstallStep {
  const from = source === undefined ? { entry: `webhook-linux-${name}/webhook` } : { file: source };
  return placeProgram({ path, from, elfMachine, replaces });
}

/** The steps that replace it with another release of the program; hooks, units and the work folder stay as they are. Pure. */
export function planUpgrade(
  options: InstallerOptions,
  machine: Machine,
  architecture: Architecture,
  services: ServiceKind,
): InstallPlan {
  const steps = [
    ...archiveSteps(options, architecture),
    programStep(machine.layout.program, options, architecture, true),
  ];
  if (services === 'running' && machine.present.has(machine.layout.unit)) {
    const port = portOfUnit(machine.unitText) ?? options.port;
    // The hook "test" may be gone, or answer what its owner likes: that the server answers is enough.
    steps.push(restart(SERVICE), callTestHook(port, undefined));
  }
  steps.push(tidy(dirname(machine.layout.program)));
  const notes = services === 'running' ? [] : ['restart a running server by hand'];
  return { steps, notes };
}

/**
 * The steps that remove what is there: stop, disable, reload, then the items themselves. Pure. A work folder that is
 * not a webhook's, or that contains other files and no test script, stays, and a note says so; one with files of the
 * user gets another name.
 */
export function planUninstall(
  machine: Machine,
  services: ServiceKind,
): InstallPlan & { readonly kept: readonly string[] } {
  const { layout, present, keptHooks, keptFolder, strangers, isFolderLink } = machine;
  const unitPaths = [layout.socketUnit, layout.watchUnit, layout.unit, layout.renewUnit];
  const units = unitPaths.filter((path) => present.has(path)).map((path) => baseName(path));
  const running = units.filter((name) => name !== baseName(layout.renewUnit));
  const keepsFolder = present.has(layout.workFolder) && !mayDeleteFolder(machine);
  const renamesFolder = !keepsFolder && !isFolderLink && strangers.length > 0;
  const folder = isFolderLink ? 'the link' : 'the directory';
  const deletions: readonly (readonly [what: string, path: string])[] = [
    ...layout.enablingLinks.map((path) => ['the link', path] as const),
    ...(keepsFolder || renamesFolder ? [] : [[folder, layout.workFolder] as const]),
    ...(keptHooks === undefined ? [['the configuration file', layout.hooks] as const] : []),
    ['the program', layout.program],
    ['the service unit', layout.unit],
    ...unitPaths.filter((path) => path !== layout.unit).map((path) => ['the unit', path] as const),
    ...(isHardenedUnit(machine.unitText) ? layout.stateFolders : []).map(
      (path) => ["the service's directory", path] as const,
    ),
  ];
  const isLive = services === 'running' && units.length > 0;
  const steps = [
    ...(isLive ? [stop(running)] : []),
    ...(services !== 'none' && units.length > 0 ? [disable(running)] : []),
    ...(isLive ? [RELOAD] : []),
    ...(keptHooks === undefined
      ? []
      : [keep('the changed configuration file', layout.hooks, keptHooks, [])]),
    ...(renamesFolder ? [keep(folder, layout.workFolder, keptFolder, strangers)] : []),
    ...deletions.filter(([, path]) => present.has(path)).map((item) => deleteItem(...item)),
    ...machine.strays.map((path) => deleteItem('a left-over', path)),
    // Now systemd also forgets the unit.
    ...(isLive ? [RELOAD] : []),
  ];
  const kept = [
    ...(keptHooks === undefined
      ? []
      : [`Your hook file differs from the installed one: it is kept as ${keptHooks}`]),
    ...(renamesFolder ? [`Your files in ${layout.workFolder} are kept in ${keptFolder}`] : []),
  ];
  return { steps, notes: keepsFolder ? [keptText(machine)] : [], kept };
}

/** Whether the work folder is the installer's, or empty. */
function mayDeleteFolder({ ownsFolder, strangers, layout, present }: Machine): boolean {
  return ownsFolder || (strangers.length === 0 && !present.has(layout.testScript));
}

function keptText({ layout }: Machine): string {
  return `kept the directory ${layout.workFolder}: it was not created by the installer (it has no test.sh of the installer, and no hook refers to it)`;
}

const baseName = (path: string) => path.slice(path.lastIndexOf('/') + 1);
