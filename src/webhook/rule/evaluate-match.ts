import { createHmac } from 'node:crypto';
import { GoFault } from '../../go/go-fault.ts';
import type { HookMatch } from '../file/hook.ts';
import type { HookRequest } from '../parameter/hook-request.ts';
import { parameterValue } from '../parameter/parameter-value.ts';
import { checkScalr } from './check-scalr.ts';
import { isInRange } from './ip-range.ts';
import { type CompiledRegexes, matchesRegex } from './match-regex.ts';
import { sameText } from './same-text.ts';
import { SignatureFault } from './signature-fault.ts';

/** What a rule is judged with besides the request. */
export interface RuleContext {
  readonly nowMs: number;
  /** Wrong signatures inside `or` are a plain no. */
  readonly softSignatures: boolean;
  readonly regexes: CompiledRegexes;
  /** Takes warnings. */
  readonly warn: (line: string) => void;
}

const SIGNED = /^payload-(hmac|hash)-(sha1|sha256|sha512)$/;

/** Whether a single condition is met. Throws `GoFault` where that cannot be said. */
export function evaluateMatch(
  match: HookMatch,
  request: HookRequest,
  context: RuleContext,
): boolean {
  if (match.type === 'ip-whitelist') return isInRange(request.remoteAddress, match.ipRange);
  if (match.type === 'scalr-signature') return checkScalr(request, match.secret, context.nowMs);
  const value = parameterValue(match.parameter, request);
  if (match.type === 'value') return sameText(value, match.value);
  if (match.type === 'regex') return matchesRegex(match, value, context.regexes);
  const signed = SIGNED.exec(match.type);
  if (signed === null) return false;
  const algorithm = signed[2] as 'sha1' | 'sha256' | 'sha512';
  if (signed[1] === 'hash') {
    const mark = algorithm === 'sha1' ? ';' : ':';
    context.warn(
      `warn: use of deprecated option ${match.type}${mark} use payload-hmac-${algorithm} instead`,
    );
  }
  checkHmac(algorithm, match.secret, request.body, value);
  return true;
}

/**
 * Checks that one of the signatures in `text` is the body's. Signatures are hexadecimal, with `sha1=` and the like
 * in front or not; in a list with commas only those with it count. Throws `SignatureFault` where none fits.
 */
function checkHmac(
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
  throw new SignatureFault(`invalid payload signatures [${signatures.join(' ')}]${empty}`);
}

function signaturesIn(text: string, prefix: string): string[] {
  const without = (part: string) => (part.startsWith(prefix) ? part.slice(prefix.length) : part);
  if (!text.includes(',')) return [without(text)];
  return text
    .split(',')
    .filter((part) => part.startsWith(prefix))
    .map(without);
}
