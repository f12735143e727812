import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startTestGraph, type TestGraph } from '../../servers/graph/start-graph.ts';
import { startTestS3, type TestS3 } from '../../servers/test-s3.ts';
import { openTmux, type TmuxOptions, type TmuxTerminal } from '../../support/tmux-terminal.ts';

/** The built program. */
export const program = resolve(import.meta.dirname, '../../../dist/syncer.js');

/** A home with a configuration that need not exist, and stores to configure. */
export interface ConfigPlace {
  readonly home: string;
  readonly config: string;
  readonly s3: TestS3;
  readonly graph: TestGraph;
  /** Runs `syncer config` in a terminal; `ended` and the exit code follow. */
  start(options?: TmuxOptions, args?: string): Promise<TmuxTerminal>;
  /** What the configuration file holds. */
  text(): Promise<string>;
  remove(): Promise<void>;
}

/** Makes one. */
export async function makeConfigPlace(): Promise<ConfigPlace> {
  const home = await mkdtemp(join(tmpdir(), 'config-wizard-'));
  const config = join(home, 'syncer.conf');
  const s3 = await startTestS3();
  const graph = await startTestGraph({
    drives: [{ type: 'personal' }, { type: 'business' }],
    devicePolls: ['authorization_pending', 'authorization_pending'],
    deviceInterval: 1,
  });
  return {
    home,
    config,
    s3,
    graph,
    async start(options = {}, args = '') {
      const env = {
        HOME: home,
        SYNCER_CONFIG: config,
        SYNCER_DRIVE_PROVIDER_A_GRAPH_URL: graph.graphUrl,
        SYNCER_DRIVE_PROVIDER_A_AUTH_URL: graph.authUrl,
        SYNCER_DRIVE_PROVIDER_A_TOKEN_URL: graph.tokenUrl,
        ...options.env,
      };
      const terminal = await openTmux({ ...options, env, cwd: home });
      await terminal.type(`clear; ${process.execPath} ${program} config ${args}; echo ended $?`);
      await terminal.keys('Enter');
      return terminal;
    },
    text: () => readFile(config, 'utf8'),
    async remove() {
      await s3.stop();
      await graph.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Types an answer where the screen shows `title`. */
export async function answer(terminal: TmuxTerminal, title: string, typed: string): Promise<void> {
  await terminal.waitFor(title);
  await terminal.type(typed);
  await terminal.keys('Enter');
}

/** Describes a remote of S3, up to the confirmation. */
export async function describeStore(
  terminal: TmuxTerminal,
  s3: TestS3,
  secret: string,
): Promise<void> {
  await terminal.waitFor('New remote');
  await terminal.keys('n');
  await answer(terminal, 'Enter name for new remote.', 'store');
  await answer(terminal, 'Type of storage', '1');
  await answer(terminal, 'S3 provider', 'Other');
  await terminal.waitFor('Get the credentials from the environment');
  await terminal.keys('n');
  await answer(terminal, 'access_key_id:', s3.accessKeyId);
  await answer(terminal, 'secret_access_key:', secret);
  await answer(terminal, 'region:', '');
  await answer(terminal, 'endpoint:', s3.endpoint);
  await terminal.waitFor('Edit advanced config?');
  await terminal.keys('n');
  await terminal.waitFor('Enter edit');
}

/** Describes a cloud drive, up to the question how to log in. */
export async function describeDrive(terminal: TmuxTerminal, graph: TestGraph): Promise<void> {
  await terminal.waitFor('New remote');
  await terminal.keys('n');
  await answer(terminal, 'Enter name', 'work');
  await answer(terminal, 'Type of storage', 'onedr');
  await answer(terminal, 'client_id:', graph.clientId);
  await answer(terminal, 'client_secret:', 'topsecret');
  await terminal.waitFor('Edit advanced config?');
  await terminal.keys('Enter');
  await terminal.waitFor('Can this computer open a browser?');
}
