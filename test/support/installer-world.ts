import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { ServiceKind } from '../../installer/machine/systemctl.ts';
import { runInstaller } from '../../installer/run-installer.ts';
import { findFreePort } from '../cli/free-port.ts';
import { type ReleaseHost, startReleaseHost } from '../servers/release-host.ts';
import { readTree } from './file-tree.ts';
import { type RecordedServices, recordedServices } from './recorded-units.ts';

/** How a run of the installer ended. */
export interface InstallerRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a run is given besides its words. */
interface RunChoice {
  /** Standard input, from a pipe. */
  readonly input?: string;
  readonly signal?: AbortSignal;
  /** Gets every piece of output as it comes. */
  readonly onOutput?: (text: string) => void;
  readonly cwd?: string;
  /** In place of the machine's own places. */
  readonly places?: readonly string[];
}

/** A machine for the installer, in a folder, with a release host and a service manager of its own. */
export interface InstallerWorld {
  readonly dir: string;
  readonly workDir: string;
  readonly port: number;
  readonly host: ReleaseHost;
  readonly services: RecordedServices;
  /** The places of this machine, for every run. */
  readonly places: readonly string[];
  path(name: string): string;
  /** Everything that lies on the machine, by path; `undefined` for folders. */
  tree(): Promise<unknown>;
  run(words: readonly string[], choice?: RunChoice): Promise<InstallerRun>;
  remove(): Promise<void>;
}

/** Makes such a machine: folders as on Debian, and a port that nobody listens on. */
export async function makeInstallerWorld(kind: ServiceKind = 'running'): Promise<InstallerWorld> {
  const dir = await mkdtemp(join(tmpdir(), 'webhook-installer-test-'));
  const path = (name: string) => join(dir, name);
  for (const name of ['usr/bin', 'etc', 'lib/systemd/system', 'srv']) {
    await mkdir(path(name), { recursive: true });
  }
  const [host, port] = [await startReleaseHost(), await findFreePort()];
  const services = recordedServices(path('lib/systemd/system'), kind);
  const places = [
    ...['--bin-dir', path('usr/bin'), '--hooks', path('etc/webhook.conf')],
    ...['--unit-dir', path('lib/systemd/system'), '--work-dir', path('srv')],
    ...['--port', `${port}`, '--release-url', host.url],
  ];
  return {
    ...{ dir, workDir: path('srv'), port, host, services, places, path },
    tree: () => readTree(dir),
    async run(words, choice = {}) {
      const { input = '', signal, onOutput, cwd = dir } = choice;
      const stdin = new PassThrough();
      stdin.end(input);
      const texts = { stdout: '', stderr: '' };
      const output = (name: 'stdout' | 'stderr') => ({
        write(text: string) {
          texts[name] += text;
          onOutput?.(text);
        },
      });
      const code = await runInstaller({
        argv: [...words, ...(choice.places ?? places)],
        env: {},
        cwd,
        stdin,
        stdout: output('stdout'),
        stderr: output('stderr'),
        signal: signal ?? new AbortController().signal,
        services: async () => services,
      });
      return { code, ...texts };
    },
    async remove() {
      await services.end();
      await host.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
