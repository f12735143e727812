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

/** The npm packages: the directory of each one's package.json, in which `dist` is, and its programs. */
export const PACKAGES = {
  syncer: { folder: '.', programs: ['syncer'] },
  'syncer-webhook': {
    folder: 'packages/syncer-webhook',
    programs: ['webhook', 'webhook-installer'],
  },
} as const;

export type PackageName = keyof typeof PACKAGES;

/** The programs, by the names of their files in `dist` without the extension. */
export const PROGRAMS: Readonly<Record<string, Program>> = {
  syncer: {
    entry: 'src/main.ts',
    together: {
      // `exact-paths.ts` is loaded before what uses `fs`.
      version: [
        'commands/version/version.ts',
        'src/core/name-bytes.ts',
        'commands/mount/called-as.ts',
      ],
      program: [
        'commands/index.ts',
        'src/run/run-program.ts',
        'src/shell/output/descriptor-output.ts',
        'src/shell/process/end-process.ts',
        'src/shell/process/job-control.ts',
        'src/shell/process/own-command-line.ts',
        'src/shell/process/signals.ts',
        'src/shell/process/standard-input.ts',
      ],
      remotes: [
        'src/shell/filter-from-flags.ts',
        'src/run/remotes/rate-limits.ts',
        'src/run/presence/presence.ts',
        'src/backends/index.ts',
        'src/backends/local/local-remote.ts',
        'src/config/config-exposure.ts',
        'src/config/ini-lines.ts',
        'src/config/resolve-options.ts',
        'src/config/config-file.ts',
        'src/core/remote-path.ts',
        'src/state/notes.ts',
        'src/state/stores.ts',
        'src/engine/bandwidth-timetable.ts',
        'src/names/middle-name.ts',
        'src/core/retry.ts',
        'src/core/token-bucket.ts',
        'src/engine/run-control.ts',
      ],
      state: ['src/state/database.ts', 'src/state/schemas.ts', 'src/state/state-copy.ts'],
      // What both listings and transfers have.
      run: [
        'src/core/own-text.ts',
        'src/engine/run.ts',
        'src/engine/shortcuts.ts',
        'src/run/remotes/file-or-directory.ts',
      ],
      listing: ['commands/list/ls-and-size.ts', 'commands/list/lsf.ts', 'commands/list/lsjson.ts'],
      transfer: [
        'commands/copy/transfer.ts',
        'src/run/history/change-journal.ts',
        'src/run/history/note-run.ts',
        'src/config/config-path.ts',
        'src/caches/hashes/hash-cache.ts',
      ],
      times: ['src/caches/times/mod-time-index.ts'],
    },
    apart: {
      s3: [
        'src/backends/s3/client/ask.ts',
        'src/backends/s3/listing/history.ts',
        'src/backends/s3/s3-remote.ts',
        'src/backends/s3/store-error.ts',
        'src/caches/proof-observer.ts',
      ],
      http: [
        'src/backends/auth/oauth-token.ts',
        'src/backends/auth/post-form.ts',
        'src/backends/http/answer-parser.ts',
        'src/backends/http/connection-error.ts',
        'src/backends/http/http-client.ts',
        'src/backends/http/http-request.ts',
        'src/backends/http/proxy.ts',
        'src/backends/http/answer.ts',
        'src/backends/http/trusted-authorities.ts',
        'src/backends/option-reader.ts',
        'src/core/retry.ts',
        'src/backends/s3-protocol/read-xml.ts',
        'src/backends/s3-protocol/signature-v4.ts',
        'src/backends/s3-protocol/uri-encoding.ts',
      ],
    },
  },
  webhook: {
    entry: 'src/webhook/main.ts',
    together: { server: ['src/webhook/start/run-webhook.ts'] },
  },
  'webhook-installer': {
    entry: 'installer/main.ts',
    together: { installer: ['installer/run-installer.ts'] },
  },
};
