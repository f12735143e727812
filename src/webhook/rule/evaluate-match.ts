import type { HookMatch } from '../file/hook.ts';
import type { HookRequest } from '../parameter/hook-request.ts';
import { parameterValue } from '../parameter/parameter-value.ts';
import { checkScalr } from './check-scalr.ts';
import { isInRange } from './is-in-range.ts';
import { type CompiledRegexes, matchesRegex } from './match-regex.ts';
import { checkHmac, sameText } from './signature.ts';

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
