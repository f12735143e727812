import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { SyncerError, toSyncerError } from '../../src/core/errors.ts';
import { mapAtOnce } from '../../src/core/map-at-once.ts';
import { userText } from '../../src/core/name-bytes.ts';
import { runAttempts } from '../../src/run/transfer/run-attempts.ts';
import { openDestination } from '../../src/run/transfer/transfer.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';
import { readCsvRecord } from '../../src/shell/command-line/csv-record.ts';
import { parseHttpUrl } from '../../src/shell/url-request.ts';
import { readWhole } from '../../src/system/read-whole.ts';
import type { COPYURL_FLAGS } from './command.ts';
import { storeOnce } from './copy-url.ts';
import { openUrlReader } from './open-url.ts';

/** A line of a list of URLs. */
export interface ListedUrl {
  readonly url: string;
  /** Path of the file in the destination; `undefined`: the name is taken from the URL. */
  readonly name: string | undefined;
}

const MOST_BYTES = 256 * 1024 ** 2;
const DEFAULT_TRANSFERS = 4;

/**
 * Reads lines `URL` or `URL,NAME` in CSV; NAME may begin with directories. Throws `config` for a line that is no CSV,
 * a name that leads out of the destination, and a name that is there twice.
 */
export function readUrlList(text: string): readonly ListedUrl[] {
  const lines = new Map<string, number>();
  return text.split('\n').flatMap((line, index): ListedUrl[] => {
    const broken = (why: string) =>
      new SyncerError('config', `cannot read line ${index + 1} of the list of URLs: ${why}`);
    if (line.trim() === '') return [];
    let record: string[];
    try {
      record = readCsvRecord(line);
    } catch (thrown) {
      throw broken(toSyncerError(thrown).message);
    }
    const [url = '', path = ''] = record.map((value) => value.trim());
    const name = path
      .split('/')
      .filter((part) => part !== '' && part !== '.')
      .join('/');
    if (name.split('/').includes('..')) throw broken(`"${path}" leads out of the destination`);
    const before = lines.get(name);
    if (before !== undefined) throw broken(`"${name}" is the name of line ${before} too`);
    if (name !== '') lines.set(name, index + 1);
    return [{ url, name: name || undefined }];
  });
}

/** `copyurl --urls`: copies all URLs of a list to a directory, `--transfers` at the same time; tries failed ones again. */
export async function copyUrls(
  invocation: Invocation<typeof COPYURL_FLAGS>,
  list: string,
  to: string,
): Promise<void> {
  const { flags, context } = invocation;
  let waiting = readUrlList(await readList(invocation, list));
  const remote = await openDestination(invocation, to);
  const reader = await openUrlReader(invocation);
  try {
    await runAttempts(invocation, async (attempt) => {
      const failed: ListedUrl[] = [];
      const atOnce = Math.max(1, flags.transfers ?? DEFAULT_TRANSFERS);
      await mapAtOnce(waiting, atOnce, async (listed) => {
        if (context.signal.aborted) return;
        const { url, name } = listed;
        try {
          await storeOnce(invocation, attempt, reader, parseHttpUrl(url), { remote, name });
        } catch (thrown) {
          attempt.fail(thrown, name ?? url);
          failed.push(listed);
        }
      });
      waiting = failed;
    });
  } finally {
    reader.http.close();
  }
}

async function readList({ input, context }: Invocation, list: string): Promise<string> {
  const limits = { mostBytes: MOST_BYTES, signal: context.signal };
  try {
    return userText(list === '-' ? await buffer(input()) : await readWhole(resolve(list), limits));
  } catch (thrown) {
    const why = toSyncerError(thrown).message;
    throw new SyncerError('config', `cannot read the list of URLs ${list}: ${why}`, {
      path: list,
      cause: thrown,
    });
  }
}
