import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { browserLogin } from '../../../../src/backends/auth/browser-login.ts';
import { deviceLogin } from '../../../../src/backends/auth/device-login.ts';
import { refreshToken } from '../../../../src/backends/auth/oauth-token.ts';
import type { LoginTarget } from '../../../../src/backends/auth/post-form.ts';
import { HttpClient } from '../../../../src/backends/http/http-client.ts';
import { systemClock } from '../../../../src/core/context.ts';
import { SyncerError } from '../../../../src/core/errors.ts';
import type { LogEvent } from '../../../../src/core/events.ts';
import { messageOf } from '../../../../src/shell/log/words.ts';
import { expectError } from '../../../contract/contract-world.ts';
import { failFirstGraph } from '../../../servers/graph/graph-fault.ts';
import { startTestGraph, type TestGraph } from '../../../servers/graph/start-graph.ts';

const { signal } = new AbortController();
const SCOPES = ['Files.Read', 'offline_access', 'User.Read'];

let graph: TestGraph;
let http: HttpClient;
let target: LoginTarget;
let told: string[];
let port: number;

beforeEach(async () => {
  graph = await startTestGraph();
  const network = { connectTimeoutMs: 5000, timeoutMs: 5000, insecureTls: false, env: {} };
  http = new HttpClient(network, systemClock);
  const { clientId, tokenUrl, authUrl } = graph;
  target = {
    ...{ clientId, clientSecret: '', scopes: SCOPES },
    tokenUrl: new URL(tokenUrl),
    authUrl: new URL(authUrl),
  };
  told = [];
  port = await freePort();
});
afterEach(async () => {
  http.close();
  await graph.stop();
});

const server = () => ({ http, userAgent: 'syncer-test', now: Date.now });

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port: free } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return free;
}

const emit = (event: LogEvent) => told.push(messageOf(event));

/** A login whose browser follows redirections and does nothing else; what it gets to see at the end. */
function login(page: { text?: string; asked?: URL } = {}) {
  const openBrowser = async (link: string) => {
    const first = await fetch(link, { redirect: 'manual' });
    page.asked = new URL(first.headers.get('location') ?? '');
    page.text = await (await fetch(page.asked)).text();
  };
  return browserLogin(server(), target, { byDevice: false, port, openBrowser, emit }, signal);
}

describe('a login by browser', () => {
  it('asks for exactly the permissions it was told, with PKCE and a state', async () => {
    const page: { text?: string; asked?: URL } = {};
    const token = await login(page);
    expect(token.refreshToken).toMatch(/^refresh-/);
    expect((token.expiresMs ?? 0) > Date.now()).toBe(true);
    const query = page.asked?.searchParams;
    expect(query?.get('scope')).toBe(SCOPES.join(' '));
    expect(query?.get('code_challenge_method')).toBe('S256');
    expect(query?.get('redirect_uri')).toBe(`http://localhost:${port}/`);
    expect(query?.get('state')).toMatch(/.{20}/);
    expect(page.text).toContain('Success!');
    expect(told[0]).toContain(`http://127.0.0.1:${port}/auth?state=`);
    expect(told.join()).not.toContain(token.accessToken);
  });

  it.each([
    ['was declined', { consent: 'denied' as const }, 'the permissions were declined'],
    ['needs an administrator', { consent: 'needs-admin' as const }, 'an administrator'],
  ])('tells that it %s', async (_name, settings, text) => {
    Object.assign(graph.settings, settings);
    const page: { text?: string } = {};
    const error = await expectError(login(page), 'sign-in');
    expect(error.message).toContain(text);
    await expect.poll(() => page.text).toContain(text);
  });

  it('goes on waiting after answers without its state, which change nothing', async () => {
    const texts: string[] = [];
    const openBrowser = async (link: string) => {
      const own = `http://127.0.0.1:${port}/`;
      const bad = encodeURIComponent('<script>alert(1)</script>');
      for (const query of [
        '?error=access_denied',
        '?code=planted',
        `?code=planted&state=${bad}`,
        `?error=${bad}&error_description=${bad}&state=other`,
      ]) {
        const answer = await fetch(`${own}${query}`);
        expect(answer.status).toBe(400);
        texts.push(await answer.text());
      }
      await (await fetch(link)).text();
    };
    const choices = { byDevice: false, port, openBrowser, emit };
    const token = await browserLogin(server(), target, choices, signal);
    expect(token.accessToken).toMatch(/^access-/);
    expect(texts).toHaveLength(4);
    for (const text of texts) {
      expect(text).toContain('belongs to another login (wrong state)');
      expect(text).not.toMatch(/script|planted|access_denied/);
    }
  });

  it('that came back with a wrong state can still be ended', async () => {
    graph.settings.spoilsState = true;
    const stop = new AbortController();
    const openBrowser = async (link: string) => {
      expect(await (await fetch(link)).text()).toContain('wrong state');
      stop.abort(new SyncerError('interrupted', 'interrupted'));
    };
    const choices = { byDevice: false, port, openBrowser, emit: () => {} };
    await expectError(browserLogin(server(), target, choices, stop.signal), 'interrupted');
  });

  it('tells that the secret is wrong, and not what it is', async () => {
    graph.settings.clientSecrets = { [graph.clientId]: 'right' };
    target = { ...target, clientSecret: 'wrong-secret' };
    const error = await expectError(login(), 'sign-in');
    expect(error.message).toContain('client_secret is wrong');
    expect(error.message).not.toContain('wrong-secret');
    target = { ...target, clientSecret: 'right' };
    expect((await login()).accessToken).toMatch(/^access-/);
  });

  it('tells that the port is in use', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
    const error = await expectError(login(), 'config');
    expect(error.message).toContain(`port ${port}`);
    expect(error.message).toContain('--auth-port');
    await new Promise((resolve) => other.close(resolve));
  });
});

