import { beforeEach, describe, expect, it } from 'vitest';
import {
  formatToken,
  type OAuthToken,
  parseToken,
  type TokenPlace,
} from '../../../../src/backends/auth/oauth-token.ts';
import { TokenKeeper, type TokenKeeperParts } from '../../../../src/backends/auth/token-keeper.ts';
import { SyncerError } from '../../../../src/core/errors.ts';
import type { SyncerEvent } from '../../../../src/core/events.ts';
import { expectError } from '../../../contract/contract-world.ts';

const NOW = Date.UTC(2026, 0, 1);
const { signal } = new AbortController();

let nowMs: number;
let kept: string;
let renewals: string[];
let events: SyncerEvent[];

beforeEach(() => {
  nowMs = NOW;
  kept = '';
  renewals = [];
  events = [];
});

const tokenOf = (name: string, seconds: number, refreshToken?: string): OAuthToken => ({
  accessToken: name,
  tokenType: 'Bearer',
  refreshToken,
  expiresMs: NOW + seconds * 1000,
});

function placeOf(): TokenPlace {
  let last: Promise<unknown> = Promise.resolve();
  return {
    read: async () => kept,
    write: async (text) => {
      kept = text;
    },
    alone(work) {
      const mine = last.then(work);
      last = mine.catch(() => {});
      return mine;
    },
  };
}

function keeper(token: OAuthToken | undefined, parts: Partial<TokenKeeperParts> = {}): TokenKeeper {
  const text = token === undefined ? '' : formatToken(token);
  kept = text;
  return new TokenKeeper({
    text,
    place: placeOf(),
    renew: async (refreshToken) => {
      renewals.push(refreshToken);
      return {
        ...tokenOf(`access${renewals.length}`, 0, `refresh${renewals.length}`),
        expiresMs: nowMs + 3_600_000,
      };
    },
    remote: 'drive',
    tries: 3,
    context: {
      signal,
      emit: (event) => events.push(event),
      clock: { now: () => nowMs, monotonic: () => nowMs, sleep: async () => {} },
    },
    ...parts,
  });
}

