/** A program that is built. */
export interface Program {
  /** Where its code begins, relative to the project. */
  readonly entry: string;
  /**
   * What is always loaded together, by name: these files and all that they import at once go into one file of the
   * bundle, which is read quicker than a hundred small ones. What an earlier one has is not in a later one.
   */
  readonly together: Readonly<Record<string, readonly string[]>>;
  /** The same of what only some runs load: without what files outside of it import as well. */
  readonly apart?: Readonly<Record<string, readonly string[]>>;
}

/** The programs, by the names of their files in `dist` without the extension. */
export const PROGRAMS: Readonly<Record<string, Program>> = {
  syncer: {
    entry: 'src/main.ts',
    together: {
      version: ['commands/version.ts'],
      program: [
        'commands/index.ts',
        'src/app/run-program.ts',
        'src/app/output/descriptor-output.ts',
        'src/app/process/called-as.ts',
        'src/app/process/end-process.ts',
        'src/app/process/own-command-line.ts',
        'src/app/process/signals.ts',
      ],
      remotes: [
        'src/app/filter-from-flags.ts',
        'src/backends/index.ts',
        'src/backends/local/local-remote.ts',
        'src/config/ini-lines.ts',
        'src/config/resolve-options.ts',
        'src/config/user-config.ts',
        'src/kit/retry.ts',
      ],
      listing: ['commands/ls-and-size.ts', 'commands/lsf.ts', 'commands/lsjson.ts'],
      transfer: [
        'commands/transfer.ts',
        'src/app/history/note-run.ts',
        'src/config/config-path.ts',
        'src/hash-cache/open-hash-cache.ts',
        'src/mod-time-index/with-mod-time-index.ts',
      ],
    },
    apart: {
      s3: ['src/backends/s3/s3-remote.ts', 'src/failed-proofs/with-failed-proofs.ts'],
      http: [
        'src/kit/option-reader.ts',
        'src/kit/retry.ts',
        'src/http/answer-head.ts',
        'src/http/connection-error.ts',
        'src/http/http-client.ts',
        'src/http/read-whole.ts',
        'src/http/answer-head.ts',
      ],
    },
  },
  webhook: {
    entry: 'src/webhook/main.ts',
    together: { server: ['src/webhook/start/run-webhook.ts'] },
  },
  'webhook-installer': {
    entry: 'installer/main.ts',
    together: { installer: ['installer/start-installer.ts'] },
  },
};
