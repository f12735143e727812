import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import {
  connectQueue,
  openQueue,
  type QueueConnection,
  type QueueNetwork,
} from '../../../src/run/queue/connect.ts';
import { queueAddress } from '../../../src/run/queue/queue-address.ts';
import { queueError } from '../../../src/run/queue/queue-error.ts';
import { HAS_REDIS, startRedis, type TestRedis } from '../../support/redis-server.ts';
import { SELF_SIGNED_CERTIFICATE, SELF_SIGNED_KEY } from '../../support/self-signed.ts';

const NETWORK = { connectTimeoutMs: 5_000, insecureTls: false };
const opened: (TestRedis | QueueConnection)[] = [];

afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await ('stop' in one ? one.stop() : one.close());
});

describe.skipIf(!HAS_REDIS)('a connection to the queue', () => {
  test('reads and writes', async () => {
    const redis = await start();
    const queue = await open(redis.url);
    expect(queue.server).toMatchObject({ name: 'Redis', evictionPolicy: 'noeviction' });
    await queue.redis.set('syncer:a', '1');
    expect(await queue.redis.get('syncer:a')).toBe('1');
  });

  test('over TLS with an authority of the user, and not without', async () => {
    const redis = await start({ tls: true });
    await expect(open(redis.url)).rejects.toMatchObject({
      code: 'unreachable',
      exit: 5,
      message: expect.stringContaining('add its authority with --ca-cert'),
    });
    const caCertificates = SELF_SIGNED_CERTIFICATE;
    const queue = await open(redis.url, {}, { caCertificates });
    expect(await queue.redis.ping()).toBe('PONG');
    expect(await queue.patient().ping()).toBe('PONG');
    const clear = open(redis.url.replace('rediss', 'redis'));
    await expect(clear).rejects.toMatchObject({ code: 'unreachable' });
  });

  test('a client certificate, where the server requires one', async () => {
    const redis = await start({ tls: true, words: ['--tls-auth-clients', 'yes'] });
    const caCertificates = SELF_SIGNED_CERTIFICATE;
    await expect(open(redis.url, {}, { caCertificates })).rejects.toMatchObject({
      exit: 5,
      message: expect.stringContaining('pass it with --client-cert and --client-key'),
    });
    const clientCertificate = { cert: SELF_SIGNED_CERTIFICATE, key: SELF_SIGNED_KEY };
    const queue = await open(redis.url, {}, { caCertificates, clientCertificate });
    expect(await queue.redis.ping()).toBe('PONG');
    expect(await queue.patient().ping()).toBe('PONG');
  });

  test('TLS to a server without it is refused', async () => {
    const redis = await start({ tcp: true });
    const url = redis.tcpUrl?.replace('redis:', 'rediss:') ?? '';
    await expect(open(url)).rejects.toThrow('if it has no TLS, write redis://');
  });

  test('a user of an ACL; a wrong password and a missing permission have their own words', async () => {
    const acl = [
      'user default off',
      'user syncer on >right-secret ~syncer:* &* +@all -@admin -@dangerous +info',
    ];
    const redis = await start({ acl, tcp: true });
    const url = (redis.tcpUrl ?? '').replace('//', '//syncer@');
    const queue = await open(url, { SYNCER_QUEUE_PASSWORD: 'right-secret' });
    await queue.redis.set('syncer:a', '1');
    const thrown = await queue.redis.set('other', '1').catch((error: unknown) => error);
    expect(queueError(thrown, queue.address)).toMatchObject({
      code: 'access-denied',
      message: expect.stringContaining('does not permit a command'),
    });
    await expect(open(url, { SYNCER_QUEUE_PASSWORD: 'wrong-secret' })).rejects.toSatisfy(
      (error: Error) =>
        /refuses the login/.test(error.message) && !JSON.stringify(error).includes('wrong-secret'),
    );
    await expect(open(redis.tcpUrl ?? '')).rejects.toThrow('requires a login');
  });

  test('a server that evicts keys, and one that is not there, are refused', async () => {
    const redis = await start({ words: ['--maxmemory-policy', 'allkeys-lru'] });
    await expect(open(redis.url)).rejects.toThrow('config set maxmemory-policy noeviction');
    const any = await connectQueue(queueAddress(redis.url, {}), NETWORK, signal());
    opened.push(any);
    expect(any.server.evictionPolicy).toBe('allkeys-lru');
    const gone = open(`unix:${redis.folder}/none`);
    await expect(gone).rejects.toMatchObject({ exit: 5, message: /no such socket/ });
    await expect(open('redis://127.0.0.1:1')).rejects.toMatchObject({ exit: 5 });
  });

  test('a full memory and a missing right have their own words, also in a transaction', async () => {
    const redis = await start();
    const queue = await open(redis.url);
    const read = () => queue.redis.multi().hget('syncer:a', 'b').hgetall('syncer:c').exec();
    const failure = async () => queueError(await read().catch((error) => error), queue.address);
    await redis.cli('config', 'set', 'maxmemory', '1');
    expect(await failure()).toMatchObject({ code: 'no-space', message: /memory is full/ });
    await redis.cli('config', 'set', 'maxmemory', '0');
    await redis.cli('acl', 'setuser', 'default', '-hgetall');
    expect(await failure()).toMatchObject({ code: 'access-denied', message: /'hgetall'/ });
  });

  test('a database that the server does not have, and another server, have their own words', async () => {
    const redis = await start({ tcp: true });
    const none = open(`${redis.tcpUrl}/99`);
    await expect(none).rejects.toMatchObject({ exit: 1, message: /has no database 99/ });
    expect((await open(`${redis.tcpUrl}/15`)).server.name).toBe('Redis');
    const web = createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1');
    await once(web, 'listening');
    const { port } = web.address() as AddressInfo;
    const other = open(`redis://127.0.0.1:${port}`);
    await expect(other).rejects.toMatchObject({ exit: 1, message: /no Redis or Valkey server/ });
    web.close();
  });

  test('a database that is refused after a reconnect is never replaced by database 0', async () => {
    const redis = await start({ tcp: true });
    const queue = await open(`${redis.tcpUrl}/3`);
    await queue.redis.set('syncer:kept', 'in 3');
    await redis.cli('acl', 'setuser', 'default', '-select');
    await redis.cli('client', 'kill', 'type', 'normal', 'skipme', 'yes');
    for (let tries = 0; tries < 4; tries++) {
      const set = queue.redis.set('syncer:other', 'in 0').catch((error: Error) => error);
      expect(await set).toBeInstanceOf(Error);
      await sleep(20);
    }
    expect(await redis.cli('dbsize')).toBe('0');
    await redis.cli('acl', 'setuser', 'default', '+select');
    await expect.poll(() => queue.redis.get('syncer:kept').catch(() => '')).toBe('in 3');
  });

  test('what was on the wire when the server died is not sent again; later commands work', async () => {
    const redis = await start({ appendOnly: true });
    const queue = await open(redis.url);
    const waiting = queue.redis.blpop('syncer:none', 0).catch((error: unknown) => error);
    await redis.kill();
    expect(queueError(await waiting, queue.address)).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('the connection was lost'),
    });
    await redis.restart();
    await expect.poll(() => queue.redis.ping().catch(() => '')).toBe('PONG');
    await queue.redis.rpush('syncer:none', 'kept');
    expect(await queue.redis.llen('syncer:none')).toBe(1);
  });

  test('a server without a response is an error after a time', async () => {
    const redis = await start();
    const queue = await open(redis.url);
    redis.pause();
    const thrown = await queue.redis.ping().catch((error: unknown) => error);
    redis.resume();
    expect(queueError(thrown, queue.address).message).toContain('no response in time');
  });

  test('an aborted one ends with the reason', async () => {
    const redis = await start();
    redis.pause();
    const abort = new AbortController();
    const address = queueAddress(redis.url, {});
    const opening = openQueue(address, NETWORK, abort.signal);
    setTimeout(() => abort.abort(new Error('ended by the user')), 50);
    await expect(opening).rejects.toThrow('ended by the user');
  });
});

