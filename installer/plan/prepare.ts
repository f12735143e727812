import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { type Clock, systemClock } from '../../src/core/context.ts';
import { SyncerError } from '../../src/core/errors.ts';
import { nearestExisting } from '../../src/system/fs-path.ts';
import { applySteps } from '../apply/apply-steps.ts';
import type { World } from '../apply/job.ts';
import { detectMachine } from '../machine/detect-machine.ts';
import { insideRoot } from '../machine/inside-root.ts';
import { openServices, type ServiceControl, type ServiceKind } from '../machine/systemctl.ts';
import type { InstallerOptions } from '../read-options.ts';
import { releaseClient } from '../release/download-archive.ts';
import { architectureOf } from '../release/unpack-program.ts';
import type { TextOutput } from '../show/text-view.ts';
import { type InstallPlan, planInstall, planUninstall, planUpgrade } from './plan-install.ts';

/** What an action would do. */
interface Outline {
  readonly outcome: 'ready';
  readonly title: string;
  readonly plan: InstallPlan;
  /** Whether all that was done is undone when a step fails; otherwise the other steps are still done. */
  readonly allOrNothing: boolean;
  /** Said at the end. */
  readonly closing: readonly string[];
}

/** It must not be done, or there is nothing to do: why, line by line, and the exit code. */
interface NothingToDo {
  readonly outcome: 'none';
  readonly code: number;
  readonly lines: readonly string[];
}

const WAYS = { install: prepareInstall, uninstall: prepareUninstall, upgrade: prepareUpgrade };

/** A plan to show, which `applyPlan` carries out. */
export interface ReadyPlan extends Outline {
  readonly deed: keyof typeof WAYS;
  readonly options: InstallerOptions;
  readonly services: ServiceControl;
  /** When it was made, in milliseconds since 1970; files that are kept are named after it. */
  readonly nowMs: number;
}

/**
 * Looks into a deed before anything is changed, with the services of the system. Throws what makes it impossible.
 *
 * @param nowMs for the name of a file that is kept
 */
export async function prepare(
  deed: keyof typeof WAYS,
  options: InstallerOptions,
  io: InstallerIo,
  nowMs = (io.clock ?? systemClock).now(),
): Promise<ReadyPlan | NothingToDo> {
  const { root } = options;
  const services = await (io.services ?? ((folder) => openServices(folder, io.env)))(root);
  const found = await stat(root).catch(() => undefined);
  if (found?.isDirectory() !== true) {
    throw new SyncerError('directory-not-found', `directory not found: ${root} (--root)`);
  }
  const outline = await WAYS[deed](options, services.kind, nowMs);
  return outline.outcome === 'none' ? outline : { ...outline, deed, options, services, nowMs };
}

/**
 * Carries out the steps of a plan, as they were shown. Rejects with what failed, and before the first step if a person
 * was asked and files changed since the plan was shown.
 *
 * @param emit is called with the progress
 */
export async function applyPlan(
  shown: ReadyPlan,
  io: InstallerIo,
  emit: World['emit'],
  wasAsked: boolean,
): Promise<void> {
  if (wasAsked) await checkUnchanged(shown, io);
  const { plan, allOrNothing, options, services } = shown;
  const { signal, env, clock = systemClock } = io;
  const releases = await releaseClient(options, env);
  try {
    const world = { options, services, emit, releases, clock, signal };
    await applySteps(plan.steps, world, allOrNothing);
  } finally {
    releases.close();
  }
}

/** Looks again, as files may have changed while a plan was shown. Rejects if another plan would be made now. */
async function checkUnchanged({ deed, options, plan, nowMs }: ReadyPlan, io: InstallerIo) {
  const now = await prepare(deed, options, io, nowMs);
  const textOf = ({ steps, notes }: InstallPlan) =>
    [...steps.map(({ text }) => text), ...notes].join('\n');
  if (now.outcome === 'ready' && textOf(now.plan) === textOf(plan)) return;
  throw new SyncerError(
    'other',
    'nothing was changed: files of this machine changed while the plan was shown; start again to see the new plan',
  );
}

function refused(found: readonly string[], why: string): NothingToDo {
  const lines = [...found.map((item) => `found: ${item}`), `webhook-installer: ${why}`];
  return { outcome: 'none', code: 1, lines };
}

