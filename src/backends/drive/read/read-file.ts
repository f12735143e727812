import { Readable } from 'node:stream';
import { SyncerError } from '../../../core/errors.ts';
import type { Body, FileEntry, ReadRange } from '../../../core/remote.ts';
import { sameContent } from '../../../core/same-content.ts';
import { bodyAsStream, cutOut, type HttpAnswer, readWhole } from '../../http/answer.ts';
import { badAnswer, hasStatus } from '../client/graph-request.ts';
import type { Drive } from '../drive-store.ts';
import { getItem } from '../items/get-item.ts';
import { requestPath } from '../items/graph-item.ts';
import { addressOf, tellFile } from '../items/tell-entry.ts';

/**
 * The content of a file or range, by the URL from a listing, or by a new one if that has expired. Rejects with
 * `file-not-found`, and for a range with `source-changed` if it is of another version than what was read before.
 */
export async function readFile(
  drive: Drive,
  file: FileEntry,
  range: ReadRange | undefined,
): Promise<Body> {
  drive.op.signal.throwIfAborted();
  const { offset = 0, length } = range ?? {};
  const isEmpty = length === 0 || (file.size >= 0 && offset >= file.size);
  if (range !== undefined && isEmpty) return Buffer.alloc(0);
  const answered = await openFile(drive, file, range);
  try {
    await checkVersion(drive, file, range, answered.tag);
  } catch (thrown) {
    if (answered.body instanceof Readable) answered.body.destroy();
    throw thrown;
  }
  return answered.body;
}

/** Opens a file by its URL, and by a new one if that has expired: a repair, and no retry of what failed. */
async function openFile(drive: Drive, file: FileEntry, range: ReadRange | undefined) {
  const { id = file.path, path } = file;
  const { overridesScanner: forced } = drive.settings;
  const wanted = { path, size: file.size, range };
  for (let urls = 1; ; urls++) {
    const kept = forced ? undefined : drive.store.downloadUrls.get(id);
    const told = kept ?? (await askForUrl(drive, file, wanted));
    if (typeof told !== 'string') return told;
    drive.store.downloadUrls.keep(id, told);
    try {
      const url = URL.parse(told);
      if (url === null) {
        throw badAnswer({ doing: 'read', about: path }, 'the service returned no location');
      }
      if (forced) url.searchParams.set('AVOverride', '1');
      const { offset, length } = range ?? {};
      const end = offset === undefined || length === undefined ? '' : offset + length - 1;
      const headers = {
        // A compressed body has no length to check.
        'accept-encoding': 'identity',
        ...(forced ? FORCED : {}),
        ...drive.client.transport.downloadHeaders,
        ...(offset === undefined ? {} : { range: `bytes=${offset}-${end}` }),
      };
      // Such a URL needs no login.
      const request = { to: url, isOpen: true, headers, doing: 'read', about: path };
      return await drive.open({ method: 'GET', ...request }, (answer) => takeBody(answer, wanted));
    } catch (thrown) {
      drive.store.downloadUrls.forget(id);
      // The file may end before the range. A response with its beginning shows how long it is.
      if (hasStatus(thrown, 416) && (range?.offset ?? 0) > 0) {
        const { body } = await openFile(drive, file, { offset: 0, length: 1 });
        if (body instanceof Readable) body.destroy();
      }
      // From such a URL these statuses mean that it has expired.
      const isOver = hasStatus(thrown, 401, 403, 404, 410);
      if (!isOver || thrown.codes.includes('malwareDetected') || urls >= 3) throw thrown;
    }
  }
}

/** A new URL; or the content itself, if the service returns it immediately. */
async function askForUrl(drive: Drive, file: FileEntry, wanted: WantedBody) {
  const address = await addressOf(drive, file);
  const { overridesScanner: forced, graphUrl } = drive.settings;
  const ask = (to: string | URL) => {
    const request = {
      method: 'GET',
      to,
      takesRedirect: true,
      headers: forced ? FORCED : {},
      doing: 'read',
      about: file.path,
    } as const;
    return drive.open(request, async (answer) => {
      const { status, headers } = answer;
      if (status < 300) return takeBody(answer, wanted);
      answer.discard();
      const { location } = headers;
      if (location !== undefined) return location;
      throw badAnswer(request, 'the service returned no download URL');
    });
  };
  if (!forced) return ask(requestPath(address, '/content'));
  try {
    return await ask(requestPath(address, '/content?AVOverride=1'));
  } catch (thrown) {
    if (!hasStatus(thrown, 403) || !thrown.codes.includes('malwareDetected')) throw thrown;
    // Only the beta version of the API returns some of these files.
    const beta = graphUrl.href.replace(/\/v1\.0$/, '/beta');
    return ask(new URL(beta + requestPath(address, '/contentStream')));
  }
}

