import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { proxyLogin } from '../../../../src/serve/login/auth-proxy.ts';

/** A program that prints what `script` returns for its input. */
const program = (script: string) => [
  process.execPath,
  '-e',
  `const input = JSON.parse(require('fs').readFileSync(0)); ${script}`,
];

const OPENS = 'console.log(JSON.stringify({ type: "local", _root: "/" + input.user }))';

function request(user: string, password: string, remoteAddress = '::ffff:192.0.2.1') {
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  return { headers: { authorization }, socket: { remoteAddress } } as unknown as IncomingMessage;
}

function proxy(words: readonly string[]) {
  const opened: unknown[] = [];
  const refused: string[] = [];
  const clock = { now: 0 };
  const logIn = proxyLogin({
    ...{ words, realm: 'here', signal: new AbortController().signal },
    now: () => clock.now,
    open: async (config) => {
      opened.push(config);
      return config['_root'];
    },
    onRefused: (user, why) => refused.push(`${user}: ${why}`),
  });
  return { logIn, opened, refused, clock };
}

describe('--auth-proxy', () => {
  it('opens the remote that the program prints, once for each answer', async () => {
    const { logIn, opened } = proxy(program(OPENS));
    expect(await logIn(request('a', 'x'))).toEqual({ user: 'a', served: '/a' });
    expect(await logIn(request('a', 'x'))).toEqual({ user: 'a', served: '/a' });
    expect(await logIn(request('a', 'x', '192.0.2.2'))).toEqual({ user: 'a', served: '/a' });
    expect(await logIn(request('b', 'x'))).toEqual({ user: 'b', served: '/b' });
    expect(opened).toEqual([
      { type: 'local', _root: '/a' },
      { type: 'local', _root: '/b' },
    ]);
  });

  it('sends user, password and address', async () => {
    const echo = 'console.log(JSON.stringify({ type: "t", _root: "", ...input }))';
    const { logIn, opened } = proxy(program(echo));
    await logIn(request('me', 'p"w:ö'));
    expect(opened).toEqual([
      { type: 't', _root: '', user: 'me', pass: 'p"w:ö', client_ip: '192.0.2.1' },
    ]);
  });

  it.each([
    ['process.exit(1)', 'exit status 1'],
    ['console.error("no such user"); process.exit(1)', 'no such user'],
    ['console.log("{")', 'its output is not JSON'],
    ['console.log("[]")', 'its output is not an object of strings'],
    ['console.log(JSON.stringify({ type: "local", _root: 1 }))', 'not an object of strings'],
    ['console.log(JSON.stringify({ type: "local" }))', 'its output lacks "_root"'],
  ])('refuses the login if the program does %s', async (script, why) => {
    const { logIn, opened, refused } = proxy(program(script));
    await expect(logIn(request('a', 'secret'))).rejects.toMatchObject({ status: 401 });
    expect(refused).toEqual([expect.stringContaining(why)]);
    expect(refused[0]).not.toContain('secret');
    expect(opened).toEqual([]);
  });

  it('asks for a login first', async () => {
    const { logIn, refused } = proxy(program(OPENS));
    const anonymous = { headers: {}, socket: {} } as unknown as IncomingMessage;
    await expect(logIn(anonymous)).rejects.toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Basic realm="here", charset="UTF-8"' },
    });
    expect(refused).toEqual([]);
  });

  it('asks the program again after a while', async () => {
    const counts =
      'console.log(JSON.stringify({ type: "t", _root: String(process.hrtime.bigint()) }))';
    const { logIn, opened, clock } = proxy(program(counts));
    await logIn(request('a', 'x'));
    clock.now = 299_999;
    await logIn(request('a', 'x'));
    expect(opened).toHaveLength(1);
    clock.now = 300_000;
    await logIn(request('a', 'x'));
    expect(opened).toHaveLength(2);
  });
});
