import { request as httpsRequest } from 'node:https';
import {
  CryptoProvider,
  type INetworkModule,
  type NetworkResponse,
  PublicClientApplication,
} from '@azure/msal-node';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTestGraph, type TestGraph } from '../start-graph.ts';

const REDIRECT = 'http://localhost:53682';
const SCOPES = ['Files.ReadWrite', 'offline_access'];

let graph: TestGraph;
let app: PublicClientApplication;
beforeEach(async () => {
  graph = await startTestGraph();
  const { host } = new URL(graph.secureUrl);
  app = new PublicClientApplication({
    auth: {
      clientId: graph.clientId,
      authority: `${graph.secureUrl}/common`,
      knownAuthorities: [host],
    },
    system: { networkClient: trustingClient() },
  });
});
afterEach(() => graph.stop());

/** Sends requests as the library asks, and trusts the server's certificate. */
function trustingClient(): INetworkModule {
  function send<T>(
    method: string,
    url: string,
    options: { headers?: Record<string, string>; body?: string } = {},
  ): Promise<NetworkResponse<T>> {
    return new Promise((resolve, reject) => {
      const { headers = {}, body } = options;
      const sent = { method, headers, ca: graph.certificate, agent: false as const };
      const request = httpsRequest(url, sent, (answer) => {
        let text = '';
        answer.on('data', (piece: Buffer) => {
          text += piece.toString();
        });
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: Object.fromEntries(
              Object.entries(answer.headers).map(([name, value]) => [name, `${value}`]),
            ),
            body: JSON.parse(text) as T,
          }),
        );
      });
      request.on('error', reject);
      request.end(body);
    });
  }
  return {
    sendGetRequestAsync: (url, options) => send('GET', url, options),
    sendPostRequestAsync: (url, options) => send('POST', url, options),
  };
}

/** What a browser gets for an address of the sign-in. */
function browse(url: string): Promise<{ location: string | undefined; page: string }> {
  return new Promise((resolve, reject) => {
    httpsRequest(url, { ca: graph.certificate, agent: false }, (answer) => {
      let page = '';
      answer.on('data', (piece: Buffer) => {
        page += piece.toString();
      });
      answer.on('end', () => resolve({ location: answer.headers.location, page }));
    })
      .on('error', reject)
      .end();
  });
}

async function whoAmI(accessToken: string): Promise<number> {
  const headers = { authorization: `Bearer ${accessToken}` };
  return (await fetch(`${graph.graphUrl}/me`, { headers })).status;
}

function refreshToken(): string {
  const cache: { RefreshToken: Record<string, { secret: string }> } = JSON.parse(
    app.getTokenCache().serialize(),
  );
  return Object.values(cache.RefreshToken)[0]?.secret ?? '';
}

async function signIn() {
  const pkce = await new CryptoProvider().generatePkceCodes();
  const request = { scopes: SCOPES, redirectUri: REDIRECT };
  const url = await app.getAuthCodeUrl({
    ...request,
    state: 'some state',
    responseMode: 'query',
    codeChallenge: pkce.challenge,
    codeChallengeMethod: 'S256',
  });
  const { location = '' } = await browse(url);
  const { searchParams } = new URL(location);
  expect(searchParams.get('state')).toBe('some state');
  return app.acquireTokenByCode({
    ...request,
    code: searchParams.get('code') ?? '',
    codeVerifier: pkce.verifier,
  });
}

test('a code with PKCE, then refreshing', async () => {
  const result = await signIn();
  expect(result.account?.username).toBe('test@example.com');
  expect(await whoAmI(result.accessToken)).toBe(200);
  const before = refreshToken();
  graph.expireAccessTokens();
  expect(await whoAmI(result.accessToken)).toBe(401);
  const renewed = await app.acquireTokenSilent({
    scopes: SCOPES,
    account: result.account ?? expect.fail(),
    forceRefresh: true,
  });
  expect(await whoAmI(renewed.accessToken)).toBe(200);
  expect(refreshToken()).not.toBe(before);
  expect(graph.log.of('token').map(({ grantType }) => grantType)).toEqual([
    'authorization_code',
    'refresh_token',
  ]);
});

test('a refresh token from elsewhere, until it is revoked', async () => {
  const { refresh_token: token = '' } = graph.newToken();
  const request = { refreshToken: token, scopes: SCOPES };
  const result = await app.acquireTokenByRefreshToken(request);
  expect(await whoAmI(result?.accessToken ?? '')).toBe(200);
  graph.revokeRefreshTokens();
  await expect(app.acquireTokenByRefreshToken(request)).rejects.toMatchObject({
    errorCode: 'invalid_grant',
  });
});

test('a page that posts the code to a server of the library', async () => {
  const result = await app.acquireTokenInteractive({
    scopes: SCOPES,
    openBrowser: async (url) => {
      const { page } = await browse(url);
      const action = /action="([^"]+)"/.exec(page)?.[1] ?? '';
      const fields = [...page.matchAll(/name="([^"]+)" value="([^"]*)"/g)];
      const form = new URLSearchParams();
      for (const [, name = '', value = ''] of fields) form.set(name, value);
      await fetch(action, { method: 'POST', body: form, redirect: 'manual' });
    },
  });
  expect(await whoAmI(result.accessToken)).toBe(200);
});

test('a device code, typed in after a while', async () => {
  graph.settings.deviceInterval = 0;
  graph.settings.devicePolls = ['authorization_pending', 'authorization_pending'];
  const shown: string[] = [];
  const result = await app.acquireTokenByDeviceCode({
    scopes: SCOPES,
    deviceCodeCallback: ({ userCode }) => void shown.push(userCode),
  });
  expect(shown).toHaveLength(1);
  expect(await whoAmI(result?.accessToken ?? '')).toBe(200);
  expect(graph.log.count('token')).toBe(3);
});

test('a device code that is declined', async () => {
  graph.settings.deviceInterval = 0;
  graph.settings.devicePolls = ['authorization_declined'];
  const asked = app.acquireTokenByDeviceCode({ scopes: SCOPES, deviceCodeCallback: () => {} });
  await expect(asked).rejects.toThrow('authorization_declined');
});