test.each([
  ['CERT_HAS_EXPIRED', 'its certificate has expired; renew it on the server'],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'for another host; write the host name that the certificate has',
  ],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'unknown authority; add its authority with --ca-cert'],
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'it refuses the client certificate; check'],
  ['ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_EXPIRED', 'it refuses the client certificate; check'],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'pass it with --client-cert and --client-key'],
  ['ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE', 'pass it with --client-cert and --client-key'],
  [
    'ECONNRESET',
    'if the server requires a client certificate, pass it with --client-cert and --client-key',
  ],
])('the certificate fault %s has its own advice', (code, text) => {
  const error = Object.assign(new Error('x'), { code });
  const { message } = queueError(error, { shown: 'rediss://queue.example:6380' });
  expect(message.endsWith(text) || message.includes(`${text} `)).toBe(true);
});

test.each([
  "NOPERM this user has no permissions to run the 'info' command",
  "ERR The user executing the script can't run this command or subcommand script: 5ab, on @user_script:582.",
  "NOPERM ACL failure in script: User syncer has no permissions to run the 'xadd' command script: 5ab",
])('"%s" is a missing right, and is not waited for', (text) => {
  const error = queueError(new Error(text), { shown: 'redis://queue.example:6379' });
  const advice = 'run: syncer doctor --queue redis://queue.example:6379';
  expect(error).toMatchObject({ code: 'access-denied', advice });
});

const signal = () => new AbortController().signal;

async function start(options: Parameters<typeof startRedis>[0] = {}): Promise<TestRedis> {
  const redis = await startRedis(options);
  opened.push(redis);
  return redis;
}

async function open(
  url: string,
  env: NodeJS.ProcessEnv = {},
  more: Partial<QueueNetwork> = {},
): Promise<QueueConnection> {
  const queue = await openQueue(queueAddress(url, env), { ...NETWORK, ...more }, signal());
  opened.push(queue);
  return queue;
}
