import { request as httpRequest } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { GraphClient } from './graph-client.ts';
import { failFirstGraph, type GraphFault } from './graph-fault.ts';
import { startTestGraph, type TestGraph } from './start-graph.ts';
import { Throttle } from './throttle.ts';

let graph: TestGraph;
let client: GraphClient;
beforeEach(async () => {
  graph = await startTestGraph();
  client = new GraphClient(graph);
  graph.drive.put('file', '0123456789');
});
afterEach(() => graph.stop());

const get = () => client.send('GET', '/me/drive/root:/file');

/** One request on a connection of its own; rejects where the answer does not come whole. */
function ask(method: string, url: string, body?: Buffer, timeoutMs = 60_000): Promise<string> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const headers = body && {
      'content-length': body.length,
      'content-range': `bytes 0-${body.length - 1}/${body.length}`,
    };
    let received = '';
    const fail = (error: Error) => reject(Object.assign(error, { received }));
    const request = httpRequest(url, { method, agent: false, signal, headers }, (answer) => {
      answer.on('data', (piece: Buffer) => {
        received += piece.toString();
      });
      answer.on('error', fail);
      answer.on('end', () => resolve(`${answer.statusCode} ${received}`));
    });
    request.on('error', fail);
    request.end(body);
  });
}

async function downloadUrl(): Promise<string> {
  const url = `${(await get()).json['@microsoft.graph.downloadUrl']}`;
  graph.log.clear();
  return url;
}

describe('errors instead of answers', () => {
  test('of the first requests of a kind, with Retry-After as seconds or as a date', async () => {
    graph.setFaults(failFirstGraph('getItem', 2, { status: 429, retryAfter: 7 }));
    const first = await get();
    expect(first).toMatchObject({ status: 429, code: 'activityLimitReached' });
    expect(first.headers.get('retry-after')).toBe('7');
    expect((await client.send('GET', '/me')).status).toBe(200);
    expect((await get()).status).toBe(429);
    expect((await get()).status).toBe(200);
    const date = new Date(Date.now() + 5000).toUTCString();
    graph.setFaults(() => ({ status: 503, retryAfter: date }));
    const dated = await get();
    expect(dated).toMatchObject({ status: 503, code: 'serviceNotAvailable' });
    expect(dated.headers.get('retry-after')).toBe(date);
  });

  test('without JSON, with a code of their own, as if the token were too old', async () => {
    graph.setFaults(() => ({ status: 502, html: true }));
    expect((await get()).text).toContain('<html>');
    graph.setFaults(() => ({ status: 403, code: 'malwareDetected' }));
    expect(await get()).toMatchObject({ status: 403, code: 'malwareDetected' });
    graph.setFaults(() => ({ unauthenticated: true }));
    expect(await get()).toMatchObject({ status: 401, code: 'InvalidAuthenticationToken' });
  });

  test('a rule can change the server: tokens that end in mid-listing', async () => {
    graph.settings.maxPageSize = 1;
    graph.drive.put('second', 'x');
    graph.setFaults(({ operation }, n) => {
      if (operation === 'listChildren' && n === 1) graph.expireAccessTokens();
      return undefined;
    });
    await expect(client.pages('/me/drive/root/children')).rejects.toThrow('401');
    expect(graph.log.count('listChildren')).toBe(2);
  });
});

