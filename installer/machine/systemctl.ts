import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, readlink, rm, stat, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { SyncerError } from '../../src/core/errors.ts';
import { onFile } from '../apply/file-error.ts';
import { UNIT_FOLDERS } from './detect-machine.ts';
import { insideRoot } from './inside-root.ts';

/** What starts services: a systemd that runs, the files of a system that does not (`--root`), or nothing. */
export type ServiceKind = 'running' | 'image' | 'none';

/** What systemd says of a service. */
export type ServiceState = 'active' | 'activating' | 'failed' | 'inactive';

/** The service manager. Every call rejects with a `SyncerError` that says what it would not do. */
export interface ServiceControl {
  readonly kind: ServiceKind;
  reload(): Promise<void>;
  start(units: readonly string[]): Promise<void>;
  stop(units: readonly string[]): Promise<void>;
  restart(unit: string): Promise<void>;
  enable(units: readonly string[]): Promise<void>;
  disable(units: readonly string[]): Promise<void>;
  state(unit: string): Promise<ServiceState>;
  /** The file that the manager has loaded for a unit; empty without one. */
  fileOf(unit: string): Promise<string>;
}

/** The service manager of the system in `root`: `systemctl`, or nothing where there is none or it does not run. */
export async function openServices(root: string, env: NodeJS.ProcessEnv): Promise<ServiceControl> {
  const kind = await kindOf(root, env);
  const isImage = kind === 'image';
  const before = isImage ? [`--root=${root}`] : [];
  const ask = (words: readonly string[]) => systemctl([...before, ...words], env);
  const act = async (...words: string[]) => {
    const { code, stderr } = await ask(words);
    if (code === 0) return;
    const why = stderr.trim().split('\n')[0] || (code === null ? 'killed' : `status ${code}`);
    throw new SyncerError('other', `systemctl ${words.join(' ')}: ${why}`);
  };
  return {
    kind,
    reload: () => act('daemon-reload'),
    start: (units) => act('start', ...units),
    stop: (units) => act('stop', ...units),
    restart: (unit) => act('restart', unit),
    enable: (units) => (isImage ? enableInImage(root, units) : act('enable', ...units)),
    disable: (units) => (isImage ? disableInImage(root, units) : act('disable', ...units)),
    async fileOf(unit) {
      return (await ask(['show', '--property=FragmentPath', '--value', unit])).stdout.trim();
    },
    async state(unit) {
      const text = (await ask(['is-active', unit])).stdout.trim();
      return (
        (['active', 'activating', 'failed'] as const).find((one) => one === text) ?? 'inactive'
      );
    },
  };
}

/** systemd runs where this folder is: what sd_booted(3) looks at. */
async function kindOf(root: string, env: NodeJS.ProcessEnv): Promise<ServiceKind> {
  const hasProgram = await systemctl(['--version'], env).then(
    ({ code }) => code === 0,
    () => false,
  );
  if (!hasProgram) return 'none';
  if (root !== '/') return 'image';
  const booted = await stat('/run/systemd/system').catch(() => undefined);
  return booted?.isDirectory() === true ? 'running' : 'none';
}

/** Runs `systemctl` in its own session: Ctrl-C reaches the installer only. The code is `null` after a signal. */
function systemctl(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('systemctl', words, {
      detached: true,
      timeout: 120_000,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...env, SYSTEMD_PAGER: '', SYSTEMD_COLORS: '0', LC_ALL: 'C' },
    });
    const texts = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (texts.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (texts.stderr += text));
    child.on('error', (cause) => {
      reject(new SyncerError('other', `systemctl cannot be run: ${cause.message}`, { cause }));
    });
    child.on('close', (code) => resolve({ code, ...texts }));
  });
}

/** Where `systemctl enable` puts its links. */
const ENABLED = '/etc/systemd/system';
/**
 * Enables units in the system below `root`, which does not run, by the links that `systemctl enable` would make: that
 * program itself follows links in there out of it. Knows `WantedBy=`, which is all that the installer's units have.
 * Rejects with a `SyncerError`.
 */
export async function enableInImage(root: string, units: readonly string[]): Promise<void> {
  for (const unit of units) {
    let path = '';
    let text: string | undefined;
    for (const folder of UNIT_FOLDERS) {
      path = join(folder, unit);
      text = await readFile(await insideRoot(root, `${path}/.`), 'utf8').catch(() => undefined);
      if (text !== undefined) break;
    }
    if (text === undefined) {
      const why = `systemd finds no such unit in ${root}`;
      throw new SyncerError('other', `${unit} cannot be enabled: ${why}`);
    }
    const section = /^\[Install\]$([\s\S]*?)(?:^\[|(?![\s\S]))/m.exec(text)?.[1] ?? '';
    const wants = [...section.matchAll(/^WantedBy=(.*)$/gm)].map(([, words]) => words);
    for (const target of wants.join(' ').split(/\s+/).filter(Boolean)) {
      const link = join(ENABLED, `${target}.wants`, unit);
      const place = await insideRoot(root, link);
      await onFile('make', link, async () => {
        await mkdir(dirname(place), { recursive: true });
        await symlink(path, place).catch(async (thrown: NodeJS.ErrnoException) => {
          const found = await readlink(place).catch(() => undefined);
          if (thrown.code !== 'EEXIST' || found !== path) throw thrown;
        });
      });
    }
  }
}

/** Undoes `enableInImage`, also for links of other programs. Rejects with a `SyncerError`. */
export async function disableInImage(root: string, units: readonly string[]): Promise<void> {
  const names = await readdir(await insideRoot(root, `${ENABLED}/.`)).catch(() => []);
  for (const folder of names.filter((name) => /\.(?:wants|requires)$/.test(name))) {
    for (const unit of units) {
      const link = join(ENABLED, folder, basename(unit));
      const place = await insideRoot(root, link);
      if ((await readlink(place).catch(() => undefined)) === undefined) continue;
      await onFile('delete', link, () => rm(place));
    }
  }
}
