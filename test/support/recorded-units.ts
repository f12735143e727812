import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  ServiceControl,
  ServiceKind,
  ServiceState,
} from '../../installer/machine/systemctl.ts';
import { SyncerError } from '../../src/core/errors.ts';
import { COMPILED_CACHE } from './compiled-cache.ts';
import { PROGRAMS } from './webhook-beside.ts';

/** A service manager that writes down what it is told, and starts the real hook server for the unit. */
export interface RecordedServices extends ServiceControl {
  /** What it was told, such as `start webhook.service`. */
  readonly calls: string[];
  /** The call that fails, and with what. */
  fails: { readonly call: string; readonly why: string } | undefined;
  /** Starts nothing and says this of the service. */
  broken: ServiceState | undefined;
  /** The file that it has loaded for every unit, instead of those in the directory. */
  loaded: string | undefined;
  /** Ends what runs. */
  end(): Promise<void>;
}

/**
 * @param unitDir where the unit is read, on this machine
 */
export function recordedServices(unitDir: string, kind: ServiceKind = 'running'): RecordedServices {
  let server: ChildProcess | undefined;
  const calls: string[] = [];
  const note = (call: string) => {
    calls.push(call);
    if (services.fails?.call === call) throw new SyncerError('other', services.fails.why);
  };
  const end = async () => {
    const ending = server;
    server = undefined;
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
    const over = new Promise((done) => ending.once('exit', done));
    ending.kill();
    await over;
  };
  const begin = async () => {
    await end();
    if (services.broken !== undefined) return;
    const unit = await readFile(join(unitDir, 'webhook.service'), 'utf8');
    const words = /^ExecStart=\S+ (.*)$/m.exec(unit)?.[1]?.split(' ') ?? [];
    const [command, program] = PROGRAMS.ours;
    const env = { ...process.env, ...COMPILED_CACHE };
    server = spawn(command, [program, ...words], { env, stdio: 'ignore' });
  };
  const services: RecordedServices = {
    kind,
    calls,
    fails: undefined,
    broken: undefined,
    loaded: undefined,
    end,
    async reload() {
      note('daemon-reload');
    },
    async start(units) {
      note(`start ${units.join(' ')}`);
      await begin();
    },
    async stop(units) {
      note(`stop ${units.join(' ')}`);
      await end();
    },
    async restart(unit) {
      note(`restart ${unit}`);
      await begin();
    },
    async enable(units) {
      note(`enable ${units.join(' ')}`);
    },
    async disable(units) {
      note(`disable ${units.join(' ')}`);
    },
    async fileOf(unit) {
      return services.loaded ?? join(unitDir, unit);
    },
    async state() {
      return services.broken ?? (server?.exitCode === null ? 'active' : 'failed');
    },
  };
  return services;
}