describe('a token keeper', () => {
  it('gives the token while it is good, and renews it ahead of its end', async () => {
    const one = keeper(tokenOf('old', 3600, 'first'));
    expect(await one.get(signal)).toBe('old');
    nowMs += 3_500_000;
    expect(await one.get(signal)).toBe('old');
    nowMs += 50_000;
    expect(await one.get(signal)).toBe('access1');
    expect(renewals).toEqual(['first']);
  });

  it('renews once for all who wait, and keeps the new refresh token', async () => {
    const one = keeper(tokenOf('old', -5, 'first'));
    const all = await Promise.all(Array.from({ length: 20 }, () => one.get(signal)));
    expect(new Set(all)).toEqual(new Set(['access1']));
    expect(renewals).toEqual(['first']);
    expect(parseToken(kept)?.refreshToken).toBe('refresh1');
  });

  it('takes what another process renewed', async () => {
    const one = keeper(tokenOf('old', -5, 'first'));
    kept = formatToken(tokenOf('theirs', 3600, 'second'));
    expect(await one.get(signal)).toBe('theirs');
    expect(renewals).toEqual([]);
  });

  it('uses the refresh token of another process where its access token is over, too', async () => {
    const one = keeper(tokenOf('old', -5, 'first'));
    kept = formatToken(tokenOf('theirs', -1, 'second'));
    expect(await one.get(signal)).toBe('access1');
    expect(renewals).toEqual(['second']);
  });

  it('gets another token once where the service refuses this one', async () => {
    const one = keeper(tokenOf('old', 3600, 'first'));
    const all = await Promise.all([one.replace('old', signal), one.replace('old', signal)]);
    expect(all).toEqual(['access1', 'access1']);
    expect(await one.replace('old', signal)).toBe('access1');
    expect(renewals).toEqual(['first']);
  });

  it('needs no refresh token until the token ends', async () => {
    const one = keeper(tokenOf('old', 60));
    nowMs += 59_999;
    expect(await one.get(signal)).toBe('old');
    nowMs += 1;
    const error = await expectError(one.get(signal), 'sign-in-needed');
    expect(error.message).toBe(
      'drive: the login has expired; run "syncer config reconnect drive:"',
    );
  });

  it('gets tokens without a person where the application logs in, ahead of their end', async () => {
    let minted = 0;
    const mint = async () => ({
      ...tokenOf(`minted${++minted}`, 0),
      expiresMs: nowMs + 3_600_000,
    });
    const one = keeper(undefined, { mint });
    const all = await Promise.all([one.get(signal), one.get(signal)]);
    expect(all).toEqual(['minted1', 'minted1']);
    expect(parseToken(kept)?.accessToken).toBe('minted1');
    nowMs += 3_550_000;
    expect(await one.get(signal)).toBe('minted2');
    expect(await one.replace('minted2', signal)).toBe('minted3');
    const elsewhere = keeper(undefined, { mint, place: undefined });
    await elsewhere.get(signal);
    expect(renewals).toEqual([]);
    expect(events).toEqual([]);
  });

  it('tells which command gets a token that has no place', async () => {
    const one = keeper(undefined, { place: undefined });
    const error = await expectError(one.get(signal), 'sign-in-needed');
    expect(error.message).toBe('drive: not logged in yet; get a new token with "syncer authorize"');
  });

  it('tries again what may pass', async () => {
    let calls = 0;
    const renew = async () => {
      if (++calls < 3) throw new SyncerError('server', 'busy');
      return tokenOf('access', 3600);
    };
    expect(await keeper(tokenOf('old', -5, 'first'), { renew }).get(signal)).toBe('access');
  });

  it('goes on with a token that is still good where the renewal fails for a while', async () => {
    const renew = async () => {
      throw new SyncerError('server', 'busy');
    };
    const one = keeper(tokenOf('old', 3600, 'first'), { renew });
    nowMs += 3_560_000;
    expect(await one.get(signal)).toBe('old');
    nowMs += 60_000;
    await expectError(one.get(signal), 'server');
  });

  it('tells that a renewed token could not be stored, and goes on', async () => {
    const place = placeOf();
    place.write = async () => {
      throw new SyncerError('config', 'the disk is full');
    };
    expect(await keeper(tokenOf('old', -5, 'first'), { place }).get(signal)).toBe('access1');
    expect(events).toEqual([
      {
        type: 'log',
        level: 'error',
        code: 'login-not-saved',
        fields: { remote: 'drive', why: new SyncerError('config', 'the disk is full') },
      },
    ]);
  });

  it('tells that a renewed token has no place to be stored, and goes on', async () => {
    const one = keeper(tokenOf('old', -5, 'first'), { place: undefined });
    expect(await one.get(signal)).toBe('access1');
    const fields = { remote: 'drive', why: 'other-token' };
    expect(events).toEqual([{ type: 'log', level: 'error', code: 'login-not-saved', fields }]);
  });

  it('stores what comes of a renewal that was under way when the run was broken off', async () => {
    const run = new AbortController();
    const reason = new Error('broken off');
    const renew = async (_old: string, own: AbortSignal) => {
      run.abort(reason);
      await new Promise((resolve) => setTimeout(resolve, 1));
      own.throwIfAborted();
      return tokenOf('renewed', 3600, 'second');
    };
    const sleep = () => new Promise<void>(() => {});
    const clock = { now: () => nowMs, monotonic: () => nowMs, sleep };
    const context = { signal: run.signal, emit: () => {}, clock };
    const one = keeper(tokenOf('old', -5, 'first'), { renew, context });
    await expect(one.get(run.signal)).rejects.toBe(reason);
    await one.finish();
    expect(parseToken(kept)?.refreshToken).toBe('second');
  });

  it('does not wait for ever for a renewal that was under way', async () => {
    const renew = () => new Promise<never>(() => {});
    const one = keeper(tokenOf('old', -5, 'first'), { renew });
    void one.get(signal);
    await one.finish();
    expect(parseToken(kept)?.refreshToken).toBe('first');
  });

  it('forgets the login', async () => {
    const one = keeper(tokenOf('old', 3600, 'first'));
    await one.forget();
    expect(kept).toBe('');
    await expectError(one.get(signal), 'sign-in-needed');
  });

  it('lets a caller go whose signal is aborted, and renews for the others', async () => {
    const one = keeper(tokenOf('old', -5, 'first'));
    const reason = new Error('stop');
    const controller = new AbortController();
    const [left, stays] = [one.get(controller.signal), one.get(signal)];
    controller.abort(reason);
    await expect(left).rejects.toBe(reason);
    expect(await stays).toBe('access1');
  });
});
