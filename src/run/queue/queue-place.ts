import { SyncerError } from '../../core/errors.ts';

/** A place that every machine opens by its own configuration. */
export interface QueuePlace {
  /** The name of the remote, as in each configuration. */
  readonly remote: string;
  /** Without slashes at its ends; `''`: all of the remote. */
  readonly path: string;
}

/**
 * Reads `remote:path`. Throws `usage` for what other machines cannot open in the same way: a local path, a connection
 * string, a path with `..`. Values of a connection string are not in the message.
 */
export function queuePlace(text: string): QueuePlace {
  const end = /[:,/\\]/.exec(text.startsWith(':') ? `.${text.slice(1)}` : text);
  if (end?.[0] === ',' || text.startsWith(':')) {
    throw new SyncerError(
      'usage',
      'a remote with options in its path cannot be used with a queue: they may be secrets, and would be in the queue',
      { advice: 'name the remote in the configuration of each machine' },
    );
  }
  if (end?.[0] !== ':' || end.index === 0) {
    throw new SyncerError(
      'usage',
      `"${text}" is a local path: with a queue every worker would see its own disk`,
    );
  }
  const path = text.slice(end.index + 1).replace(/^\/+|\/+$/g, '');
  if (path !== '' && path.split('/').some((name) => ['', '.', '..'].includes(name))) {
    throw new SyncerError(
      'usage',
      `"${text}" cannot be used with a queue: its path must not contain "//", "." or ".."`,
    );
  }
  return { remote: text.slice(0, end.index), path };
}
