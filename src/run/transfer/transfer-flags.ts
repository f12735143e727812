import type { KeepMetadata, Metadata } from '../../core/entry-details.ts';
import { SyncerError } from '../../core/errors.ts';
import type { Invocation } from '../../shell/command-line/command.ts';
import { logText } from '../../shell/log/log-text.ts';

/** What `--metadata` and `--metadata-set` ask for; `undefined` without `--metadata`. Throws `usage`. */
export function keepMetadata({
  flags,
  context,
}: Pick<Invocation, 'flags' | 'context'>): KeepMetadata | undefined {
  const set = readMetadataSet(flags['metadata-set']);
  if (flags.metadata) return { set };
  if (Object.keys(set).length > 0) {
    const message = 'Ignoring --metadata-set as --metadata is not set';
    context.emit(logText('notice', message));
  }
  return undefined;
}

/** Reads `key=value` texts; keys are in lower case, of two with one key the last counts. Throws `usage`. */
export function readMetadataSet(texts: readonly string[]): Metadata {
  const pairs = texts.map((text): [string, string] => {
    const equals = text.indexOf('=');
    if (equals < 0) {
      throw new SyncerError('usage', `failed to parse '${text}' as metadata key=value`);
    }
    return [text.slice(0, equals).toLowerCase(), text.slice(equals + 1)];
  });
  return Object.fromEntries(pairs);
}
