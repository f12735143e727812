import type {
  HomeContents,
  HomeMount,
  HomeRemote,
  HomeWorks,
} from '../../../src/run/home-entry.ts';
import type { RunningSummary } from '../../../src/run/presence/running-text.ts';
import type { PastRun } from '../../../src/state/runs.ts';

/** A remote of the home screen. */
export function homeRemote(name: string, about: Partial<HomeRemote> = {}): HomeRemote {
  return {
    ...{ name, type: 's3', place: 'here', login: '', needsLogin: false, isKnown: true },
    ...about,
  };
}

/** A mount of the home screen. */
export function homeMount(mountPoint: string, about: Partial<HomeMount> = {}): HomeMount {
  return {
    ...{ mountPoint, source: 'one:', state: 'live', pending: 0, pendingBytes: 0, failed: 0 },
    ...{ cachedFiles: 0, cachedBytes: 0 },
    ...about,
  };
}

/** A run that goes on. */
export const runningRun: RunningSummary = {
  ...{ id: '20261121-113012-7k3f', words: ['sync', '/data', 'one:data'], dir: '/w', pid: 7 },
  ...{ startedMs: 0, state: 'running' },
  far: {
    ...{ bytes: 42, totalBytes: 100, rate: 7, files: 3, totalFiles: 9, checks: 5 },
    ...{ totalChecks: 5, deleted: 0, errors: 0, secondsLeft: 8 },
  },
};

/** A run that has ended. */
export const pastRun: PastRun = {
  id: '20261121-113012-7k3e',
  ...{ endedMs: 0, tookMs: 1, words: ['copy', 'a', 'b'], dir: '/w', exit: 0 },
  ...{ files: 1, bytes: 2, checks: 0, deleted: 0, errors: 0 },
};

/** What the home screen shows; nothing where nothing is said. */
export function homeContents(about: Partial<HomeContents> = {}): HomeContents {
  return {
    ...{
      places: [],
      pins: [],
      remotes: [],
      jobs: [],
      mounts: [],
      running: [],
      runs: [],
      offers: [],
      flags: [],
    },
    ...{
      undo: new Map(),
      health: new Map(),
      asking: new Set<string>(),
      expand: (typed: string) => typed,
    },
    ...about,
  };
}

/** A world in which nothing answers. */
export function homeWorks(about: Partial<HomeWorks> = {}): HomeWorks {
  return {
    complete: async () => [],
    askRemote: () => new Promise(() => {}),
    test: async (remote) => ({ works: true, text: remote }),
    readUndo: async () => new Map(),
    readChanges: async () => [],
    pin: () => {},
    listMounts: async () => [],
    listRunning: async () => [],
    nowMs: () => 0,
    ...about,
  };
}

/** More remotes and runs than a page shows, with a job and a mount. */
export const longHome = homeContents({
  remotes: Array.from({ length: 12 }, (_, at) => homeRemote(`r${at}`, { needsLogin: at === 0 })),
  jobs: [{ name: 'docs', words: ['sync', 'a', 'b'] }],
  mounts: [homeMount('/mnt')],
  running: [runningRun],
  runs: Array.from({ length: 30 }, (_, at) => ({ ...pastRun, endedMs: at })),
});

/** A home in which every key leads to something. */
export const walkedHome = homeContents({
  remotes: ['r0', 'r1'].map((name) => homeRemote(name, { needsLogin: name === 'r1' })),
  jobs: [
    { name: 'docs', words: ['sync', 'a', 'b'] },
    { name: 'tidy', words: ['cleanup', 'r0:'] },
  ],
  mounts: [homeMount('/mnt/r0', { pending: 3 })],
  running: [runningRun],
  runs: [
    ['sync', 'a', 'b'],
    ['purge', 'r1:old'],
    ['check', 'a', 'b'],
  ].map((words, at) => ({ ...pastRun, endedMs: at, words, files: 12, deleted: 34 })),
});

/** No remote yet, and something to import. */
export const firstHome = homeContents({
  offers: [
    {
      ...{ label: 'Import from rclone', note: '', question: 'Import 3 remotes of /rclone.conf?' },
      command: { words: ['config', 'import', '/rclone.conf'], hasScreen: false },
    },
  ],
});

/** Every path goes on with a 1. */
export const completing = homeWorks({ complete: async (_, typed) => [`${typed}1`] });
