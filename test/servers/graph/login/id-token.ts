/** Ids of the one person who signs in, and of their tenant. */
const USER_ID = '00000000-0000-0000-0000-000000000001';
const TENANT_ID = '9188040d-6c67-4c5b-b112-36a304b66dad';

/** An identity token; its signature is none that anybody checks. */
export function idToken(
  origin: string,
  clientId: string,
  nonce: string | undefined,
  now: number,
): string {
  const seconds = Math.floor(now / 1000);
  const claims = {
    ver: '2.0',
    iss: `${origin}/${TENANT_ID}/v2.0`,
    sub: 'subject-of-the-test-user',
    aud: clientId,
    exp: seconds + 3600,
    iat: seconds,
    nbf: seconds,
    name: 'Test User',
    preferred_username: 'test@example.com',
    oid: USER_ID,
    tid: TENANT_ID,
    ...(nonce !== undefined && { nonce }),
  };
  const parts = [{ typ: 'JWT', alg: 'RS256', kid: 'test' }, claims].map(encode);
  return [...parts, Buffer.from('not signed').toString('base64url')].join('.');
}

/** Who the tokens are for, in the form that Microsoft's own libraries ask for. */
export function clientInfo(): string {
  return encode({ uid: USER_ID, utid: TENANT_ID });
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
