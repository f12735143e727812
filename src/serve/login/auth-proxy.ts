import { createHmac, randomBytes } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { SyncerError } from '../../core/errors.ts';
import { isJsonObject } from '../../core/json-object.ts';
import { askProgram } from '../../system/ask-program.ts';
import { HttpError } from '../http-error.ts';
import { type LogIn, readCredentials, unauthorized } from './log-in.ts';

/** A program that has not answered by then is killed, in milliseconds. */
const LONGEST_MS = 30_000;
/** How long an answer counts, in milliseconds: a changed password or a locked user is noticed after that. */
const FRESH_MS = 300_000;
/** Programs that run at the same time; more logins must wait for their next attempt. */
const MOST_PROGRAMS = 16;
/** Answers that are remembered. */
const MOST_ANSWERS = 1000;

/** The options of a remote, by name, with `type` and rclone's `_root` and `_obscure`. */
export type ProxiedConfig = Readonly<Record<string, string>>;

/**
 * `--auth-proxy`: a program gets `user`, `pass` and `client_ip` as JSON and prints the remote of that user as JSON, as
 * described in rclone's documentation. A program that fails refuses the login.
 */
export function proxyLogin<Served>(proxy: {
  /** The program and its arguments. */
  readonly words: readonly string[];
  readonly realm: string;
  /** Opens the remote of an answer. Called once for each different answer. */
  readonly open: (config: ProxiedConfig) => Promise<Served>;
  /** Milliseconds since some time in the past. */
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Why a login was refused, without the password. */
  readonly onRefused: (user: string, why: string) => void;
}): LogIn<Served> {
  const answers = new Map<string, { readonly since: number; readonly config: Promise<string> }>();
  const served = new Map<string, Promise<Served>>();
  const key = randomBytes(32);
  const refusal = unauthorized(proxy.realm);
  let running = 0;

  const ask = async (input: Readonly<Record<string, string>>): Promise<string> => {
    if (running >= MOST_PROGRAMS) throw new HttpError(503, 'Service Unavailable: too many logins');
    running++;
    const { words, signal } = proxy;
    const failure = (why: string) =>
      new ProxyFailure('access-denied', `auth proxy ${words[0] ?? ''}: ${why}`);
    const text = `${JSON.stringify(input, undefined, '\t')}\n`;
    try {
      const answer = await askProgram({ words, text, signal, longestMs: LONGEST_MS, failure });
      return JSON.stringify(readAnswer(answer, failure));
    } finally {
      running--;
    }
  };
  const open = (config: string) => {
    const opened = served.get(config) ?? proxy.open(JSON.parse(config));
    served.set(config, opened);
    opened.catch(() => served.delete(config));
    return opened;
  };

  return async (request) => {
    const given = readCredentials(request.headers.authorization);
    if (given === undefined) throw refusal;
    const { user, password } = given;
    // None on a Unix socket.
    const address = request.socket.remoteAddress ?? '';
    const mapped = address.replace(/^::ffff:/i, '');
    const ip = isIPv4(mapped) ? mapped : address;
    const input = { user, pass: password, ...(ip === '' ? {} : { client_ip: ip }) };
    // The password itself is not kept.
    const id = createHmac('sha256', key).update(JSON.stringify(input)).digest('base64');
    const known = answers.get(id);
    const isFresh = known !== undefined && proxy.now() - known.since < FRESH_MS;
    const config = isFresh ? known.config : ask(input);
    if (!isFresh) {
      if (answers.size >= MOST_ANSWERS) answers.clear();
      answers.set(id, { since: proxy.now(), config });
    }
    let answer: string;
    try {
      answer = await config;
    } catch (error) {
      if (answers.get(id)?.config === config) answers.delete(id);
      if (!(error instanceof ProxyFailure)) throw error;
      proxy.onRefused(user, error.message);
      throw refusal;
    }
    return { user, served: await open(answer) };
  };
}

/** The program refused the login, or failed. */
class ProxyFailure extends SyncerError {}

/** The configuration in an answer. Throws a failure without the answer, which has secrets. */
function readAnswer(text: string, failure: (why: string) => ProxyFailure): ProxiedConfig {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    throw failure('its output is not JSON');
  }
  if (!isJsonObject(found) || !Object.values(found).every((value) => typeof value === 'string')) {
    throw failure('its output is not an object of strings');
  }
  for (const name of ['type', '_root']) {
    if (found[name] === undefined) throw failure(`its output lacks "${name}"`);
  }
  return found as ProxiedConfig;
}
