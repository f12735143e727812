import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/**
 * Files of which `npm test` runs some of the cases, and `npm run test:all` every one (`SYNCER_TEST_ALL=1`).
 * docs/testing.md says of each file of these lists which fault it alone finds.
 */
const IN_PART: readonly string[] = [
  'test/cli/after-run.test.ts',
  'test/cli/bad-destination.test.ts',
  'test/cli/bad-input.test.ts',
  'test/cli/bad-network.test.ts',
  'test/cli/bad-permissions.test.ts',
  'test/cli/bad-source.test.ts',
  'test/cli/bad-start.test.ts',
  'test/cli/changed-parts-random.test.ts',
  'test/cli/checkpoint.test.ts',
  'test/cli/compiled-code.test.ts',
  'test/cli/completion.test.ts',
  'test/cli/config-of-rclone.test.ts',
  'test/cli/delete-limits.test.ts',
  'test/cli/demo.test.ts',
  'test/cli/documented-commands.test.ts',
  'test/cli/exact-paths.test.ts',
  'test/cli/failed-proofs-on-drives.test.ts',
  'test/cli/guards.test.ts',
  'test/cli/interrupted-output.test.ts',
  'test/cli/interrupted-transfers.test.ts',
  'test/cli/listing-on-s3.test.ts',
  'test/cli/lock.test.ts',
  'test/cli/memory.test.ts',
  'test/cli/mod-time-index.test.ts',
  'test/cli/mount-flags.test.ts',
  'test/cli/mount-life.test.ts',
  'test/cli/one-file-system.test.ts',
  'test/cli/one-place-on-drives.test.ts',
  'test/cli/one-place-on-s3.test.ts',
  'test/cli/one-place-random.test.ts',
  'test/cli/one-place.test.ts',
  'test/cli/rclone-lies.test.ts',
  'test/cli/resumed-uploads.test.ts',
  'test/cli/running.test.ts',
  'test/cli/s3-lies.test.ts',
  'test/cli/saved-plan.test.ts',
  'test/cli/scrub-suspects.test.ts',
  'test/cli/serve-flags.test.ts',
  'test/cli/shortcuts-on-drives.test.ts',
  'test/cli/signals.test.ts',
  'test/cli/trash.test.ts',
  'test/cli/undo.test.ts',
  'test/cli/watch.test.ts',
  'test/cli/webhook/hardships.test.ts',
  'test/cli/webhook/reload-matrix.test.ts',
  'test/cli/webhook/secrets.test.ts',
  'test/cli/webhook/serving.test.ts',
  'test/cli/why.test.ts',
  'test/contract/graph.test.ts',
  'test/contract/local.test.ts',
  'test/contract/s3.test.ts',
  'test/recorded/bisync.test.ts',
  'test/recorded/command-lines.test.ts',
  'test/unit/backends/drive/lies.test.ts',
  'test/unit/backends/s3/data-integrity.test.ts',
  'test/unit/backends/s3/delta/delta-uploads.test.ts',
  'test/unit/backends/s3/refusals.test.ts',
  'test/unit/caches/hashes/hash-cache.test.ts',
  'test/unit/caches/times/histories.test.ts',
  'test/unit/commands/bisync/two-way/random-histories.test.ts',
  'test/unit/commands/undo/random-undos.test.ts',
  'test/unit/components/browser/browser-walk.test.ts',
  'test/unit/components/questions.test.ts',
  'test/unit/filter/keep-dir.test.ts',
  'test/unit/terminal/key-tables.test.ts',
  'test/unit/vfs/contents/model.test.ts',
  'test/unit/webhook/fuzz.test.ts',
  'test/unit/webhook/server/random-rules.test.ts',
];

/** Files that only `npm run test:all` runs. */
const ONLY_ALL = 'test/!(peers)/**/*.slow.test.{ts,tsx}';

export default defineConfig({
  test: {
    // A proxy or a certificate bundle of the machine must not come between a test and its server on loopback.
    env: { NO_PROXY: '127.0.0.1,localhost,::1', no_proxy: '127.0.0.1,localhost,::1' },
    // Tests wait for programs and servers half of the time. By default, two processors have one worker.
    maxWorkers: availableParallelism() + 4,
    // Without these, full garbage collections are three times as frequent.
    execArgv: [
      '--initial-old-space-size=400',
      '--min-semi-space-size=32',
      '--max-semi-space-size=32',
      '--no-memory-reducer',
    ],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    unstubEnvs: true,
    restoreMocks: true,
    // Loading the modules again for each file would take half of the time.
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'own',
          include: ['test/!(peers)/**/*.test.{ts,tsx}'],
          exclude: [ONLY_ALL],
        },
      },
      {
        extends: true,
        test: {
          name: 'all',
          include: [...IN_PART, ONLY_ALL],
          env: { SYNCER_TEST_ALL: '1' },
        },
      },
      {
        extends: true,
        test: {
          name: 'peers',
          include: ['test/peers/**/*.test.{ts,tsx}'],
          isolate: true,
        },
      },
    ],
  },
});
