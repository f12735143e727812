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
      // `exact-paths.ts` is loaded before what uses `fs`.
      version: ['commands/version.ts', 'src/core/name-bytes.ts', 'src/mount/called-as.ts'],
      program: [
        'commands/index.ts',
        'src/app/run-program.ts',
        'src/app/output/descriptor-output.ts',
        'src/app/process/end-process.ts',
        'src/app/process/job-control.ts',
        'src/app/process/own-command-line.ts',
        'src/app/process/signals.ts',
      ],
      remotes: [
        'src/app/filter-from-flags.ts',
        'src/app/remotes/rate-limits.ts',
        'src/app/running/presence.ts',
        'src/backends/index.ts',
        'src/backends/local/local-remote.ts',
        'src/config/config-exposure.ts',
        'src/config/ini-lines.ts',
        'src/config/resolve-options.ts',
        'src/config/user-config.ts',
        'src/core/shown-remote.ts',
        'src/state/notes.ts',
        'src/state/stores.ts',
        'src/kit/bandwidth-timetable.ts',
        'src/kit/middle-name.ts',
        'src/kit/retry.ts',
        'src/kit/token-bucket.ts',
        'src/engine/run-control.ts',
      ],
      state: ['src/state/database.ts', 'src/state/schemas.ts', 'src/state/state-copy.ts'],
      listing: ['commands/ls-and-size.ts', 'commands/lsf.ts', 'commands/lsjson.ts'],
      transfer: [
        'commands/transfer.ts',
        'src/app/history/change-journal.ts',
        'src/app/history/note-run.ts',
        'src/config/config-path.ts',
        'src/hash-cache/hash-observer.ts',
        'src/mod-time-index/time-observer.ts',
      ],
    },
    apart: {
      s3: [
        'src/backends/s3/client/ask-document.ts',
        'src/backends/s3/listing/list-parts.ts',
        'src/backends/s3/listing/list-uploads.ts',
        'src/backends/s3/s3-remote.ts',
        'src/backends/s3/store-error.ts',
        'src/failed-proofs/proof-observer.ts',
      ],
      http: [
        'src/auth/post-form.ts',
        'src/auth/refresh-token.ts',
        'src/auth/refusal-error.ts',
        'src/http/answer-parser.ts',
        'src/http/body-as-stream.ts',
        'src/http/connection-error.ts',
        'src/http/http-client.ts',
        'src/http/http-request.ts',
        'src/http/network-text.ts',
        'src/http/proxy.ts',
        'src/http/answer.ts',
        'src/http/trusted-authorities.ts',
        'src/kit/option-reader.ts',
        'src/kit/retry.ts',
        'src/s3-protocol/entities.ts',
        'src/s3-protocol/read-xml.ts',
        'src/s3-protocol/signature-v4.ts',
        'src/s3-protocol/uri-encoding.ts',
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
