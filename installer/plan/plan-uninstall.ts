import type { Machine } from '../machine/detect-machine.ts';
import { isHardenedUnit } from '../machine/recognise.ts';
import type { ServiceKind } from '../services/systemctl.ts';
import type { InstallPlan, InstallStep, StepOf } from './step.ts';

/**
 * The steps that remove what is there: stop, disable, reload, then the items themselves. Pure. A work folder that is
 * not a webhook's, or that contains other files and no test script, stays, and a note says so; one with files of the
 * user gets another name.
 */
export function planUninstall(machine: Machine, services: ServiceKind): InstallPlan {
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
  const steps: InstallStep[] = [
    ...(isLive ? [{ kind: 'stop', units: running } as const] : []),
    ...(services !== 'none' && units.length > 0
      ? [{ kind: 'disable', units: running } as const]
      : []),
    ...(isLive ? [{ kind: 'reload' } as const] : []),
    ...(keptHooks === undefined
      ? []
      : [kept('the changed configuration file', layout.hooks, keptHooks, [])]),
    ...(renamesFolder ? [kept(folder, layout.workFolder, keptFolder, strangers)] : []),
    ...deletions
      .filter(([, path]) => present.has(path))
      .concat(machine.strays.map((path) => ['a left-over', path]))
      .map(([what, path]): InstallStep => ({ kind: 'delete', what, path })),
    // Now systemd also forgets the unit.
    ...(isLive ? [{ kind: 'reload' } as const] : []),
  ];
  return { steps, notes: keepsFolder ? [keptText(machine)] : [] };
}

/** Whether the work folder is the installer's, or empty. */
function mayDeleteFolder({ ownsFolder, strangers, layout, present }: Machine): boolean {
  return ownsFolder || (strangers.length === 0 && !present.has(layout.testScript));
}

function keptText({ layout }: Machine): string {
  return `kept the directory ${layout.workFolder}: it was not created by the installer (it has no test.sh of the installer, and no hook refers to it)`;
}

function kept(what: string, path: string, as: string, files: readonly string[]): StepOf<'keep'> {
  return { kind: 'keep', what, path, as, files };
}

const baseName = (path: string) => path.slice(path.lastIndexOf('/') + 1);
