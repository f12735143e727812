import { describe, expect, it } from 'vitest';
import { formatToken, loginLength, parseToken } from '../../../../src/backends/auth/oauth-token.ts';

const RCLONE =
  '{"access_token":"a","token_type":"Bearer","refresh_token":"r","expiry":"2026-11-20T14:57:11.241+01:00"}';

describe('a token as it is stored', () => {
  it('is read as rclone writes it', () => {
    expect(parseToken(RCLONE)).toEqual({
      accessToken: 'a',
      tokenType: 'Bearer',
      refreshToken: 'r',
      expiresMs: Date.UTC(2026, 10, 20, 13, 57, 11, 241),
    });
  });

  it('may have no refresh token and no expiry', () => {
    expect(parseToken('{"access_token":"a"}')).toEqual({
      accessToken: 'a',
      tokenType: 'Bearer',
      refreshToken: undefined,
      expiresMs: undefined,
    });
    expect(parseToken('{"access_token":"a","expiry":"0001-01-01T00:00:00Z"}')?.expiresMs).toBe(
      undefined,
    );
  });

  it.each(['', '{', 'null', '[]', '{}', '"text"', '{"access_token":""}', '{"access_token":7}'])(
    'is not made of %s',
    (text) => expect(parseToken(text)).toBe(undefined),
  );

  it('is written so that it can be read again', () => {
    for (const text of [RCLONE, '{"access_token":"a"}']) {
      const token = parseToken(text);
      if (token === undefined) throw new Error('no token');
      expect(parseToken(formatToken(token))).toEqual(token);
      expect(formatToken(token)).not.toContain('\n');
    }
  });

  it('tells how long it lasts', () => {
    expect(loginLength(parseToken(RCLONE))).toContain('renewed automatically');
    const ends = parseToken('{"access_token":"a","expiry":"2026-11-20T14:00:00Z"}');
    expect(loginLength(ends)).toBe('until 2026-11-20T14:00:00.000Z');
    expect(loginLength(parseToken('{"access_token":"a"}'))).toBe('unknown expiry');
    expect(loginLength(undefined)).toBe('there is none');
  });
});
