import { RE2JS, RE2JSException } from 're2js';
import { SyntaxFault } from './first-match.ts';

/**
 * A function that replaces all matches in a text, as Go's `ReplaceAllString`: `$1`, `$name` and `${name}` are groups,
 * `$$` is a dollar sign. Throws `SyntaxFault` for an expression that Go refuses.
 */
export function replaceAll(expression: string, replacement: string): (text: string) => string {
  const compiled = compile(expression);
  const names = compiled.namedGroups();
  return (text) => {
    const matcher = compiled.matcher(text);
    let [result, at] = ['', 0];
    while (matcher.find()) {
      const group = (name: string) => {
        const number = /^\d+$/.test(name) ? Number(name) : names[name];
        if (number === undefined || number > matcher.groupCount()) return '';
        return matcher.group(number) ?? '';
      };
      result += text.slice(at, matcher.start()) + expand(replacement, group);
      at = matcher.end();
    }
    return result + text.slice(at);
  };
}

function compile(expression: string): RE2JS {
  try {
    return RE2JS.compile(expression);
  } catch (thrown) {
    if (!(thrown instanceof RE2JSException)) throw thrown;
    throw new SyntaxFault(thrown.message.replace(/^error parsing regexp: /, ''));
  }
}

function expand(replacement: string, group: (name: string) => string): string {
  return replacement.replace(/\$(?:\$|\{(\w+)\}|(\w+))/g, (found, braced, bare) =>
    found === '$$' ? '$' : group(braced ?? bare),
  );
}
