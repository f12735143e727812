import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

const LATER = 'Wed, 01 Jan 2020 00:00:00 GMT';

type Reply = (to: ServerResponse, request: IncomingMessage, times: number) => void;

const send =
  (headers: Record<string, string>, body: string | Buffer): Reply =>
  (to) => {
    to.writeHead(200, { 'content-length': Buffer.byteLength(body), ...headers });
    to.end(body);
  };

const cut =
  (headers: Record<string, number>): Reply =>
  (to) => {
    to.writeHead(200, headers);
    to.write('only this', () => to.destroy());
  };

const redirect =
  (location: string): Reply =>
  (to) => {
    to.writeHead(302, { location });
    to.end();
  };

const REPLIES: Readonly<Record<string, Reply>> = {
  '/file.txt': send({ 'last-modified': LATER }, 'hello'),
  '/d%20x/n%C3%A4me%20b': send({ 'last-modified': LATER }, 'hello'),
  '/moved': redirect('/file.txt'),
  '/loop': redirect('/loop'),
  '/ftp': redirect('ftp://host/file'),
  '/packed': send({ 'content-encoding': 'gzip', 'last-modified': LATER }, gzipSync('plain')),
  '/cut': cut({ 'content-length': 100 }),
  '/cut-chunks': cut({}),
  '/windows': send({ 'content-disposition': 'attachment; filename="C:\\dir\\na me.txt"' }, 'named'),
  '/extended': send(
    { 'content-disposition': `attachment; filename=old; filename*=UTF-8''na%C3%AFve` },
    'named',
  ),
  '/part': (to) => {
    to.writeHead(206, { 'content-range': 'bytes 0-2/10', 'content-length': 3 });
    to.end('abc');
  },
  '/none': (to) => {
    to.writeHead(204).end();
  },
  '/accepted': (to) => {
    to.writeHead(202).end('come again');
  },
  '/empty': send({ 'last-modified': LATER }, ''),
  '/who': (to, { headers }) => {
    to.end(headers.authorization ?? 'nobody');
  },
  '/chunked': (to) => {
    to.writeHead(200, { 'last-modified': LATER });
    to.write('a'.repeat(150_000));
    setImmediate(() => to.end('b'.repeat(150_000)));
  },
  '/third-time': (to, _, times) => {
    if (times < 3) to.writeHead(503);
    to.end(times < 3 ? 'not yet' : 'now');
  },
};

/** Starts a server of files, good and bad; `asked` counts the requests for each path. */
export async function startUrlServer() {
  const asked = new Map<string, number>();
  const server = createServer((request, to) => {
    const { url: target = '' } = request;
    const times = (asked.get(target) ?? 0) + 1;
    asked.set(target, times);
    const reply = REPLIES[target];
    if (reply === undefined) to.writeHead(404).end('there is nothing');
    else reply(to, request, times);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Command lines that are run in a folder with the file `there`; `URL` is the server. */
export const COPYURL_LINES = [
  'copyurl URL/file.txt out',
  'copyurl URL/file.txt sub/out',
  'copyurl -p URL/file.txt out',
  'copyurl -a -p URL/file.txt sub',
  'copyurl -a -p URL/d%20x/n%C3%A4me%20b .',
  'copyurl --auto-filename --print-filename URL/moved .',
  'copyurl -a --header-filename -p URL/windows .',
  'copyurl -a --header-filename -p URL/extended .',
  'copyurl URL/chunked out',
  'copyurl URL/empty out',
  'copyurl URL/packed out',
  'copyurl URL/third-time out',
  'copyurl --retries 2 URL/third-time out',
  'copyurl URL/missing out',
  'copyurl --retries 1 URL/loop out',
  'copyurl URL/ftp out',
  'copyurl --retries 1 URL/cut out',
  'copyurl -n -p URL/file.txt out',
  'copyurl URL/file.txt -',
  'copyurl --stdout URL/chunked',
  'copyurl URL/file.txt there',
  'copyurl --no-clobber URL/file.txt there',
  'copyurl --no-clobber URL/file.txt out',
  'copyurl URL/file.txt sub/',
  'copyurl -a URL/file.txt there',
  'copyurl URL/file.txt',
  'copyurl nothing out',
  'copyurl --retries 1 http://127.0.0.1:1/file out',
];
