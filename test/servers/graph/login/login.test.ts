import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { GraphClient } from '../graph-client.ts';
import { startTestGraph, type TestGraph } from '../start-graph.ts';

const REDIRECT = 'http://localhost:53682/';
const VERIFIER = 'a-verifier-that-is-long-enough-to-be-one-in-earnest';
const SCOPE = 'Files.ReadWrite offline_access';

let graph: TestGraph;
let client: GraphClient;
beforeEach(async () => {
  graph = await startTestGraph({ clientSecrets: { confidential: 'the secret' } });
  client = new GraphClient(graph);
});
afterEach(() => graph.stop());

const token = (form: Record<string, string>, headers = {}) =>
  client.send('POST', graph.tokenUrl, {
    body: new URLSearchParams({ client_id: 'app', ...form }),
    headers,
    anonymous: true,
  });

describe('codes', () => {
  const ask = async (more: Record<string, string> = {}) => {
    const query = new URLSearchParams({
      client_id: 'app',
      response_type: 'code',
      redirect_uri: REDIRECT,
      scope: SCOPE,
      state: 'the state',
      code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
      code_challenge_method: 'S256',
      ...more,
    });
    const answer = await client.send('GET', `${graph.authUrl}?${query}`, { anonymous: true });
    const location = answer.headers.get('location');
    return { ...answer, back: location === null ? undefined : new URL(location) };
  };
  const redeem = (code: string, more: Record<string, string> = {}) =>
    token({
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT,
      code_verifier: VERIFIER,
      ...more,
    });

  test('come with the state, work once, give tokens that are good', async () => {
    const { status, back } = await ask();
    expect(status).toBe(302);
    expect(back?.origin).toBe('http://localhost:53682');
    expect(back?.searchParams.get('state')).toBe('the state');
    const code = back?.searchParams.get('code') ?? '';
    const got = await redeem(code);
    expect(got).toMatchObject({
      status: 200,
      json: { token_type: 'Bearer', expires_in: 3600, scope: SCOPE },
    });
    client.token = `${got.json['access_token']}`;
    expect((await client.send('GET', '/me')).status).toBe(200);
    expect(await redeem(code)).toMatchObject({ status: 400, code: 'invalid_grant' });
  });

  test.each([
    ['another verifier', { code_verifier: 'other' }],
    ['another client', { client_id: 'other' }],
    ['another redirect address', { redirect_uri: 'http://localhost:1/' }],
  ])('are refused with %s', async (_, wrong) => {
    const code = (await ask()).back?.searchParams.get('code') ?? '';
    expect(await redeem(code, wrong)).toMatchObject({ status: 400, code: 'invalid_grant' });
  });

  test('grow old', async () => {
    const code = (await ask()).back?.searchParams.get('code') ?? '';
    graph.advance(601);
    expect((await redeem(code)).json['error_description']).toContain('AADSTS70008');
  });

  test('do not come when the person or the organization does not agree', async () => {
    graph.settings.consent = 'denied';
    const denied = (await ask()).back?.searchParams;
    expect(denied?.get('error')).toBe('access_denied');
    expect(denied?.get('state')).toBe('the state');
    expect(denied?.get('code')).toBeNull();
    graph.settings.consent = 'needs-admin';
    expect((await ask()).back?.searchParams.get('error_description')).toContain('AADSTS90094');
  });

  test('can come with a wrong state, or as a form', async () => {
    graph.settings.spoilsState = true;
    expect((await ask()).back?.searchParams.get('state')).not.toBe('the state');
    const page = await ask({ response_mode: 'form_post' });
    expect(page.status).toBe(200);
    expect(page.text).toContain(`<form method="post" action="${REDIRECT}">`);
    expect(page.text).toMatch(/name="code" value="code-/);
  });
});

describe('refreshing', () => {
  const first = () => graph.newToken().refresh_token ?? '';
  const refresh = (refreshToken: string, more = {}) =>
    token({
      client_id: graph.clientId,
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      ...more,
    });

  test('gives a new refresh token; the old one lives on, or does not', async () => {
    const old = first();
    const { json } = await refresh(old);
    const next = `${json['refresh_token']}`;
    expect(next).not.toBe(old);
    expect((await refresh(old)).status).toBe(200);
    graph.settings.revokesUsedRefreshTokens = true;
    expect((await refresh(next)).status).toBe(200);
    expect(await refresh(next)).toMatchObject({ status: 400, code: 'invalid_grant' });
  });

  test('may give none', async () => {
    graph.settings.rotatesRefreshTokens = false;
    const { status, json } = await refresh(first());
    expect(status).toBe(200);
    expect(json).not.toHaveProperty('refresh_token');
  });

  test('ends when the token is too old, revoked, or of another client', async () => {
    const old = first();
    expect((await refresh(old, { client_id: 'other' })).code).toBe('invalid_grant');
    graph.advance(90 * 86_400 + 1);
    expect((await refresh(old)).code).toBe('invalid_grant');
    const revoked = first();
    graph.revokeRefreshTokens();
    const answer = await refresh(revoked);
    expect(answer).toMatchObject({ status: 400, code: 'invalid_grant' });
    expect(answer.json['error_description']).toMatch(/^AADSTS700082: /);
  });

  test('needs the secret of a client that has one, in the form or in the header', async () => {
    const form = { client_id: 'confidential', grant_type: 'refresh_token', refresh_token: 'x' };
    expect(await token({ ...form, client_secret: 'wrong' })).toMatchObject({
      status: 401,
      code: 'invalid_client',
    });
    const right = await token({ ...form, client_secret: 'the secret' });
    expect(right.code).toBe('invalid_grant');
    const basic = Buffer.from('confidential:the%20secret').toString('base64');
    const { client_id, ...rest } = form;
    const sent = {
      body: new URLSearchParams(rest),
      headers: { authorization: `Basic ${basic}` },
      anonymous: true,
    };
    expect((await client.send('POST', graph.tokenUrl, sent)).code).toBe('invalid_grant');
  });

  test('no other grant', async () => {
    expect((await token({ grant_type: 'password' })).code).toBe('unsupported_grant_type');
  });
});

describe('device codes', () => {
  const start = async () => {
    const form = new URLSearchParams({ client_id: 'app', scope: SCOPE });
    return (await client.send('POST', graph.deviceCodeUrl, { body: form })).json;
  };
  const poll = (deviceCode: unknown) =>
    token({
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: `${deviceCode}`,
    });

  test('pending, slower, done; then used up', async () => {
    graph.settings.devicePolls = ['authorization_pending', 'slow_down'];
    const { device_code: code, ...shown } = await start();
    expect(shown).toMatchObject({ user_code: expect.any(String), interval: 5, expires_in: 900 });
    expect(await poll(code)).toMatchObject({ status: 400, code: 'authorization_pending' });
    expect((await poll(code)).code).toBe('slow_down');
    expect((await poll(code)).json).toHaveProperty('refresh_token');
    expect((await poll(code)).code).toBe('bad_verification_code');
  });

  test('declined, or too late', async () => {
    graph.settings.devicePolls = ['authorization_declined'];
    expect((await poll((await start())['device_code'])).code).toBe('authorization_declined');
    const { device_code: late } = await start();
    graph.advance(901);
    expect((await poll(late)).code).toBe('expired_token');
  });
});

test('without offline_access there is no refresh token', async () => {
  const form = new URLSearchParams({ client_id: 'app', scope: 'Files.Read' });
  const { json } = await client.send('POST', graph.deviceCodeUrl, { body: form });
  const got = await token({
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: `${json['device_code']}`,
  });
  expect(got.json).toHaveProperty('access_token');
  expect(got.json).not.toHaveProperty('refresh_token');
});
