import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestGraphOptions } from '../servers/graph/graph-settings.ts';
import { startTestGraph, type TestGraph } from '../servers/graph/start-graph.ts';
import { type RcloneEnded, runRclone } from './rclone.ts';

/** A Graph server, and rclone with a remote for each of its drives: `drive0:`, `drive1:` and so on. */
export interface GraphWorld {
  readonly graph: TestGraph;
  /** An empty folder for the test's files. */
  readonly dir: string;
  /** rclone's configuration file; it holds the remotes. */
  readonly config: string;
  /** Runs rclone with words, in a text separated by spaces, in `dir`; it tries nothing again unless told. */
  rclone(line: string | readonly string[], input?: string): Promise<RcloneEnded>;
  /** Writes the remotes anew, with fresh tokens that rclone believes to live for `expiresIn` seconds. */
  signIn(expiresIn?: number): Promise<void>;
  remove(): Promise<void>;
}

/** Makes one. */
export async function makeGraphWorld(options: TestGraphOptions = {}): Promise<GraphWorld> {
  const graph = await startTestGraph(options);
  const base = await mkdtemp(join(tmpdir(), 'syncer-test-graph-'));
  const dir = await mkdtemp(join(base, 'work-'));
  const config = join(base, 'rclone.conf');
  const certificate = join(base, 'graph.pem');
  await writeFile(certificate, graph.certificate);
  const signIn = async (expiresIn?: number) => {
    const lines = graph.drives.flatMap((drive, number) => {
      const section = { ...graph.section(drive), token: JSON.stringify(graph.newToken(expiresIn)) };
      const keys = Object.entries(section).map(([key, value]) => `${key} = ${value}`);
      return [`[drive${number}]`, ...keys, ''];
    });
    await writeFile(config, lines.join('\n'));
  };
  await signIn();
  return {
    graph,
    dir,
    config,
    rclone: (line, input = '') =>
      runRclone(['--retries', '1', ...(typeof line === 'string' ? line.split(' ') : line)], {
        cwd: dir,
        config,
        input,
        env: graph.proxied(certificate),
      }),
    signIn,
    async remove() {
      await graph.stop();
      await rm(base, { recursive: true, force: true });
    },
  };
}

/** Writes a configuration file with the first drive of a server, as `d:`; returns the environment that trusts the server. */
export async function configureDrive(config: string, graph: TestGraph) {
  const certificate = `${config}.graph.pem`;
  await writeFile(certificate, graph.certificate);
  const keys = {
    ...graph.section(),
    token: JSON.stringify(graph.newToken()),
    graph_url: graph.graphUrl,
  };
  const lines = Object.entries(keys).map(([key, value]) => `${key} = ${value}\n`);
  await writeFile(config, `[d]\n${lines.join('')}`);
  return { SYNCER_CONFIG: config, SYNCER_CA_CERT: certificate };
}