/** Plans to replace the program by another release. Changes nothing; throws `file-not-found` where none is installed. */
async function prepareUpgrade(
  options: InstallerOptions,
  services: ServiceKind,
  nowMs: number,
): Promise<Outline | NothingToDo> {
  const machine = await detectMachine(options, 'change', nowMs);
  const { layout, owner } = machine;
  if (!machine.present.has(layout.program)) {
    throw new SyncerError(
      'file-not-found',
      `${layout.program} is not installed: use "webhook-installer install"`,
    );
  }
  if (owner !== undefined) {
    const why = `nothing was changed: it belongs to the package ${owner}; use "apt-get install --only-upgrade ${owner}"`;
    return refused([], why);
  }
  await checkWritable(options.root, [layout.program]);
  return {
    outcome: 'ready',
    title: `Upgrade to ${releaseName(options)}`,
    plan: planUpgrade(options, machine, architectureOf(options.machine), services),
    allOrNothing: true,
    closing: [`${releaseName(options)} is installed; hooks and units are unchanged.`],
  };
}

/** Looks at the five items and plans an installation where none of them is there. Changes nothing. */
async function prepareInstall(
  options: InstallerOptions,
  services: ServiceKind,
  nowMs: number,
): Promise<Outline | NothingToDo> {
  const { layout, found } = await detectMachine(options, 'install', nowMs);
  if (found.length > 0) {
    const why =
      'nothing was installed: remove these by hand, or with "webhook-installer uninstall", and try again';
    return refused(found, why);
  }
  const architecture = architectureOf(options.machine);
  const { root } = options;
  await checkWritable(root, [layout.workFolder, layout.program, layout.hooks, layout.unit]);
  if (options.hardened) {
    const parts = dirname(layout.testScript).split('/').slice(1);
    for (let i = 1; i <= parts.length; i++) {
      const folder = join('/', ...parts.slice(0, i));
      const about = await stat(await insideRoot(root, `${folder}/.`)).catch(() => undefined);
      if (about === undefined || (about.mode & 0o001) !== 0) continue;
      throw new SyncerError(
        'access-denied',
        `the service's user cannot access ${folder}: choose another directory with --work-dir, for example --work-dir /opt`,
      );
    }
  }
  const token = options.token ?? randomBytes(16).toString('hex');
  const url = `http://localhost:${options.port}/hooks/test?token=${encodeURIComponent(token)}`;
  return {
    outcome: 'ready',
    title: `Install ${releaseName(options)}`,
    plan: planInstall(options, layout, architecture, token, services),
    allOrNothing: true,
    closing: [
      services === 'running' ? 'webhook is installed and running.' : 'webhook is installed.',
      `token of the hook "test": ${token}`,
      `test it with: curl '${url}'`,
    ],
  };
}

/** Looks at the five items and plans the removal of those that are there. Changes nothing. */
async function prepareUninstall(
  options: InstallerOptions,
  services: ServiceKind,
  nowMs: number,
): Promise<Outline | NothingToDo> {
  const machine = await detectMachine(options, 'change', nowMs);
  const { found, owner } = machine;
  if (owner !== undefined) {
    const why = `nothing was removed: it belongs to the package ${owner}; remove it with "apt-get purge ${owner}"`;
    return refused(found, why);
  }
  const plan = planUninstall(machine, services);
  if (plan.steps.length === 0) {
    // A user who may not look into a folder of the system takes it to be there.
    if (found.length + plan.notes.length === 0) {
      const lines = ['no webhook program was found: nothing to uninstall'];
      return { outcome: 'none', code: 0, lines };
    }
    return refused(found, ['nothing was removed', ...plan.notes].join('; '));
  }
  await checkWritable(
    options.root,
    plan.steps.flatMap(({ path }) => path ?? []),
  );
  return {
    outcome: 'ready',
    title: 'Uninstall webhook',
    plan,
    allOrNothing: false,
    closing: ['webhook is uninstalled.', ...plan.kept],
  };
}

/** What is installed, and whose it is; which release an archive holds is not known. */
function releaseName({ source, archive, version, releaseUrl }: InstallerOptions): string {
  if (source !== undefined) return `webhook from ${source}`;
  if (archive !== undefined) return `webhook from ${basename(archive)}`;
  const { host, pathname } = new URL(releaseUrl);
  const [, owner = '', name = ''] = pathname.split('/');
  const whose = host === 'github.com' ? `${owner}/${name}` : host;
  return `webhook ${version} of ${whose}`;
}

/** Throws `access-denied` where one of these paths could not be made or removed by this user. */
async function checkWritable(root: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const folder = await nearestExisting(dirname(await insideRoot(root, path)));
    const isWritable = await access(folder, constants.W_OK).then(
      () => true,
      () => false,
    );
    if (isWritable) continue;
    throw new SyncerError(
      'access-denied',
      `no permission to write to ${folder}: run it as root, for example with sudo`,
    );
  }
}

/** The process as the installer sees it. */
export interface InstallerIo {
  /** The words after the program's name. */
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  /** Aborted by Ctrl-C and the like, with a `SyncerError` as reason. */
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  /** The service manager of the system in a root; the machine's own unless a test brings one. */
  readonly services?: (root: string) => Promise<ServiceControl>;
}
