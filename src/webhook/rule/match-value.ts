import { createHmac, timingSafeEqual } from 'node:crypto';
import { nameToBytes } from '../../core/name-bytes.ts';
import { GoFault } from '../../go/go-errno.ts';
import { FirstMatch, SyntaxFault } from '../../regexp/first-match.ts';
import type { HookMatch } from '../file/hook.ts';

/** The expressions of rules, compiled when they are needed first. */
export type CompiledRegexes = WeakMap<HookMatch, FirstMatch>;

/** Whether a rule's expression matches somewhere in `text`, in linear time. Throws `GoFault` for a bad one. */
export function matchesRegex(match: HookMatch, text: string, compiled: CompiledRegexes): boolean {
  let matcher = compiled.get(match);
  if (matcher === undefined) {
    matcher = compileRegex(match.regex);
    compiled.set(match, matcher);
  }
  return matcher.find(text.toWellFormed()) >= 0;
}

/** Compiles an expression. Throws `GoFault` with Go's words. */
export function compileRegex(regex: string): FirstMatch {
  try {
    return new FirstMatch([regex]);
  } catch (thrown) {
    if (!(thrown instanceof SyntaxFault)) throw thrown;
    throw new GoFault(`error parsing regexp: ${thrown.message}`);
  }
}

/** A signature that is wrong. */
export class SignatureFault extends GoFault {
  /** The message where what the request gave is replaced by `shown`. */
  readonly with: (shown: (given: string) => string) => string;

  /** @param given what the message quotes of the request, between `before` and `behind` */
  constructor(before: string, given = '', behind = '') {
    super(`${before}${given}${behind}`);
    this.with = (shown) => `${before}${shown(given)}${behind}`;
  }
}

/** Whether two texts are equal, in a time that does not depend on where they differ. */
export function sameText(a: string, b: string): boolean {
  const left = nameToBytes(a);
  const right = nameToBytes(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

/**
 * Checks that one of the signatures in `text` is the body's. Signatures are hexadecimal, with `sha1=` and the like
 * in front or not; in a list with commas only those with it count. Throws `SignatureFault` where none fits.
 */
export function checkHmac(
  algorithm: 'sha1' | 'sha256' | 'sha512',
  secret: string,
  body: Uint8Array,
  text: string,
): void {
  if (secret === '') throw new GoFault('signature validation secret can not be empty');
  const expected = createHmac(algorithm, secret).update(body).digest('hex');
  const signatures = signaturesIn(text, `${algorithm}=`);
  if (signatures.map((signature) => sameText(signature, expected)).includes(true)) return;
  const empty = body.length === 0 ? ' on empty payload' : '';
  throw new SignatureFault('invalid payload signatures [', signatures.join(' '), `]${empty}`);
}

function signaturesIn(text: string, prefix: string): string[] {
  const without = (part: string) => (part.startsWith(prefix) ? part.slice(prefix.length) : part);
  if (!text.includes(',')) return [without(text)];
  return text
    .split(',')
    .filter((part) => part.startsWith(prefix))
    .map(without);
}