describe('broken connections', () => {
  test('before the service saw anything, and after it did its work', async () => {
    const put = (path: string) =>
      client.send('PUT', `/me/drive/root:/${path}:/content`, { body: path });
    graph.setFaults(() => ({ reset: 'before' }));
    await expect(put('before')).rejects.toThrow();
    graph.setFaults(() => ({ reset: 'after' }));
    await expect(put('after')).rejects.toThrow();
    expect(graph.drive.files()).toEqual(['after', 'file']);
  });

  test('in the middle of a fragment, of which nothing is taken', async () => {
    const url = await client.session('big');
    const body = Buffer.alloc(2_000_000);
    graph.setFaults(failFirstGraph('putFragment', 1, { reset: 'in-upload' }));
    await expect(ask('PUT', url, body)).rejects.toMatchObject({
      code: expect.stringMatching(/^(ECONNRESET|EPIPE)$/),
    });
    expect((await client.send('GET', url)).json['nextExpectedRanges']).toEqual(['0-']);
    expect(await ask('PUT', url, body)).toMatch(/^201 /);
    expect(graph.log.of('putFragment').map(({ status }) => status)).toEqual([undefined, 201]);
  });

  test('in the middle of an answer: a reset', async () => {
    const url = await downloadUrl();
    graph.setFaults(failFirstGraph('download', 1, { reset: 'in-body', afterBytes: 4 }));
    await expect(ask('GET', url)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(await ask('GET', url)).toBe('200 0123456789');
  });

  test.each<[string, GraphFault]>([
    ['an early end', { truncate: true, afterBytes: 4 }],
    ['silence', { hang: 'in-body', afterBytes: 4 }],
  ])('in the middle of an answer: %s', async (_, fault) => {
    const url = await downloadUrl();
    graph.setFaults(failFirstGraph('download', 1, fault));
    await expect(ask('GET', url, undefined, 500)).rejects.toMatchObject({ received: '0123' });
    expect(await ask('GET', url)).toBe('200 0123456789');
  });

  test('silence from the start', async () => {
    const url = await downloadUrl();
    graph.setFaults(failFirstGraph('download', 1, { hang: 'before' }));
    await expect(ask('GET', url, undefined, 200)).rejects.toThrow();
    expect(graph.log.count('download')).toBe(1);
  });
});

test('damaged bytes, there and back', async () => {
  const url = await downloadUrl();
  graph.setFaults(failFirstGraph('download', 1, { corrupt: true, at: 3 }));
  expect(await ask('GET', url)).toBe('200 0122456789');
  graph.setFaults(() => ({ corruptUpload: true }));
  await client.send('PUT', '/me/drive/root:/file:/content', { body: '0123' });
  expect(graph.drive.read('file')?.toString()).toBe('1123');
});

test('the log counts, and holds no token and no secret', async () => {
  await client.send('GET', await downloadUrl(), { headers: { range: 'bytes=1-2' } });
  await get();
  const form = new URLSearchParams({
    grant_type: 'refresh_token',
    client_id: graph.clientId,
    refresh_token: graph.newToken().refresh_token ?? '',
  });
  await client.send('POST', graph.tokenUrl, { body: form, anonymous: true });
  expect(graph.log.counts()).toEqual({ download: 1, getItem: 1, token: 1 });
  expect(graph.log.requests).toMatchObject([
    { operation: 'download', range: 'bytes=1-2', status: 206, authorized: true },
    { operation: 'getItem', status: 200, authorized: true },
    { operation: 'token', grantType: 'refresh_token', authorized: false },
  ]);
  expect(graph.log.countStatus(200)).toBe(2);
  const shown = JSON.stringify(graph.log.requests);
  expect(shown).not.toMatch(/access-|refresh-|Bearer|tempauth/);
});

test('a throttle closes for everything, opens again, and knows who came too early', async () => {
  let now = Date.now();
  const throttle = new Throttle({ closesAt: [1], seconds: 10 }, () => now);
  graph.setFaults(throttle.rule);
  expect((await get()).status).toBe(200);
  expect((await get()).headers.get('retry-after')).toBe('10');
  now += 4000;
  const early = await client.send('GET', '/me');
  expect(early.headers.get('retry-after')).toBe('6');
  now += 6000;
  expect((await get()).status).toBe(200);
  expect(throttle.closings).toBe(1);
  expect(throttle.tooEarly.map(({ operation }) => operation)).toEqual(['me']);
  const options = {
    closesAt: [0],
    seconds: 10,
    status: 503,
    asDate: true,
    prolongs: true,
  } as const;
  graph.setFaults(new Throttle(options, () => now).rule);
  expect(Date.parse((await get()).headers.get('retry-after') ?? '')).toBeGreaterThan(now + 9000);
  now += 9000;
  expect((await get()).status).toBe(503);
  now += 9000;
  expect((await get()).status).toBe(503);
  now += 10_000;
  expect((await get()).status).toBe(200);
});
