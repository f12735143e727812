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
