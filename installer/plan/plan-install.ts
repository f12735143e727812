import { basename, dirname } from 'node:path';
import { shellWord } from '../../src/system/shell-words.ts';
import {
  archiveSteps,
  callTestHook,
  deleteItem,
  enable,
  endUnits,
  keep,
  makeFolder,
  placeProgram,
  RELOAD,
  removeStrays,
  start,
  writeNewFile,
} from '../apply/apply-steps.ts';
import type { InstallStep } from '../apply/job.ts';
import { type Machine, portOfUnit } from '../machine/detect-machine.ts';
import { insideRoot } from '../machine/inside-root.ts';
import {
  hardenedUnits,
  hookFile,
  type Layout,
  type NewFile,
  startWords,
  TEST_SCRIPT,
  unitFile,
} from '../machine/installed-files.ts';
import type { ServiceKind } from '../machine/systemctl.ts';
import type { InstallerOptions } from '../read-options.ts';
import type { Architecture } from '../release/unpack-program.ts';

const SERVICE = 'webhook.service';

/** What is going to be done, and what should be said about it. */
export interface InstallPlan {
  readonly steps: readonly InstallStep[];
  /** Told before anything else. */
  readonly notes: readonly string[];
}

/** The steps of an installation, in their order. Pure. */
export function planInstall(
  options: InstallerOptions,
  layout: Layout,
  architecture: Architecture,
  token: string,
  services: ServiceKind,
): InstallPlan {
  const { hardened, port, root } = options;
  const folder = hardened ? '/var/lib/webhook' : layout.workFolder;
  const hooks = hookFile(layout.testScript, folder, token);
  const writeFile = (file: NewFile): InstallStep => ({
    text: `write ${file.path}`,
    run: (world, _, undo) => writeNewFile(file, world, undo),
  });
  const steps: InstallStep[] = [
    ...archiveSteps(options, architecture.name),
    makeFolder(layout.workFolder),
    programStep(layout.program, options, architecture, false),
    writeFile({ path: layout.testScript, content: TEST_SCRIPT, mode: 0o755 }),
    writeFile({ path: layout.hooks, content: hooks, mode: 0o600 }),
    hardened
      ? writeHardenedUnits(layout, options)
      : writeFile({ path: layout.unit, content: unitFile(options), mode: 0o644 }),
  ];
  const chosen = hardened
    ? { units: ['webhook-hooks.path', SERVICE], socket: 'webhook.socket' }
    : { units: [SERVICE] };
  if (services === 'running') {
    steps.push(RELOAD, start(chosen), enable(chosen), callTestHook(port, token));
    return { steps, notes: [] };
  }
  if (services === 'image') {
    const notes = [`the service starts when the system in ${root} boots`];
    return { steps: [...steps, enable(chosen)], notes };
  }
  const notes = [
    'systemd is not running: this installs the files, but starts nothing',
    `to start the server: ${startWords(options).map(shellWord).join(' ')}`,
    `to call it: curl 'http://localhost:${port}/hooks/test?token=TOKEN'`,
  ];
  return { steps, notes };
}

/** Writes the units for the program that was placed: if it takes a socket from systemd, or if it does not. */
function writeHardenedUnits(layout: Layout, options: InstallerOptions): InstallStep {
  const without = hardenedUnits(layout, options, false);
  return {
    text: `write ${without.map(({ path }) => path).join(', ')}`,
    async run(world, { takesSocket }, undo) {
      const files = takesSocket ? hardenedUnits(layout, options, true) : without;
      for (const file of files) await writeNewFile(file, world, undo);
      return takesSocket
        ? 'systemd opens the port and passes it to the server'
        : 'this release does not support socket activation: it opens the port itself';
    },
  };
}

/** The step that unpacks the program. */
function programStep(
  path: string,
  { source }: InstallerOptions,
  { name, elfMachine }: Architecture,
  replaces: boolean,
): InstallStep {
  const from = source === undefined ? { entry: `webhook-linux-${name}/webhook` } : { file: source };
  return placeProgram(path, from, elfMachine, replaces);
}

/** The steps that replace it with another release of the program; hooks, units and the work folder stay as they are. Pure. */
export function planUpgrade(
  options: InstallerOptions,
  machine: Machine,
  architecture: Architecture,
  services: ServiceKind,
): InstallPlan {
  const { program } = machine.layout;
  const steps: InstallStep[] = [
    ...archiveSteps(options, architecture.name),
    programStep(program, options, architecture, true),
  ];
  if (services === 'running' && machine.present.has(machine.layout.unit)) {
    const port = portOfUnit(machine.unitText) ?? options.port;
    const restart: InstallStep = {
      text: `restart ${SERVICE}`,
      run({ services }, state) {
        state.restarted = SERVICE;
        return services.restart(SERVICE);
      },
    };
    // The hook "test" may be gone, or answer what its owner likes: that the server answers is enough.
    steps.push(restart, callTestHook(port, undefined));
  }
  steps.push({
    text: 'remove the old program',
    run: async () => removeStrays(await insideRoot(options.root, `${dirname(program)}/.`)),
  });
  const notes = services === 'running' ? [] : ['restart a running server by hand'];
  return { steps, notes };
}

/**
 * The steps that remove what is there: stop, disable, reload, then the items themselves. Pure. A work folder that is
 * not a webhook's, or that contains other files and no test script, stays, and a note says so; one with files of the
 * user gets another name.
 */
export function planUninstall(machine: Machine, services: ServiceKind) {
  const { layout, present, keptHooks, keptFolder, strangers, isFolderLink } = machine;
  const unitPaths = [layout.socketUnit, layout.watchUnit, layout.unit, layout.renewUnit];
  const units = unitPaths.filter((path) => present.has(path)).map((path) => basename(path));
  const running = units.filter((name) => name !== basename(layout.renewUnit));
  // It is the installer's, or empty.
  const mayDelete =
    machine.ownsFolder || (strangers.length === 0 && !present.has(layout.testScript));
  const keepsFolder = present.has(layout.workFolder) && !mayDelete;
  const renamesFolder = !keepsFolder && !isFolderLink && strangers.length > 0;
  const folder = isFolderLink ? 'the link' : 'the directory';
  const deletions: readonly (readonly [what: string, path: string])[] = [
    ...layout.enablingLinks.map((path) => ['the link', path] as const),
    ...(keepsFolder || renamesFolder ? [] : [[folder, layout.workFolder] as const]),
    ...(keptHooks === undefined ? [['the configuration file', layout.hooks] as const] : []),
    ['the program', layout.program],
    ['the service unit', layout.unit],
    ...unitPaths.filter((path) => path !== layout.unit).map((path) => ['the unit', path] as const),
    // As `--hardened` writes it, the unit has a user of its own.
    ...(/^DynamicUser=yes$/m.test(machine.unitText ?? '') ? layout.stateFolders : []).map(
      (path) => ["the service's directory", path] as const,
    ),
  ];
  const isLive = services === 'running' && units.length > 0;
  const steps = [
    ...(isLive ? [endUnits('stop', running)] : []),
    ...(services !== 'none' && units.length > 0 ? [endUnits('disable', running)] : []),
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
  const note = `kept the directory ${layout.workFolder}: it was not created by the installer (it has no test.sh of the installer, and no hook refers to it)`;
  return { steps, notes: keepsFolder ? [note] : [], kept };
}
