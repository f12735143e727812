/** Writes the demo's own words between the output of the programs it runs. */
export interface Screen {
  heading(text: string): void;
  say(text: string): void;
  /** A command line that is about to be run, or could be. */
  command(line: string): void;
  /** Something that was found to be as it should. */
  good(text: string): void;
}

/** A screen on `out`: with colour only on a terminal that wants it, with boxes only where the locale has them. */
export function openScreen(out: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Screen {
  const colour = out.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  const utf8 = /utf-?8/i.test(env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '');
  const paint = (code: string, text: string) => (colour ? `\x1b[${code}m${text}\x1b[0m` : text);
  const line = (text: string) => out.write(`${text}\n`);
  let number = 0;
  return {
    heading: (text) => {
      number++;
      const title = ` ${number}. ${text} `;
      const rule = utf8 ? '─' : '-';
      line(
        `\n${paint('1;36', `${rule.repeat(3)}${title}${rule.repeat(Math.max(3, 70 - title.length))}`)}`,
      );
    },
    say: (text) => line(text),
    command: (text) => line(paint('1', `$ ${text}`)),
    good: (text) => line(`${paint('32', utf8 ? '✓' : 'ok:')} ${text}`),
  };
}
