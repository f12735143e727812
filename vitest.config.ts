import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // A proxy or a certificate bundle of the machine must not come between a test and its server on loopback.
    env: { NO_PROXY: '127.0.0.1,localhost,::1', no_proxy: '127.0.0.1,localhost,::1' },
    // Tests wait for programs and servers half of the time; by default, two processors have one worker.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    unstubEnvs: true,
    restoreMocks: true,
    projects: [
      {
        extends: true,
        // Loading the modules again for each file would take half of the time.
        test: { name: 'unit', include: ['test/unit/**/*.test.{ts,tsx}'], isolate: false },
      },
      {
        extends: true,
        test: { name: 'whole', include: ['test/!(unit|peers)/**/*.test.{ts,tsx}'] },
      },
      {
        extends: true,
        test: { name: 'peers', include: ['test/peers/**/*.test.{ts,tsx}'] },
      },
    ],
  },
});