/**
 * Rejects with `source-changed` if a range is of another version than what was read of the file before. Downloads
 * take no condition, and the ETags of their responses need not be those of items: equal ones prove one version, and
 * for others the item is requested.
 *
 * @param tag the ETag of the response
 */
async function checkVersion(
  drive: Drive,
  file: FileEntry,
  range: ReadRange | undefined,
  tag: string | undefined,
): Promise<void> {
  const { id = file.path } = file;
  const known = drive.store.versionsRead.get(id);
  if (known === undefined && range?.continues !== true) {
    drive.store.versionsRead.keep(id, { file, tags: new Set([tag]) });
    return;
  }
  if (range === undefined) return;
  const isKnown = known !== undefined && sameContent(known.file, file);
  if (isKnown && tag !== undefined && known.tags.has(tag)) return;
  const item = await getItem(drive, await addressOf(drive, file), file.path);
  if (!sameContent(file, await tellFile(drive, item, file.path))) {
    const text = `${file.path} was replaced since it was listed`;
    const advice = 'run the command again';
    throw new SyncerError('source-changed', text, { path: file.path, advice });
  }
  if (isKnown) known.tags.add(tag);
  else drive.store.versionsRead.keep(id, { file, tags: new Set([tag]) });
}

/** Contents up to this size are read whole, in bytes: an incomplete body is then requested again here. */
const WHOLE = 256 * 1024;

interface WantedBody {
  /** For messages. */
  readonly path: string;
  /** Of the whole file in bytes; negative if unknown. */
  readonly size: number;
  readonly range: ReadRange | undefined;
}

/** The header for files that the virus scanner of the service has flagged. */
const FORCED = { prefer: 'forceInfectedDownload' };

/** The body of a response, cut to the range if there is more. Rejects with `bad-answer` if its length is wrong. */
async function takeBody(answer: HttpAnswer, { path, size, range }: WantedBody) {
  const { status, headers, announcedLength: length } = answer;
  const tag = headers['etag'];
  const part = range === undefined || status !== 206 ? undefined : partIn(answer);
  const wanted = part === undefined ? size : endOf(range, size) - (range?.offset ?? 0);
  const isOther = length !== undefined && wanted >= 0 && length !== wanted;
  if (isOther || !isExpected(answer, part, range, size)) {
    answer.discard();
    const what = isOther ? `${length} bytes instead of ${wanted}` : 'something else';
    const whole = status === 200 ? length : part?.total;
    const trueSize = size < 0 || whole === size ? undefined : whole;
    // Services list pictures of iPhones and notebooks with the size and hash of other content.
    const how = '; copy it as it is with --ignore-size --ignore-checksum';
    const text = `the service returned ${what}${trueSize === undefined ? '' : how}`;
    throw badAnswer({ doing: 'read', about: path }, text, trueSize);
  }
  const expected = length ?? (wanted < 0 ? undefined : wanted);
  if (range !== undefined && part === undefined) {
    return { body: cutOut(bodyAsStream(answer, expected), range, endOf(range, size)), tag };
  }
  const isSmall = length !== undefined && length <= WHOLE;
  const body = isSmall ? await readWhole(answer, WHOLE, length) : bodyAsStream(answer, expected);
  return { body, tag };
}

function partIn({ headers }: HttpAnswer) {
  const match = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(headers['content-range'] ?? '');
  if (match === null) return undefined;
  const [start = 0, last = 0] = match.slice(1, 3).map(Number);
  return { start, end: last + 1, total: match[3] === '*' ? undefined : Number(match[3]) };
}

function isExpected(
  { status }: HttpAnswer,
  part: ReturnType<typeof partIn>,
  range: ReadRange | undefined,
  size: number,
): boolean {
  if (status !== 200 && status !== 206) return false;
  if (range === undefined || part === undefined) return status === 200;
  const end = endOf(range, size);
  const isRight = part.start === range.offset && (end < 0 || part.end === end);
  return isRight && (size < 0 || part.total === undefined || part.total === size);
}

/** The end of a range; negative if unknown. */
function endOf(range: ReadRange | undefined, size: number): number {
  const { offset = 0, length } = range ?? {};
  if (length === undefined) return size;
  return size < 0 ? -1 : Math.min(size, offset + length);
}
