import { createHmac } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { someOf } from '../../support/in-part.ts';
import { SELF_SIGNED_CERTIFICATE, SELF_SIGNED_KEY } from '../../support/self-signed.ts';
import { waitFor } from '../../support/wait-for.ts';
import { startWebhook, type WebhookServer } from '../../support/webhook-beside.ts';

let cwd: string;
let server: WebhookServer | undefined;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'webhook-serving-'));
});
afterEach(async () => {
  server?.kill('SIGTERM');
  await server?.ended;
  server = undefined;
  await rm(cwd, { recursive: true, force: true, maxRetries: 5 });
});

const hook = (id: string, more: object = {}) => ({
  id,
  'execute-command': 'true',
  'response-message': id,
  ...more,
});
const write = (name: string, hooks: unknown) =>
  writeFile(join(cwd, name), typeof hooks === 'string' ? hooks : JSON.stringify(hooks));
const start = async (...args: string[]) => {
  server = await startWebhook('ours', { cwd, args: ['-verbose', ...args] });
  return server;
};
const get = (path: string, headers = '', body = '') =>
  `POST /hooks/${path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;
const bodyOf = async (running: WebhookServer, path: string, headers?: string, body?: string) =>
  (await running.exchange(get(path, headers, body))).split('\r\n\r\n').slice(1).join('');
const logged = (running: WebhookServer, text: string) =>
  waitFor(() => running.seen.stderr.includes(text), running.ended);

describe('reload', () => {
  test.each(someOf(['SIGHUP', 'SIGUSR1'] as const, 1))(
    '%s reads all files again',
    async (signal) => {
      await write('hooks.json', [hook('a')]);
      const running = await start();
      await write('hooks.json', [hook('b')]);
      running.kill(signal);
      await logged(running, 'loaded: b');
      await waitFor(() => running.seen.stderr.includes('loaded: b'));
      expect(await bodyOf(running, 'b')).toBe('b');
      expect(await bodyOf(running, 'a')).toBe('Hook not found.');
      expect(running.seen.stderr).toContain(`caught ${signal.slice(3)} signal`);
    },
  );

  test('a broken file keeps the hooks, and a good one later replaces them', async () => {
    await write('hooks.json', [hook('a')]);
    const running = await start();
    await write('hooks.json', '[{"id":');
    running.kill('SIGHUP');
    await logged(running, 'stay in use');
    expect(await bodyOf(running, 'a')).toBe('a');
    await write('hooks.json', [hook('b')]);
    running.kill('SIGHUP');
    await logged(running, 'loaded: b');
    expect(await bodyOf(running, 'b')).toBe('b');
  });

  test('a file that was broken at the start is read again', async () => {
    await write('one', [hook('a')]);
    await write('two', '[');
    const running = await start('-hooks', 'one', '-hooks', 'two');
    await write('two', [hook('b')]);
    running.kill('SIGHUP');
    await logged(running, 'loaded: b');
    expect(await bodyOf(running, 'b')).toBe('b');
  });

  test('an id may move to another file in one reload; one that two files hold is refused', async () => {
    await write('one', [hook('a')]);
    await write('two', [hook('b')]);
    const running = await start('-hooks', 'one', '-hooks', 'two');
    await Promise.all([write('one', [hook('a'), hook('b')]), write('two', [hook('c')])]);
    running.kill('SIGHUP');
    await logged(running, 'loaded: c');
    expect(await Promise.all(['a', 'b', 'c'].map((id) => bodyOf(running, id)))).toEqual([
      'a',
      'b',
      'c',
    ]);
    await write('two', [hook('d'), hook('a')]);
    running.kill('SIGHUP');
    await logged(running, 'reverting hooks back to the previous configuration');
    expect(await Promise.all(['a', 'c', 'd'].map((id) => bodyOf(running, id)))).toEqual([
      'a',
      'c',
      'Hook not found.',
    ]);
  });

  const changes: readonly (readonly [how: string, change: (name: string) => Promise<unknown>])[] = [
    ['written in place', (name) => write(name, [hook('b')])],
    [
      'replaced by a rename',
      async (name) => {
        await write('new', [hook('b')]);
        await rename(join(cwd, 'new'), join(cwd, name));
      },
    ],
    [
      'removed and made again',
      async (name) => {
        await rm(join(cwd, name));
        await write(name, [hook('b')]);
      },
    ],
  ];
  test.each(someOf(changes, 1))('-hotreload sees a file that is %s, twice', async (_, change) => {
    await write('hooks.json', [hook('a')]);
    const running = await start('-hotreload');
    await change('hooks.json');
    await logged(running, 'loaded: b');
    expect(await bodyOf(running, 'b')).toBe('b');
    await write('new', [hook('c')]);
    await rename(join(cwd, 'new'), join(cwd, 'hooks.json'));
    await logged(running, 'loaded: c');
    expect(await bodyOf(running, 'c')).toBe('c');
  });

  test('-hotreload follows links that are switched over', async () => {
    await write('v1', [hook('a')]);
    await write('v2', [hook('b')]);
    await symlink('v1', join(cwd, 'hooks.json'));
    const running = await start('-hotreload');
    await symlink('v2', join(cwd, 'next'));
    await rename(join(cwd, 'next'), join(cwd, 'hooks.json'));
    await logged(running, 'loaded: b');
    expect(await bodyOf(running, 'b')).toBe('b');
  });

  test('-hotreload keeps the hooks of a file that is gone', async () => {
    await write('hooks.json', [hook('a')]);
    const running = await start('-hotreload');
    await rm(join(cwd, 'hooks.json'));
    await logged(running, 'hooks file hooks.json removed');
    expect(await bodyOf(running, 'a')).toBe('a');
  });
});

describe('differences from 2.8.0', () => {
  const signed = (secret: string, more: object = {}) =>
    hook('s', {
      'trigger-rule': {
        match: {
          type: 'payload-hmac-sha256',
          secret,
          parameter: { source: 'header', name: 'X-Sig' },
        },
      },
      ...more,
    });

  test('a wrong signature gets the code for mismatches where one is set', async () => {
    await write('hooks.json', [signed('k', { 'trigger-rule-mismatch-http-response-code': 401 })]);
    const answer = await (await start()).exchange(get('s', 'X-Sig: 00\r\n'));
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer).toContain('Hook rules were not satisfied.');
  });

  test('the signature of a multipart body is that of the body', async () => {
    await write('hooks.json', [signed('k')]);
    const body = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n';
    const type = 'Content-Type: multipart/form-data; boundary=b\r\n';
    const sig = (text: string) =>
      `X-Sig: ${createHmac('sha256', 'k').update(text).digest('hex')}\r\n`;
    const running = await start();
    expect(await bodyOf(running, 's', type + sig(body), body)).toBe('s');
    expect(await bodyOf(running, 's', type + sig(''), body)).toMatch(/^Error occurred/);
  });

  test('not of a missing parameter is no', async () => {
    const rule = {
      not: { match: { type: 'value', value: 'x', parameter: { source: 'url', name: 'q' } } },
    };
    await write('hooks.json', [hook('n', { 'trigger-rule': rule })]);
    const running = await start();
    expect(await bodyOf(running, 'n')).toBe('Hook rules were not satisfied.');
    expect(await bodyOf(running, 'n?q=y')).toBe('n');
  });

  test('text before child elements of XML keeps them', async () => {
    const shown = {
      'execute-command': 'echo',
      'include-command-output-in-response': true,
      'pass-arguments-to-command': [{ source: 'entire-payload' }],
    };
    await write('hooks.json', [hook('x', shown)]);
    const body = await bodyOf(
      await start(),
      'x',
      'Content-Type: text/xml\r\n',
      '<a>pre<b>in</b></a>',
    );
    expect(body).toBe('{"a":{"#text":"pre","b":"in"}}\n');
  });

  test('secrets are in no line of the log', async () => {
    const rule = {
      match: { type: 'value', value: 'sesame-open', parameter: { source: 'url', name: 'word' } },
    };
    const passed = [
      { source: 'url', name: 'word' },
      { source: 'header', name: 'X-Token' },
      { source: 'payload', name: 'password' },
    ];
    await write('hooks.json', [
      hook('t', { 'trigger-rule': rule, 'pass-arguments-to-command': passed }),
    ]);
    const running = await start('-debug');
    const headers =
      'Content-Type: application/json\r\nX-Token: tokentoken\r\nAuthorization: Basic abcdefgh\r\n';
    for (const word of ['sesame-open', 'ses%61me-open', 'wrong-word']) {
      await running.exchange(
        get(`t?word=${word}&api_key=keykeykey`, headers, '{"password":"hunter22"}'),
      );
    }
    await logged(running, 'finished handling t');
    expect(running.seen.stderr).not.toMatch(
      /sesame|ses%61me|wrong-word|tokentoken|abcdefgh|hunter22|keykeykey/,
    );
    expect(running.seen.stderr).toContain('?word=***&api_key=***');
  });

  test('a command is killed with all it started when its time is over', async () => {
    const slow = {
      'execute-command': '/bin/sh',
      'pass-arguments-to-command': [
        { source: 'string', name: '-c' },
        { source: 'string', name: 'sleep 100 & sleep 100' },
      ],
      'include-command-output-in-response': true,
      'command-timeout': '200ms',
    };
    await write('hooks.json', [hook('slow', slow)]);
    const running = await start();
    expect(await bodyOf(running, 'slow')).toMatch(/^Error occurred while executing/);
    expect(running.seen.stderr).toContain('timed out after 0.2s: signal: terminated');
  });

  test('a body that is too long is refused', async () => {
    await write('hooks.json', [hook('a')]);
    const running = await start('-max-body', '10');
    expect(await running.exchange(get('a', '', 'x'.repeat(11)))).toMatch(/^HTTP\/1\.1 413 /);
  });
});

describe('the server', () => {
  test('ends on TERM with 0 and takes its pid file away', async () => {
    await write('hooks.json', [hook('a')]);
    const running = await start('-pidfile', 'run/pid');
    expect(await readFile(join(cwd, 'run/pid'), 'utf8')).toBe(String(running.pid));
    running.kill('SIGTERM');
    expect(await running.ended).toBe(0);
    expect(existsSync(join(cwd, 'run/pid'))).toBe(false);
    expect(running.seen.stderr).toContain('caught terminated signal; exiting');
  });

  test('logs to a file', async () => {
    await write('hooks.json', [hook('a')]);
    const running = await start('-logfile', 'log');
    await running.exchange(get('a'));
    expect(await readFile(join(cwd, 'log'), 'utf8')).toMatch(
      /^\[webhook\] [\d/]{10} [\d:]{8} version 2\.8\.0 starting\n/,
    );
    expect(running.seen.stderr).toBe('');
  });

  test('uses the id of a request where it may', async () => {
    await write('hooks.json', [hook('a')]);
    const running = await start('-x-request-id', '-x-request-id-limit', '4');
    await running.exchange(get('a', 'X-Request-Id: abcdefg\r\n'));
    await logged(running, '[abcd] a got matched');
  });

  test('has another prefix, or none', async () => {
    await write('hooks.json', [hook('a')]);
    const running = await start('-urlprefix', '');
    expect(await running.exchange('GET /a HTTP/1.0\r\n\r\n')).toMatch(/\r\n\r\na$/);
    expect(await running.exchange('GET /nope/x HTTP/1.0\r\n\r\n')).toMatch(/Hook not found\.$/);
  });

  test('answers a client that has closed its side already, and one that sends its head in pieces', async () => {
    await write('hooks.json', [hook('a')]);
    const running = await start();
    const socket = connect({ port: running.port, host: '127.0.0.1', allowHalfOpen: true });
    const answer = text(socket);
    for (const piece of ['GET /hooks/a HT', 'TP/1.1\r', '\nHost: h\r\n\r', '\n']) {
      await new Promise((resolve) => socket.write(piece, resolve));
    }
    socket.end();
    expect(await answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\na$/);
  });

  test('gives up a body whose chunks make no sense', async () => {
    await write('hooks.json', [hook('a')]);
    const running = await start();
    const head = 'POST /hooks/a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n';
    expect(await running.exchange(head)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  });

  test('speaks TLS, and says so to who does not', async () => {
    await Promise.all([
      write('hooks.json', [hook('a')]),
      write('c', SELF_SIGNED_CERTIFICATE),
      write('k', SELF_SIGNED_KEY),
    ]);
    const running = await start('-secure', '-cert', 'c', '-key', 'k', '-tls-min-version', '1.3');
    const body = await new Promise<string>((resolve, reject) => {
      const options = {
        port: running.port,
        path: '/hooks/a',
        ca: SELF_SIGNED_CERTIFICATE,
        host: '127.0.0.1',
        agent: false,
      };
      request(options, (response) => void response.setEncoding('utf8').on('data', resolve))
        .on('error', reject)
        .end();
    });
    expect(body).toBe('a');
    expect(await running.exchange('GET / HTTP/1.1\r\nHost: h\r\n\r\n')).toBe(
      'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n',
    );
  });
});
