import { createHash, timingSafeEqual } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import { userText } from '../../core/name-bytes.ts';

/** Verified logins are remembered: a hash of bcrypt takes a tenth of a second. */
const REMEMBERED = 1000;

/** The users of a file of Apache's `htpasswd`: bcrypt, MD5 (`$apr1$`) and SHA-1. A changed file is read again. */
export class Htpasswd {
  readonly #path: string;
  #version = '';
  #users: ReadonlyMap<string, string> = new Map();
  #verified = new Map<string, Promise<boolean>>();

  private constructor(path: string) {
    this.#path = path;
  }

  /** Reads the file. Rejects with `usage` if that fails, or for a kind of hash that is not supported. */
  static async open(path: string): Promise<Htpasswd> {
    const file = new Htpasswd(path);
    try {
      await file.#refresh();
    } catch (cause) {
      throw new SyncerError('usage', `--htpasswd: ${toSyncerError(cause).message}`, { cause });
    }
    return file;
  }

  /** Whether the password is the user's. Rejects if the file cannot be read any more. */
  async verify(user: string, password: string): Promise<boolean> {
    await this.#refresh();
    const hash = this.#users.get(user);
    // An unknown user takes as long as a known one.
    const [anyHash = ''] = this.#users.values();
    const key = digest(`${user}\0${hash ?? ''}\0${password}`);
    const known = this.#verified.get(key);
    if (known !== undefined) return known;
    const result = matches(password, hash ?? anyHash).then(
      (isRight) => isRight && hash !== undefined,
    );
    if (this.#verified.size >= REMEMBERED) this.#verified.clear();
    this.#verified.set(key, result);
    if (!(await result)) this.#verified.delete(key);
    return result;
  }

  async #refresh(): Promise<void> {
    const { mtimeNs, size, ino } = await stat(this.#path, { bigint: true });
    const version = `${mtimeNs} ${size} ${ino}`;
    if (version === this.#version) return;
    this.#users = parseUsers(userText(await readFile(this.#path)));
    this.#verified = new Map();
    this.#version = version;
  }
}

/** Reads lines `user:hash`. Throws `usage` with the line of an unsupported hash, but not the hash. */
export function parseUsers(text: string): ReadonlyMap<string, string> {
  const users = new Map<string, string>();
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const [, user = '', hash = ''] = /^([^:]*):([^:]*)/.exec(line.trim()) ?? [];
    if (user === '' || !/^(\$2[aby]\$|\$apr1\$|\{SHA\})/.test(hash)) {
      const what = 'is not "user:hash" with a hash by bcrypt, MD5 or SHA-1';
      throw new SyncerError('usage', `line ${at + 1} ${what}; use htpasswd -B`);
    }
    users.set(user, hash);
  }
  return users;
}

async function matches(password: string, hash: string): Promise<boolean> {
  if (hash.startsWith('$2')) {
    const { default: bcrypt } = await import('bcryptjs');
    return bcrypt.compare(password, hash);
  }
  if (hash.startsWith('$apr1$')) {
    const { default: apacheMd5 } = await import('apache-md5');
    return equal(apacheMd5(password, hash), hash);
  }
  return equal(`{SHA}${createHash('sha1').update(password).digest('base64')}`, hash);
}

function equal(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(digest(a)), Buffer.from(digest(b)));
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