describe('a login on another device', () => {
  const waits: number[] = [];
  const clock = {
    ...systemClock,
    sleep: async (ms: number) => {
      waits.push(ms);
    },
  };
  const byDevice = () => deviceLogin(server(), target, { emit }, clock, signal);

  beforeEach(() => {
    waits.length = 0;
  });

  it('shows link, code and a picture of the link, and waits as long as it is asked to', async () => {
    graph.settings.devicePolls = ['authorization_pending', 'slow_down', 'authorization_pending'];
    const token = await byDevice();
    expect(token.accessToken).toMatch(/^access-/);
    expect(waits).toEqual([5000, 5000, 10_000, 10_000]);
    expect(told[0]).toContain('https://microsoft.com/devicelogin');
    expect(told[0]).toContain('ABCD2345E');
    expect(told[0]).toMatch(/█/);
  });

  it('goes on where the login server has a fault', async () => {
    graph.setFaults(failFirstGraph('token', 2, { status: 503 }));
    expect((await byDevice()).accessToken).toMatch(/^access-/);
  });

  it.each([
    ['authorization_declined', 'the login was declined'],
    ['expired_token', 'the code expired'],
    ['bad_verification_code', 'the login server refused'],
  ])('ends with %s', async (answer, text) => {
    graph.settings.devicePolls = [answer];
    const error = await expectError(byDevice(), 'sign-in');
    expect(error.message).toContain(text);
  });
});

describe('a renewal', () => {
  const renew = (refresh: string) => refreshToken(server(), target, refresh, signal);

  it('gets a new access token, and the new refresh token where there is one', async () => {
    const { refresh_token: first = '' } = graph.newToken();
    const token = await renew(first);
    expect(token.refreshToken).not.toBe(first);
    graph.settings.rotatesRefreshTokens = false;
    expect((await renew(token.refreshToken ?? '')).refreshToken).toBe(token.refreshToken);
  });

  it('tells that you must log in again', async () => {
    const { refresh_token: first = '' } = graph.newToken();
    graph.revokeRefreshTokens();
    const error = await expectError(renew(first), 'sign-in-needed');
    expect(error.message).not.toContain(first);
  });

  it.each([
    [429, 'throttled'],
    [503, 'server'],
  ] as const)('may be tried again after %i', async (status, code) => {
    graph.setFaults(failFirstGraph('token', 1, { status, retryAfter: 7 }));
    const error = await expectError(renew('x'), code);
    expect(error.retry).toBe(true);
    expect(error.retryAfterMs).toBe(7000);
  });
});
