import { afterEach } from 'vitest';
import type { FileEntry, Remote } from '../../src/core/remote.ts';
import type { TestGraphOptions } from '../servers/graph/graph-settings.ts';
import { startTestGraph, type TestGraph } from '../servers/graph/start-graph.ts';
import { type OpenDriveOptions, openDrive } from './open-drive.ts';
import { OP } from './open-s3.ts';

/** A server and a drive that each test of the file starts; both end with it. */
export function driveWorld() {
  let graph: TestGraph;
  let remote: Remote;
  afterEach(async () => {
    await remote.close();
    await graph.stop();
  });
  const open = async (root: string, options: OpenDriveOptions) => {
    const opened = await openDrive(graph, root, options);
    ({ remote } = opened);
    return opened;
  };
  return {
    get graph() {
      return graph;
    },
    get remote() {
      return remote;
    },
    async start(settings: TestGraphOptions, options: Record<string, string> = {}, root = '') {
      graph = await startTestGraph(settings);
      await open(root, { options });
    },
    /** Opens the drive again, in other ways. */
    open,
    async fileAt(path: string): Promise<FileEntry> {
      const entry = await remote.stat(path, OP);
      if (entry?.kind !== 'file') throw new Error(`no file at ${path}`);
      return entry;
    },
  };
}
